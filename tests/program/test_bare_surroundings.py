"""No home, no folder for caches, no /proc, no /sys: the words name what is missing, and the way out works."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from fault_layers import OTHERS_DISTURB
from program_runs import SHORT_SWEEP, Sonde, of_kind

NOBODY = "65534"
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
HIDDEN = {"proc": ["/proc"], "sys": ["/sys"], "both": ["/proc", "/sys"]}


@pytest.fixture
def elsewhere(program, both_cpu):
    """Starts a copy of the program in a folder that everybody may use, by other programs."""
    if os.geteuid() != 0 or not all(map(shutil.which, ("setpriv", "unshare"))):
        pytest.skip("only root becomes another user and hides files (util-linux)")
    with tempfile.TemporaryDirectory(prefix="sonde-bare-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        shutil.copy2(program, folder / "sonde")
        yield lambda *starter: Sonde(folder / "sonde", folder, starter)


@pytest.fixture
def nobodys(elsewhere):
    """The program as a user without a home, where the folder for caches is this one."""
    return lambda caches: elsewhere("env", "-u", "HOME", "-u", "POCL_CACHE_DIR", f"XDG_CACHE_HOME={caches}", *AS_NOBODY)


def hides(folders):
    """The beginning of a command that sees these folders empty."""
    mounts = "".join(f"mount -t tmpfs none {folder} && " for folder in folders)
    starter = ("unshare", "--mount", "sh", "-c", mounts + 'exec "$@"', "sh")
    if subprocess.run([*starter, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this system lets nobody hide files")
    return starter


def test_a_folder_for_caches_that_nobody_may_write_is_named_and_another_helps(nobodys):
    without = nobodys("/nonexistent/caches")
    listed = without("list")
    assert listed.status == 0
    assert "show no device here" in listed.err and "pocl-opencl-icd" not in listed.err + listed.out
    assert "/nonexistent/caches may not (set XDG_CACHE_HOME to one)" in listed.err
    done = without("run", "--probe", "latency", *SHORT_SWEEP, "-o", "run.jsonl")
    assert done.status == 0, done.err
    records = without.records()
    assert {one["api"] for one in of_kind(records, "sample")} == {"vulkan"}
    (skip,) = of_kind(records, "skip", api="opencl")
    assert "XDG_CACHE_HOME" in skip["reason"] and "pocl-opencl-icd" not in skip["reason"]
    helped = nobodys(without.folder / "caches")("list")
    assert (helped.status, helped.err) == (0, "")


@pytest.mark.parametrize("folders", HIDDEN.values(), ids=HIDDEN)
def test_what_of_the_system_is_hidden_is_named_and_the_rest_is_measured(elsewhere, valid, folders):
    sonde = elsewhere(*hides(folders))
    done = sonde("run", "--device", "cpu", "--probe", "latency", *SHORT_SWEEP, "-o", "run.jsonl")
    assert done.status == 0, done.err
    records = sonde.records()
    valid(records)
    measured = {one["api"] for one in of_kind(records, "sample")}
    disturbed = {skip["api"] for skip in of_kind(records, "skip") if OTHERS_DISTURB in skip["reason"]}
    assert "vulkan" in measured | disturbed
    told = done.err + "".join(skip["reason"] for skip in of_kind(records, "skip"))
    assert "pocl-opencl-icd" not in told and "hwloc" not in told
    if "opencl" not in measured | disturbed:
        for folder in folders:
            assert f" {folder}; or have the container show it" in told
