"""The section on lines from core to core: one matrix in the order of the machine, whatever the system numbers CPUs."""

import itertools

import pytest
import synthetic
from sonde_tools import pictures, records
from sonde_tools.core_to_core import CORE_TO_CORE, clusters, matrix, matrix_texts
from sonde_tools.devices import device_views


def sample(start, end, value, unit="ns", **series):
    (one,) = synthetic.sample_records("cpu", 1, every=1000)
    x = {"from": start, "to": end} | ({"bytes": 8192 * 512} if unit == "GB/s" else {})
    return {
        **one,
        "probe": "core-to-core",
        "series": series,
        "unit": unit,
        "x": x,
        "values": [value - 1, value, value + 3],
    }


def exchanges(cluster_of, exchange="compare-and-swap", near=100, far=300):
    """Every ordered pair of CPUs, of which {CPU: cluster} is known."""
    for start, end in itertools.permutations(cluster_of, 2):
        same = cluster_of[start] == cluster_of[end]
        yield sample(start, end, near if same else far, exchange=exchange, line="modified",
                     placement="same-cluster" if same else "other-cluster")  # fmt: skip


def view(tmp_path, *lines):
    written = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record(), *lines])
    return device_views([records.read(written)])[0]


# Numbered to and fro between two sockets, as many servers do.
ALTERNATING = {0: 0, 1: 1, 2: 0, 3: 1}


def test_the_order_is_that_of_the_machine(tmp_path):
    found = view(tmp_path, *exchanges(ALTERNATING))
    assert clusters(found) == [[0, 2], [1, 3]]
    assert CORE_TO_CORE.chart(found).to_dict()["layer"][0]["encoding"]["x"]["scale"]["domain"] == ["0", "2", "1", "3"]


def test_each_cell_has_its_number_and_siblings_are_on_the_diagonal(tmp_path):
    siblings = sample(0, 4, 40, exchange="compare-and-swap", line="modified", placement="same-core")
    found = view(tmp_path, *exchanges(ALTERNATING), siblings)
    cells = {(row["from"], row["to"]): row["text"] for row in CORE_TO_CORE.chart(found).to_dict()["data"]["values"]}
    assert cells["0", "2"] == "100" and cells["0", "1"] == "300" and cells["0", "0"] == "40" and len(cells) == 13
    assert "diagonal" in CORE_TO_CORE.legend(found)
    assert pictures.svg(CORE_TO_CORE.chart(found)).startswith("<svg")


def test_what_is_held_or_queued_is_no_part_of_the_matrix(tmp_path):
    held = sample(0, 1, 77, line="modified", role="reader", placement="other-cluster")
    queued = [sample(0, 1, 9, "GB/s", role=role, placement="other-cluster") for role in ("writer", "reader")]
    found = view(tmp_path, *exchanges(ALTERNATING), held, *queued)
    assert matrix(found, "compare-and-swap")[0, 1].median == 300
    (table,) = CORE_TO_CORE.tables(found)
    rows = {name: cells[0].text for name, cells in table.rows}
    assert rows["load of a held line, modified, cores of different clusters"] == "77.0"
    assert rows["queue of 512-byte chunks, reader, cores of different clusters"] == "9.00"


def test_stores_have_a_picture_of_their_own(tmp_path):
    both = [*exchanges(ALTERNATING), *exchanges(ALTERNATING, "store", 400, 900)]
    (further,) = CORE_TO_CORE.further(view(tmp_path, *both))
    assert {row["text"] for row in further.chart.to_dict()["data"]["values"]} == {"400", "900"}
    assert CORE_TO_CORE.further(view(tmp_path, *exchanges(ALTERNATING))) == []


