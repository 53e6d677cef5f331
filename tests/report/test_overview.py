"""The first table of a page: what is in this machine, in a few rows a device."""

import pytest
import synthetic
from sonde_tools import overview, records
from sonde_tools.devices import device_views


def views(tmp_path, *files):
    written = [synthetic.write(tmp_path / f"run-{number}.jsonl", lines) for number, lines in enumerate(files, 1)]
    return device_views([records.read(file) for file in written])


def of(tmp_path, *lines):
    (view,) = views(tmp_path, [synthetic.run_record(), *lines])
    return overview.of(view)


def rows(found):
    return {name: [" ".join(filter(None, [cell.text, cell.detail])) for cell in cells] for name, cells in found.rows}


def samples(*apis):
    return [sample for api in apis for sample in synthetic.sample_records(api, 1, every=9)]


def finding(word, probe, value=None, unit=None, api="opencl", **series):
    return synthetic.finding_record(word, probe=probe, value=value, unit=unit, api=api, series=series)


def test_a_level_has_size_latency_and_bandwidth_and_memory_the_devices_size(tmp_path):
    latency = synthetic.level_records("opencl", levels=[(32 << 10, 1.5), (2 << 20, 4.6), (None, 96.0)])
    bandwidth = synthetic.bandwidth_level_records(matches=[1, 2, 3])
    found = of(tmp_path, synthetic.device_record(), *samples("opencl"), *latency, *bandwidth)
    assert (found.title, found.about) == ("AMD EPYC 9554", "CPU, 8 compute units, by OpenCL: PoCL 3.1")
    assert rows(found) == {
        "level 1": ["32 KiB (31 to 33)", "1.50 ns (1.48 to 1.52)", "150 GB/s (147 to 153)"],
        "level 2": ["2 MiB (1.94 to 2.06)", "4.60 ns (4.55 to 4.67)", "60.0 GB/s (58.8 to 61.2)"],
        "memory": ["31.2 GiB", "96.0 ns (95.0 to 97.4)", "24.0 GB/s (23.5 to 24.5)"],
    }


def test_of_two_apis_the_one_that_adds_less_is_shown(tmp_path):
    found = of(
        tmp_path,
        synthetic.device_record(),
        *samples("opencl", "vulkan"),
        *synthetic.level_records("opencl", added_ns=3),
        *synthetic.level_records("vulkan"),
    )
    assert found.about.endswith("by Vulkan: llvmpipe 22.3.6") and rows(found)["level 1"][1].startswith("1.50 ns")


def test_of_several_files_the_first_with_levels_is_shown_and_named(tmp_path):
    device = [synthetic.run_record(), synthetic.device_record(), *samples("opencl")]
    levels = [synthetic.level_records("opencl", added_ns=added) for added in (1, 0)]
    (view,) = views(tmp_path, device, [*device, *levels[0]], [*device, *levels[1]])
    found = overview.of(view)
    assert found.about.endswith("PoCL 3.1, run-2.jsonl") and rows(found)["level 1"][1].startswith("2.50 ns")


def test_what_a_curve_that_still_rises_ends_in_has_no_size(tmp_path):
    levels = synthetic.level_records("opencl")
    levels[-1]["name"] = "beyond"
    assert rows(of(tmp_path, synthetic.device_record(), *samples("opencl"), *levels))["beyond"][0] == "–"


def test_without_levels_the_smallest_and_the_largest_working_set_are_shown(tmp_path):
    walked = [{**sample, "values": [sample["x"]["bytes"] / 1024]} for sample in samples("opencl")]
    read = [{**sample, "probe": "bandwidth", "unit": "GB/s", "values": [80.0]} for sample in samples("opencl")]
    assert rows(of(tmp_path, synthetic.device_record(), *walked, *read)) == {
        "smallest working set": ["1 KiB", "1.00 ns", "80.0 GB/s"],
        "largest working set": ["256 MiB", "262 µs", "80.0 GB/s"],
    }


