"""The section on lines from core to core: one matrix in the order of the machine, whatever the system numbers CPUs."""

import itertools

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


def test_two_cores_are_told_in_words(tmp_path):
    found = view(tmp_path, *exchanges({0: 0, 1: 0}), *exchanges({0: 0, 1: 0}, exchange="store"))
    assert CORE_TO_CORE.applies(found) and CORE_TO_CORE.chart(found) is None and CORE_TO_CORE.further(found) == []
    ((_, text),) = CORE_TO_CORE.summary(found)
    assert text == "cores of one cluster: 100 ns" and "cell" not in CORE_TO_CORE.legend(found)


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
    assert CORE_TO_CORE.tables(found) == []


def test_what_was_found_of_each_placement_is_a_table(tmp_path):
    lines = [
        synthetic.finding_record(word, api="cpu", probe="core-to-core", series={**words, "placement": placement}, value=value, unit=unit)
        for word, words, unit, values in [
            ("held-line-latency", {"line": "modified"}, "ns", {"same-cluster": 31, "other-cluster": 77}),
            ("queue-rate", {"role": "reader"}, "GB/s", {"same-cluster": 9, "other-cluster": 4.5}),
        ]
        for placement, value in values.items()
    ]  # fmt: skip
    held, queued = CORE_TO_CORE.tables(view(tmp_path, *exchanges(ALTERNATING), *lines))
    assert [(name, cells[0].text) for name, cells in held.rows] == [
        ("modified, same-cluster", "31.0 ns"), ("modified, other-cluster", "77.0 ns"),
    ]  # fmt: skip
    assert (
        queued.headings == ["Role, placement", "A queue from core to core"] and queued.rows[1][1][0].text == "4.5 GB/s"
    )


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
    at_once = [{**one, "series": {**one["series"], "beside": "pairs"}} for one in exchanges(ALTERNATING, near=130)]
    alone = [one for one in exchanges(ALTERNATING) if one["x"] == {"from": 0, "to": 2}]
    found = view(tmp_path, *alone, *at_once)
    assert matrix(found, "compare-and-swap")[0, 2].median == 100
    assert matrix(found, "compare-and-swap")[2, 0].median == 130
    assert "at once" in CORE_TO_CORE.legend(found)


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
        *(locked(address, value, size=16384, role="reader", beside=beside)
          for address, value, beside in [(0, 2, "nothing"), (60, 2, "nothing"), (0, 3, "split-locks"), (60, 50, "split-locks")]),
        *(locked(address, value, "GB/s", 16384, pattern="read", beside=beside)
          for address, value, beside in [(60, 40, "nothing"), (60, 4, "split-locks")]),
    ]  # fmt: skip
    found = view(tmp_path, *exchanges(ALTERNATING), *lines)
    assert len(matrix(found, "compare-and-swap")) == 12
    (table,) = CORE_TO_CORE.tables(found)
    assert table.headings == ["What", "address 0", "address 60"]
    assert {name: [cell.text for cell in cells] for name, cells in table.rows} == {
        "Locked operation of a core that nobody disturbs, ns": ["10.0", "800"],
        "Load of a core while nobody locks, ns, 16 KiB": ["2.00", "2.00"],
        "Load of a core while others lock, ns, 16 KiB": ["3.00", "50.0"],
        "Reading of a core while nobody locks, GB/s, 16 KiB": ["–", "40.0"],
        "Reading of a core while others lock, GB/s, 16 KiB": ["–", "4.00"],
    }


def test_threads_that_were_not_kept_on_their_cpus_are_said_to_be(tmp_path):
    lines = [{**one, "state": {**one["state"], "shape": {"pinned": 0}}} for one in exchanges(ALTERNATING)]
    assert "did not keep" in CORE_TO_CORE.legend(view(tmp_path, *lines))


def test_a_pair_without_its_cpus_is_left_out(tmp_path):
    lost = {**sample(0, 1, 9, exchange="store"), "x": {"from": 0}}
    assert matrix(view(tmp_path, *exchanges(ALTERNATING), lost), "store") == {}


def test_the_summary_says_the_median_of_each_placement(tmp_path):
    texts = [text for _, text in CORE_TO_CORE.summary(view(tmp_path, *exchanges(ALTERNATING)))]
    assert any(text.startswith("cores of one cluster: 100 ns") for text in texts)
    assert CORE_TO_CORE.applies(view(tmp_path, *exchanges(ALTERNATING)))
    assert not CORE_TO_CORE.applies(view(tmp_path, *synthetic.sample_records("cpu", 1)))
