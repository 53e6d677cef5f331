"""A wrong request: one clear sentence, status 2, nothing measured, nothing written."""

import pytest
from refusals import assert_refused


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "--help"),
        (["measure"], "measure"),
        ([""], "--help"),
        (["--bogus"], "--bogus"),
        (["list", "--bogus"], "--bogus"),
        (["list", "more"], "more"),
        (["run", "--bogus"], "--bogus"),
        (["run", "more"], "more"),
        (["run", "--device"], "--device"),
    ],
)
def test_a_word_that_is_not_known(sonde, words, says):
    assert_refused(sonde, *words, says=says)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--device", "no such device"),
        ("--device", "99"),
        ("--device", "00000000-0000-0000-0000-000000000001"),
        ("--device", "ffff:ff:1f.7"),
        ("--device", ""),
        ("--device", "model:"),
        ("--device", "model:no-such-model"),
        ("--device", "model:no-such-file.json"),
        ("--device", "model:no/such/file"),
        ("--probe", "no-such-probe"),
        ("--probe", "no-such-probe,latency"),
        ("--api", "no-such-api"),
        ("--effort", "utmost"),
        ("--seed", "some"),
        ("--seed", "-1"),
        ("--out=", "--no-progress"),
        ("--seed", "18446744073709551617"),
        ("--seed", "1.5"),
        ("--silence-limit", "0"),
        ("--silence-limit", "-3"),
        ("--silence-limit", "soon"),
        ("--silence-limit", "nan"),
        ("--sysfs-root", "no/such/folder"),
        ("--sysfs-root", "/dev/null"),
        ("--sysfs-root", ""),
    ],
)
def test_a_value_that_is_not_known(sonde, option, value):
    says = value.removeprefix("model:").removesuffix(",latency") or value or option.removeprefix("--")
    assert_refused(sonde, "run", "--device", "model:strix-halo", option, value, says=says)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--device", "cpu", "--probe", "latency"], "core-to-core, which --probe leaves out"),
        (["--device", "model:strix-halo"], "--device cpu measures it"),
    ],
)
def test_split_locks_are_allowed_for_nothing_that_makes_them(sonde, words, says):
    assert_refused(sonde, "run", "--allow-split-locks", *words, says=says)


def test_an_unknown_built_in_model_names_those_that_are(sonde):
    assert_refused(sonde, "run", "--device", "model:strix", says=["strix-halo", "rtx-4090", "rx-7900-xtx", "h200"])


@pytest.mark.parametrize(
    "given",
    ["", ":", "4K", "4K:", ":8K", "many:8K", "4K:many", "4K:8Q", "4K:8KK", "-4K:8K", "0:8K", "4K:-8K", "nan:8K"]
    + ["8K:4K", "4K:8K:16K", "4 K:8K", "4K:1e300"],
)
def test_sizes_that_are_none(sonde, model_file, given):
    assert_refused(sonde, "run", "--device", model_file(), "--time", "1", "--sizes", given, says="size")


def test_sizes_below_a_line_of_the_cpu(sonde, opencl_cpu):
    assert_refused(sonde, "run", "--device", "cpu", "--sizes", "16:8K", says=["16", "64 B", "line"])


def test_sizes_above_the_memory_of_the_cpu(sonde, opencl_cpu):
    assert_refused(sonde, "run", "--device", "cpu", "--sizes", "4K:900T", says=["900 TiB", "memory"])


def test_sizes_below_a_line_of_a_model(sonde, model_file):
    levels = [{"bytes": 16384, "line": 256, "latency_ns": 40}, {"latency_ns": 300}]
    assert_refused(sonde, "run", "--device", model_file(levels=levels), "--sizes", "128:8K", says=["128 B", "256 B"])


def test_sizes_above_the_memory_of_a_model(sonde, model_file):
    assert_refused(sonde, "run", "--device", model_file(), "--sizes", "4K:17M", says=["17 MiB", "16 MiB"])


def test_one_wrong_device_among_right_ones(sonde, model_file):
    assert_refused(sonde, "run", "--device", model_file(), "--device", "model:none.json", says="none.json")