def test_levels_by_bandwidth_alone_are_shown(tmp_path):
    read = [{**sample, "probe": "bandwidth", "unit": "GB/s"} for sample in samples("opencl")]
    found = of(tmp_path, synthetic.device_record(), *read, *synthetic.bandwidth_level_records())
    assert rows(found)["level 1, by bandwidth"] == ["33 KiB (32 to 34)", "–", "150 GB/s (147 to 153)"]


def test_nothing_measured_is_no_row(tmp_path):
    found = of(tmp_path, synthetic.device_record(compute_units=None))
    assert (found.about, found.rows, found.notes) == ("CPU", [], [])


def test_kinds_of_memory_say_which_are_shared(tmp_path):
    found = of(
        tmp_path,
        synthetic.device_record(),
        finding("zero-copy", "zero-copy", 3, "us", memory="alloc-host-ptr", direction="to-device"),
        finding("zero-copy", "zero-copy", 3, "us", memory="alloc-host-ptr", direction="to-host"),
        finding("zero-copy", "zero-copy", 3, "us", memory="svm-fine", direction="to-device"),
        finding("copies", "zero-copy", 3, "GB/s", memory="svm-fine", direction="to-host"),
        finding("copies", "zero-copy", 84, "GB/s", direction="to-device"),
        finding("unsupported", "zero-copy", memory="svm-system"),
    )
    assert found.notes == [(
        "Kinds of memory",
        "shared without a copy: alloc-host-ptr · shared without a copy to the device; copied, not shared to the host: svm-fine · "
        "copied, not shared: device · not supported: svm-system",
    )]  # fmt: skip


def test_copies_say_engines_and_rates_of_engines_alone(tmp_path):
    found = of(
        tmp_path,
        synthetic.device_record(),
        finding("engines", "copy", 1.0, "ratio", engine="driver"),
        finding("engines", "copy", 2.0, "ratio", engine="transfer"),
        finding("bandwidth", "copy", 25.3, "GB/s", engine="driver", host="pageable", direction="to-device"),
        finding("bandwidth", "copy", 26.1, "GB/s", engine="transfer", host="pinned", direction="to-device"),
        finding("bandwidth", "copy", 900, "GB/s", engine="compute-shader", host="pinned", direction="to-device"),
        finding("bandwidth", "copy", 21, "GB/s", engine="driver", host="pinned", direction="to-host"),
        finding("latency", "copy", 7.25, "us", engine="driver", host="pinned", direction="to-host"),
    )
    assert found.notes == [(
        "Copies",
        "engines: 1 (driver), 2 (transfer) · 26.1 GB/s to the device (transfer, pinned) · 21.0 GB/s to the host (driver, "
        "pinned) · a small one takes 7.25 µs",
    )]  # fmt: skip


def test_two_apis_have_a_note_each(tmp_path):
    found = of(
        tmp_path,
        synthetic.device_record(),
        finding("engines", "copy", 1.0, "ratio", engine="driver"),
        finding("engines", "copy", 2.0, "ratio", "vulkan", engine="transfer"),
    )
    assert [name for name, _ in found.notes] == ["Copies, OpenCL", "Copies, Vulkan"]


def test_a_cpus_own_levels_are_a_note(tmp_path):
    own = [{**sample, "probe": "cpu-latency", "series": {"pages": "huge"}} for sample in samples("cpu")]
    levels = [
        {**level, "probe": "cpu-latency", "series": {"pages": "huge"}} for level in synthetic.level_records("cpu")
    ]
    ((name, text),) = of(tmp_path, synthetic.device_record(), *own, *levels).notes
    assert name == "The CPU itself" and text.startswith("CPU, huge pages: level 1 of 32 KiB at 1.50 ns, ")


@pytest.mark.parametrize("field", ["series", "api", "value", "unit"])
def test_findings_of_other_versions_lack_fields(tmp_path, field):
    found = [
        finding("zero-copy", "zero-copy", 3, "us", memory="svm-fine", direction="to-device"),
        finding("engines", "copy", 1.0, "ratio", engine="driver"),
        finding("bandwidth", "copy", 25.3, "GB/s", engine="driver", host="pinned", direction="to-device"),
    ]
    for each in found:
        del each[field]
    assert of(tmp_path, synthetic.device_record(), *found).rows == []
