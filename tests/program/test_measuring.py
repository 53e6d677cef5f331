"""`sonde run` on the CPU, through both APIs: the record file and the summary."""

import datetime
import os
import platform
import uuid

import pytest
from program_runs import ONE_POINT, of_kind, sizes

APIS = ("opencl", "vulkan")


def test_everything_asked_was_done(cpu_run):
    assert cpu_run.done.status == 0, cpu_run.done.err


def test_every_record_is_valid(cpu_run, valid):
    valid(cpu_run.records)


def test_records_come_in_order(cpu_run):
    kinds = [record["record"] for record in cpu_run.records]
    assert kinds[:2] == ["run", "device"]
    assert "sample" in kinds[2:-1]
    # PoCL cannot choose a copy engine, nor have memory of every kind.
    assert set(kinds[2:-1]) <= {"curve", "sample", "level", "finding-kind", "finding", "skip"}
    assert kinds[-1] == "end"
    times = [sample["t"] for sample in cpu_run.samples]
    assert times == sorted(times) and times[-1] <= cpu_run.end["seconds"]


def test_the_file_ends_with_a_whole_line(cpu_run):
    assert cpu_run.file.read_bytes().endswith(b"}\n")


def test_the_first_record_says_what_ran_where(cpu_run):
    run = cpu_run.records[0]
    assert run["schema"] == 1
    uuid.UUID(run["run"])
    assert run["command"][1:] == list(cpu_run.done.words)
    assert (run["seed"], run["effort"]) == (7, "quick")
    assert run["host"]["name"] == platform.node()
    assert run["host"]["cores"] == os.cpu_count()
    assert platform.release() in run["host"]["kernel"]
    age = datetime.datetime.now(datetime.UTC) - datetime.datetime.fromisoformat(run["time"])
    assert datetime.timedelta() <= age < datetime.timedelta(minutes=10)


def test_the_device_is_the_one_that_is_listed(cpu_run, listed):
    cpu = next(device for device in listed if device["device"] == "cpu")
    assert cpu_run.device == {field: cpu[field] for field in cpu_run.device}


def test_the_end_counts_what_is_in_the_file(cpu_run):
    assert cpu_run.end["status"] == "complete"
    for field, kind in (("samples", "sample"), ("skips", "skip"), ("errors", "error")):
        assert cpu_run.end[field] == len(of_kind(cpu_run.records, kind))


@pytest.mark.parametrize("api", APIS)
def test_four_sizes_for_each_doubling_in_whole_lines(cpu_run, api):
    measured = sizes(of_kind(cpu_run.samples, "sample", api=api, probe="latency"))
    # Further sizes come where the curve seems to rise; they are between these.
    assert {4096, 4864, 5824, 6912, 8192} <= set(measured)
    assert (min(measured), max(measured)) == (4096, 8192)
    assert all(size % cpu_run.device["line_bytes"] == 0 for size in measured)


def test_each_sample_names_its_curve(cpu_run):
    paths = ("vector", "scalar", "constant", "image", "local")
    for sample in of_kind(cpu_run.samples, "sample", probe="latency"):
        assert (sample["device"], sample["unit"]) == ("cpu", "ns")
        words = sample["series"]
        assert words["path"] in paths and words["memory"] == "device"
        assert words.get("pattern", "read-modify-write") == "read-modify-write"
        assert set(words) <= {"path", "memory", "order", "pattern"}
        assert sample["series"].get("order", "cycle") in ("cycle", "independent", "page")
        assert list(sample["x"]) == ["bytes"]


@pytest.mark.parametrize("api", APIS)
def test_each_bandwidth_sample_names_its_curve_and_shape(cpu_run, api):
    samples = of_kind(cpu_run.samples, "sample", api=api, probe="bandwidth")
    patterns = {(sample["series"]["pattern"], sample["series"]["sharing"]) for sample in samples}
    assert patterns >= {("read", "private"), ("read", "shared"), ("write", "private"), ("copy", "private")}
    launches = [sample for sample in samples if sample["unit"] == "us"]
    assert launches
    for launch in launches:
        assert launch["x"].keys() == {"groups"} and launch["series"]["sharing"] == "shared"
    for sample in samples:
        if sample in launches:
            continue
        assert (sample["device"], sample["unit"]) == ("cpu", "GB/s")
        assert set(sample["series"]) == {"path", "memory", "pattern", "sharing"}
        assert 4096 <= sample["x"]["bytes"] <= 8192
        assert sample["state"]["shape"]["groups"] >= 1 and sample["state"]["shape"]["vector_bytes"] >= 16


def test_each_visit_has_at_least_three_positive_values(cpu_run):
    for sample in cpu_run.samples:
        assert len(sample["values"]) >= 3 and max(sample["values"]) > 0, sample
        # A kernel over a few pages may be shorter than a step of a driver's clock.
        assert min(sample["values"]) > 0 or sample["probe"] == "zero-copy", sample


