"""Where the record file cannot go: refused before anything is measured, and what is there stays as it is."""

import os

import pytest
from program_runs import NO_OPENCL_DRIVER, NO_VULKAN_DRIVER
from refusals import assert_refused

DEVICES = {"the default": (), "the cpu": ("--device", "cpu"), "a model": ("--device", "model:strix-halo")}


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES.keys())
def test_an_existing_file_is_kept(sonde, listed, device):
    if "model:strix-halo" not in device and not any(one["device"] == "cpu" for one in listed):
        pytest.skip("no driver for the CPU here")
    file = sonde.folder / "mine.jsonl"
    file.write_text("precious\n")
    assert_refused(sonde, "run", *device, "-o", "mine.jsonl", says="mine.jsonl")
    assert file.read_text() == "precious\n"


@pytest.mark.parametrize("missing", [NO_OPENCL_DRIVER, NO_VULKAN_DRIVER], ids=["OpenCL", "Vulkan"])
def test_one_sentence_even_where_a_driver_is_missing(sonde, both_cpu, missing):
    (sonde.folder / "mine.jsonl").write_text("precious\n")
    assert_refused(sonde, "run", "--device", "cpu", "-o", "mine.jsonl", says="mine.jsonl", env=missing)


def test_an_existing_folder_is_kept(sonde):
    (sonde.folder / "mine").mkdir()
    assert_refused(sonde, "run", "--device", "model:strix-halo", "-o", "mine", says="mine")


def test_a_link_to_nowhere_is_not_followed(sonde):
    (sonde.folder / "link.jsonl").symlink_to("target.jsonl")
    assert_refused(sonde, "run", "--device", "model:strix-halo", "-o", "link.jsonl", says="link.jsonl")


@pytest.mark.parametrize("file", ["no/such/folder.jsonl", "/proc/here.jsonl", "/dev/full", ""])
def test_a_place_that_cannot_be_written(sonde, file):
    assert_refused(sonde, "run", "--device", "model:strix-halo", "--out", file, says=file or "--out")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(sonde):
    (sonde.folder / "closed").mkdir(mode=0o500)
    assert_refused(sonde, "run", "--device", "model:strix-halo", "-o", "closed/x.jsonl", says="closed/x.jsonl")


def test_results_that_are_a_file(sonde):
    (sonde.folder / "results").write_text("precious\n")
    assert_refused(sonde, "run", "--device", "model:strix-halo", says="results")
    assert (sonde.folder / "results").read_text() == "precious\n"


def test_results_that_cannot_be_made(sonde):
    assert_refused(sonde, "run", "--device", "model:strix-halo", says="results", cwd="/proc")
