import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = [
    "tools/setup", "tools/run", "tools/test", "tools/test_apart.bash", "tools/tidy", ".ci/run", "tools/sonde-report",
    "tools/arm64_run", "tools/arm64_sysroot", "tools/bare_roots", "tools/windows_packages",
]  # fmt: skip


def packages_of(result):
    """The packages that a dry run would install."""
    installs = [line for line in result.stdout.splitlines() if " install -y " in line]
    return set(installs[0].split("--no-remove ")[1].split()) if installs else set()


def test_a_dry_run_prints_the_commands_and_changes_nothing(workshop):
    before = workshop.files()
    result = workshop.script("setup", "--dry-run")
    assert result.returncode == 0
    update, install, venv, pip = result.stdout.splitlines()
    assert update == "apt-get update"
    assert install.startswith("env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ")
    assert venv == f"/usr/bin/python3 -m venv --clear {workshop.root}/.venv"
    assert pip.endswith(f"--require-hashes -r {workshop.root}/tools/requirements.txt")
    assert workshop.files() == before


def test_only_what_is_missing_is_installed_after_one_update(workshop):
    workshop.make_python_environment()
    workshop.installed(everything_but=["cmake", "libhwloc-dev"])
    assert workshop.script("setup").returncode == 0
    assert [call for call in workshop.calls() if call.startswith("apt-get")] == [
        "apt-get update",
        "apt-get install -y --no-install-recommends --no-remove cmake libhwloc-dev",
    ]


def test_the_parts_of_a_run_are_all_of_it_and_read_the_lists_of_packages_once(workshop):
    workshop.make_python_environment()
    parts = [workshop.script("setup", part) for part in ("build", "drivers", "report")]
    assert [part.returncode for part in parts] == [0, 0, 0]
    calls = [call for call in workshop.calls() if call.startswith("apt-get")]
    assert [call.split()[1] for call in calls] == ["update", "install", "install"]
    installed = {package for call in calls[1:] for package in call.split("--no-remove ")[1].split()}
    assert installed == packages_of(workshop.script("setup", "run", "--dry-run"))


def test_nothing_is_done_when_nothing_is_missing(workshop):
    workshop.make_python_environment()
    workshop.installed(everything_but=[])
    for purpose in ("run", "test"):
        result = workshop.script("setup", purpose)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "==> nothing to install\n")


def test_a_package_that_left_its_configuration_or_only_begins_alike_is_missing(workshop):
    workshop.make_python_environment()
    (workshop.commands / "dpkg-query").write_text(
        "#!/usr/bin/env bash\necho installed git-lfs; echo installed cmake; echo config-files ninja-build\n"
    )
    missing = packages_of(workshop.script("setup", "--dry-run"))
    assert {"git", "ninja-build"} <= missing and "cmake" not in missing


@pytest.mark.parametrize("system", ["debian-12", "debian-13", "ubuntu-24.04"])
@pytest.mark.parametrize(
    "purpose, more", [("test", {"libgtest-dev", "clang-19"}), ("package", {"debootstrap"}), ("windows", {"wine64"})]
)
def test_each_purpose_needs_more_than_a_run(workshop, system, purpose, more):
    workshop.system(system)
    run = packages_of(workshop.script("setup", "run", "--dry-run"))
    assert {"cmake", "g++", "libvulkan-volk-dev", "pocl-opencl-icd"} <= run and not more & run
    result = workshop.script("setup", purpose, "--dry-run")
    if purpose != "test" and system.startswith("ubuntu"):
        assert result.returncode == 2
        assert "is for Debian 12 and 13 alone" in result.stderr
    else:
        assert more <= packages_of(result)


def test_without_root_and_sudo_it_says_what_to_run(workshop):
    workshop.fake("id", "echo 1000")
    workshop.installed(everything_but=["cmake"])
    result = workshop.script("setup")
    assert result.returncode == 2
    assert result.stderr == (
        "tools/setup: installing needs root, and there is no sudo; run this as root: apt-get install cmake\n"
    )


def test_another_system_gets_one_sentence_with_what_is_needed(workshop):
    workshop.system("fedora-42")
    result = workshop.script("setup")
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    for word in ("Fedora Linux 42", "cmake", "glslangValidator", "<volk.h>", "README.md"):
        assert word in result.stderr
    assert not any(call.startswith("apt-get") for call in workshop.calls())


def test_a_failure_shows_the_end_of_the_log(workshop):
    workshop.fake("apt-get", "echo E: the shelf is empty; exit 100")
    result = workshop.script("setup")
    assert result.returncode == 1
    assert "E: the shelf is empty" in result.stderr
    assert "apt-get update" in result.stderr.splitlines()[-1]


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="shellcheck is not installed")
def test_shellcheck_finds_nothing():
    result = subprocess.run(["shellcheck", *SCRIPTS], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