def test_points_are_visited_again_in_other_processes(cpu_run):
    processes = {}
    for sample in cpu_run.samples:
        (process,) = sample["process"]
        processes.setdefault(str([sample[key] for key in ("api", "probe", "series", "unit", "x")]), []).append(process)
    assert max(map(len, processes.values())) > 1
    # Each API has a process of its own at least, and a number means one worker of the run.
    of_apis = {api: {one["process"][0] for one in of_kind(cpu_run.samples, "sample", api=api)} for api in APIS}
    assert not of_apis["opencl"] & of_apis["vulkan"]


def test_each_sample_says_what_was_around_it(cpu_run):
    for sample in cpu_run.samples:
        state = sample["state"]
        assert 0 <= state["foreign_cpu"] <= 1 and 0 <= state["steal"] <= 1
        assert not {"attempts", "drift"} & state.keys()
        beside = max(state["foreign_cpu"], state["steal"], state.get("smt_interference", 0))
        # Interrupted values are left out as a rule; a visit is disturbed by them where too few others were left.
        interrupted = state.get("interrupted", 0)
        if state["disturbed"]:
            assert max(beside, interrupted) > 0.05
        else:
            assert beside <= 0.05


def test_the_first_screen_is_one_screen(cpu_run):
    lines = cpu_run.done.out.splitlines()
    assert len(lines) <= 40
    assert f"sonde show {cpu_run.file.name} -v" in lines[-1]
    assert not {"│", "●"} & set(cpu_run.done.out)


def test_a_file_shows_the_screen_that_the_run_has_shown(sonde, cpu_run):
    shown = sonde("show", "run.jsonl", cwd=cpu_run.file.parent)
    assert (shown.status, shown.err) == (0, "")
    assert shown.out == cpu_run.done.out


def test_all_tables_have_a_table_and_a_chart(sonde, cpu_run):
    said = sonde("show", str(cpu_run.file), "-v").out
    for word in ("4 KiB", "8 KiB", "OpenCL", "Vulkan", "median", "│", "└──", "●", "○"):
        assert word in said
    for api in APIS:
        assert cpu_run.device[api]["driver_version"] in said


def test_messages_and_results_do_not_mix(cpu_run):
    assert "latency, ns" in cpu_run.done.out and "latency, ns" not in cpu_run.done.err
    assert "sonde:" not in cpu_run.done.out


def test_each_probe_is_said_once_when_it_begins(cpu_run):
    said = [line for line in cpu_run.done.said if f" on {cpu_run.device['name']}, " in line]
    assert len(set(said)) == len(said)
    latency, other = (said.index(f"latency on {cpu_run.device['name']}, {api}") for api in ("OpenCL", "Vulkan"))
    assert latency < other
    asked = {one["probe"] for one in cpu_run.records if one.get("api") == "opencl"}
    assert {line.split(" on ")[0] for line in said if line.endswith(", OpenCL")} == asked


def test_nothing_is_coloured_away_from_a_terminal(cpu_run):
    assert "\x1b" not in cpu_run.done.out + cpu_run.done.err
    assert "\r" not in cpu_run.done.err


@pytest.mark.parametrize("api", APIS)
def test_one_api_alone(request, sonde, valid, api):
    request.getfixturevalue(f"{api}_cpu")
    done = sonde("run", "--device", "cpu", "--api", api, "--probe", "latency", *ONE_POINT, "-o", "run.jsonl")
    assert done.status == 0, done.err
    records = sonde.records()
    valid(records)
    assert {sample["api"] for sample in of_kind(records, "sample")} == {api}
    assert (records[-1]["skips"], records[-1]["errors"]) == (0, 0)


def test_without_a_gpu_the_cpu_is_measured_and_the_user_told(sonde, listed, opencl_cpu):
    if any(device["type"] != "cpu" for device in listed):
        pytest.skip("there is a GPU here")
    done = sonde("run", "--api", "opencl", *ONE_POINT, "-o", "run.jsonl")
    assert done.status == 0
    assert "No GPU" in done.err and "CPU" in done.err
    assert {sample["device"] for sample in of_kind(sonde.records(), "sample")} == {"cpu"}


@pytest.mark.parametrize("field", ["device", "name", "uuid", "index"])
def test_a_device_is_chosen_by(sonde, listed, opencl_cpu, field):
    index, cpu = next((index, device) for index, device in enumerate(listed) if device["type"] == "cpu")
    selector = str(index) if field == "index" else cpu[field]
    if not selector:
        pytest.skip("the CPU has none here")
    done = sonde("run", "--device", selector.upper(), "--api", "opencl", *ONE_POINT, "-o", "run.jsonl")
    assert done.status == 0, done.err
    assert [device["device"] for device in of_kind(sonde.records(), "device")] == ["cpu"]
