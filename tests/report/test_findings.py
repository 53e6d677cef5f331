"""What the probes concluded: headings for every fixed word, and which edges are marked."""

import pytest
import synthetic
from sonde_tools import findings, records
from sonde_tools.devices import device_views
from sonde_tools.latency import latency_curves


def view(tmp_path, *lines):
    files = lines if isinstance(lines[0], list) else [list(lines)]
    start = [synthetic.run_record(), synthetic.device_record()]
    paths = [synthetic.write(tmp_path / f"run-{n}.jsonl", [*start, *each]) for n, each in enumerate(files, 1)]
    return device_views([records.read(path) for path in paths])[0]


def test_a_word_has_the_heading_that_its_file_declares_or_that_of_older_files(tmp_path):
    words = ("translation", "added-later", "unknown-word")
    found = findings.groups(
        view(tmp_path, synthetic.finding_kind_record(), *(synthetic.finding_record(word) for word in words))
    )
    assert [heading for heading, _ in found] == ["Address translation", "What was added", "Unknown word"]


def test_findings_that_words_tell_apart_are_a_table(tmp_path):
    ways = [{"engine": "driver", "host": "pinned", "direction": way} for way in ("to-device", "to-host")]
    lines = [
        synthetic.finding_record(word, probe="copy", series=way, value=value, unit=unit, **interval)
        for way in ways
        for word, value, unit, interval in (
            ("latency", 2.5, "us", {}),
            ("bandwidth", 14.5, "GB/s", {"low": 13.9, "high": 15.2}),
        )
    ]
    (table,) = findings.tables(
        view(tmp_path, *lines, synthetic.finding_record("engines", probe="copy", series={}, value=2)), "copy"
    )
    assert table.headings == ["Engine, host, direction", "Latency of a copy", "Bandwidth of a copy"]
    assert [name for name, _ in table.rows] == ["driver, pinned, to-device", "driver, pinned, to-host"]
    assert [(cell.text, cell.detail) for cell in table.rows[0][1]] == [
        ("2.50 µs", ""),
        ("14.5 GB/s", "13.9 GB/s to 15.2 GB/s"),
    ]


def test_one_group_a_word_with_place_value_and_evidence(tmp_path):
    found = findings.groups(view(
        tmp_path, synthetic.finding_record(), synthetic.finding_record("apis-disagree", value=None, series={}),
        synthetic.finding_record(api="vulkan", value=12 << 20, evidence="So."),
    ))  # fmt: skip
    assert found == [
        ("Address translation", [("OpenCL, latency, page: 6 MiB", synthetic.TRANSLATION_EVIDENCE),
                                 ("Vulkan, latency, page: 12 MiB", "So.")]),
        ("OpenCL and Vulkan disagree", [("OpenCL, latency", synthetic.TRANSLATION_EVIDENCE)]),
    ]  # fmt: skip


def test_an_interval_stands_beside_its_value(tmp_path):
    finding = synthetic.finding_record(
        "bandwidth", probe="copy", series={}, value=14.5, low=13.9, high=15.2, unit="GB/s"
    )
    ((_, found),) = findings.groups(view(tmp_path, finding))
    assert [head for head, _ in found] == ["OpenCL, copy: 14.5 GB/s (13.9 GB/s to 15.2 GB/s)"]


def test_findings_of_two_files_name_theirs(tmp_path):
    ((_, found),) = findings.groups(view(tmp_path, [synthetic.finding_record()], [synthetic.finding_record()]))
    assert [head for head, _ in found] == [f"OpenCL, latency, page, run-{n}.jsonl: 6 MiB" for n in (1, 2)]


@pytest.mark.parametrize(
    ("changes", "edges"),
    [
        ({}, [("OpenCL", 6 << 20)]),
        ({"series": {}}, [("OpenCL", 6 << 20)]),
        ({"series": {"path": "scalar"}}, []),
        ({"api": "vulkan"}, []),
        ({"value": None}, []),
        ({"unit": "ns"}, []),
        ({"finding": "apis-disagree"}, []),
    ],
)
def test_edges_of_address_translation_belong_to_a_curve(tmp_path, changes, edges):
    found = view(tmp_path, *synthetic.sample_records("opencl", 1, every=9), synthetic.finding_record(**changes))
    assert findings.translation_edges(found, latency_curves(found)) == edges
