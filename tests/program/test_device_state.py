"""What the system says of clocks, temperature and power stands beside every sample."""

import pytest
from program_runs import ONE_POINT, of_kind

GPU_FIELDS = {"gpu_clock_mhz", "memory_clock_mhz", "temperature_celsius", "power_watts", "throttle_reasons"}


@pytest.fixture
def tree(tmp_path):
    """A machine with one CPU, in files."""
    frequency = tmp_path / "tree/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"
    frequency.parent.mkdir(parents=True)
    frequency.write_text("3210000\n")
    return tmp_path / "tree"


def states(sonde, *words):
    done = sonde("run", *words, *ONE_POINT, "-o", "run.jsonl")
    assert done.status == 0, done.err
    return [sample["state"] for sample in of_kind(sonde.records(), "sample")]


def test_the_clock_in_the_tree_is_beside_every_sample_of_a_model(sonde, valid, model_file, tree):
    found = states(sonde, "--device", model_file(), "--sysfs-root", str(tree))
    assert found and {state["cpu_clock_mhz"] for state in found} == {3210}
    assert not any(GPU_FIELDS & set(state) for state in found)  # a model has no sensors
    valid(sonde.records())


def test_the_clock_in_the_tree_is_beside_every_sample_of_the_cpu(sonde, valid, opencl_cpu, tree):
    found = states(sonde, "--device", "cpu", "--api", "opencl", "--sysfs-root", str(tree))
    assert found and {state["cpu_clock_mhz"] for state in found} == {3210}
    valid(sonde.records())


def test_an_empty_tree_says_nothing(sonde, valid, model_file, tmp_path):
    (tmp_path / "empty").mkdir()
    found = states(sonde, "--device", model_file(), "--sysfs-root", str(tmp_path / "empty"))
    assert found and not any({"cpu_clock_mhz", *GPU_FIELDS} & set(state) for state in found)
    valid(sonde.records())


def test_a_folder_is_named_as_the_user_sees_it(sonde, model_file, tree):
    (sonde.folder / "linked").symlink_to(tree)
    assert states(sonde, "--device", model_file(), "--sysfs-root", "linked")[0]["cpu_clock_mhz"] == 3210
