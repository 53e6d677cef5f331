"""The section on kinds of memory: a row a kind, whichever of the two probes spoke of it."""

import pytest
import synthetic
from sonde_tools import pictures, records
from sonde_tools.devices import device_views
from sonde_tools.memory_kinds import KINDS


def samples(probe, unit, value, **series):
    found = synthetic.sample_records("opencl", 1, every=9, series=series)
    for sample in found:
        sample.update(probe=probe, unit=unit, values=[value] * 7)
    return found


def finding(word, probe, **changes):
    return synthetic.finding_record(word, probe=probe, **changes)


def view(tmp_path, *lines):
    written = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record(), *lines])
    return device_views([records.read(written)])[0]


def whole(tmp_path):
    rounds = {"memory": "svm-fine", "order": "independent"}
    return view(
        tmp_path,
        *samples("host-memory", "ns", 300, memory="device", writer="gpu", path="vector"),
        *samples("host-memory", "ns", 900, memory="svm-fine", writer="gpu", path="vector"),
        *samples("host-memory", "GB/s", 20, memory="svm-fine", writer="gpu", path="buffer", pattern="read"),
        *samples("host-memory", "GB/s", 12, memory="svm-fine", writer="gpu", path="buffer", pattern="write"),
        *samples("host-memory", "ns", 110, memory="svm-fine", writer="gpu", side="cpu"),
        *samples("host-memory", "GB/s", 0.2, memory="svm-fine", writer="gpu", side="cpu", pattern="read"),
        *samples("zero-copy", "us", 20, **rounds, direction="to-host"),
        *samples("zero-copy", "us", 15, **rounds, direction="to-device"),
        *samples("zero-copy", "us", 1, **rounds, direction="within", side="cpu"),
        finding("across-the-bus", "host-memory", series={"memory": "svm-fine", "writer": "gpu"}, value=900, unit="ns"),
        finding("zero-copy", "zero-copy", series={"memory": "svm-fine", "direction": "to-host"}, value=20, unit="us"),
        finding("copies", "zero-copy", series={"memory": "svm-fine", "direction": "to-device"}, value=12, unit="GB/s"),
        finding("unsupported", "zero-copy", series={"memory": "svm-system"}, value=None, unit=None),
    )


def test_a_row_has_what_both_probes_found_of_a_kind(tmp_path):
    (table,) = KINDS.tables(whole(tmp_path))
    rows = {name: [cell.text for cell in cells] for name, cells in table.rows}
    assert list(rows) == ["device", "svm-fine", "svm-system"]
    assert rows["device"] == ["–", "–", "300", "–", "–", "–", "–", "–", "–"]
    assert rows["svm-fine"] == ["copies", "zero-copy", "900", "20.0", "12.0", "110", "0.200", "–", "across-the-bus"]
    assert rows["svm-system"][:2] == ["unsupported", "unsupported"]
    assert len(table.headings) == 1 + len(rows["device"])


def test_latency_by_kind_is_the_main_picture_and_rounds_are_beside(tmp_path):
    found = whole(tmp_path)
    assert "latency, ns" in str(KINDS.chart(found).to_dict())
    (beside,) = KINDS.further(found)
    text = str(beside.chart.to_dict())
    assert "time of a round, us" in text and "within" not in text
    assert len(KINDS.summary(found)) == 2


def test_without_latencies_the_rounds_are_the_main_picture(tmp_path):
    found = view(tmp_path, *samples("zero-copy", "us", 20, memory="device", order="independent", direction="to-host"))
    assert KINDS.applies(found) and KINDS.further(found) == []
    assert "time of a round, us" in str(KINDS.chart(found).to_dict())


@pytest.mark.parametrize("cost_us", [[0.0], [0.0, 12.5], [1e-12, 1e15]])
def test_a_cost_of_nothing_or_of_any_size_is_drawn(tmp_path, cost_us):
    costs = [samples("zero-copy", "us", cost, memory="device", order="independent", direction="to-host")[index]
             for index, cost in enumerate(cost_us)]  # fmt: skip
    assert pictures.svg(KINDS.chart(view(tmp_path, *costs))).startswith("<svg")


def test_a_run_without_the_probes_has_no_section(tmp_path):
    assert not KINDS.applies(view(tmp_path, *synthetic.sample_records("opencl", 1, every=9)))