def test_many_cpus_are_drawn_by_clusters(tmp_path):
    of_many = {cpu: cpu // 8 for cpu in range(40)}
    rows = CORE_TO_CORE.chart(view(tmp_path, *exchanges(of_many))).to_dict()["data"]["values"]
    assert len(rows) == 25
    assert {row["text"] for row in rows if row["from"] == row["to"]} == {"100"}
    assert rows[0]["from"] == "0…7" and rows[0]["pairs"] == 56


def test_the_whole_matrix_is_a_table_in_the_order_of_the_machine(tmp_path):
    (named,) = matrix_texts(view(tmp_path, *exchanges(ALTERNATING)))
    assert named == (
        "core-to-core-compare-and-swap",
        "from,0,2,1,3\n0,,100,300,300\n2,100,,300,300\n1,300,300,,100\n3,300,300,100,\n",
    )


def test_of_pairs_that_went_both_alone_and_at_once_the_alone_one_is_shown(tmp_path):
    at_once = [{**one, "series": {**one["series"], "fabric": "loaded"}} for one in exchanges(ALTERNATING, near=130)]
    alone = [one for one in exchanges(ALTERNATING) if one["x"] == {"from": 0, "to": 2}]
    found = view(tmp_path, *alone, *at_once)
    assert matrix(found, "compare-and-swap")[0, 2].median == 100
    assert matrix(found, "compare-and-swap")[2, 0].median == 130
    assert "at once" in CORE_TO_CORE.legend(found)
    rows = {name: cells[0].text for name, cells in CORE_TO_CORE.tables(found)[0].rows}
    assert rows["round trip, compare-and-swap, several pairs at once, cores of one cluster"] == "130"


def test_split_locks_are_a_table_of_their_own(tmp_path):
    def locked(address, value, unit="ns", size=None, **series):
        one = sample(1, 1 if size is None else 0, value, unit, **series)
        return {
            **one,
            "x": {"from": 1, "to": 0, "address": address, "cpu_threads": 1} | ({"bytes": size} if size else {}),
        }

    lines = [
        locked(0, 10, exchange="compare-and-swap", sharing="private"),
        locked(60, 800, exchange="compare-and-swap", sharing="private"),
        *(locked(address, value, size=16384, role="reader", fabric=fabric)
          for address, value, fabric in [(0, 2, "idle"), (60, 2, "idle"), (0, 3, "loaded"), (60, 50, "loaded")]),
        *(locked(address, value, "GB/s", 16384, pattern="read", fabric=fabric)
          for address, value, fabric in [(60, 40, "idle"), (60, 4, "loaded")]),
    ]  # fmt: skip
    found = view(tmp_path, *exchanges(ALTERNATING), *lines)
    assert len(matrix(found, "compare-and-swap")) == 12
    rows = {name: [cell.text for cell in cells] for name, cells in CORE_TO_CORE.tables(found)[1].rows}
    assert rows == {
        "a locked operation, ns": ["–", "10.0", "800"],
        "a load in 16 KiB, ns": ["2.00", "3.00", "50.0"],
        "reading 16 KiB, GB/s": ["40.0", "–", "4.00"],
    }


def test_threads_that_were_not_kept_on_their_cpus_are_said_to_be(tmp_path):
    lines = [{**one, "state": {**one["state"], "shape": {"pinned": 0}}} for one in exchanges(ALTERNATING)]
    assert "did not keep" in CORE_TO_CORE.legend(view(tmp_path, *lines))


def test_a_pair_without_its_cpus_is_refused(tmp_path):
    lost = {**sample(0, 1, 9, exchange="store"), "x": {"from": 0}}
    with pytest.raises(records.RecordFileError):
        view(tmp_path, lost)


def test_the_summary_says_the_median_of_each_placement(tmp_path):
    texts = [text for _, text in CORE_TO_CORE.summary(view(tmp_path, *exchanges(ALTERNATING)))]
    assert any(text.startswith("cores of one cluster: 100 ns") for text in texts)
    assert CORE_TO_CORE.applies(view(tmp_path, *exchanges(ALTERNATING)))
    assert not CORE_TO_CORE.applies(view(tmp_path, *synthetic.sample_records("cpu", 1)))
