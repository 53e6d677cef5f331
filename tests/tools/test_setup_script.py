import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = [
    "tools/setup", "tools/run", "tools/test", "tools/tidy", ".ci/run", "tools/sonde-report", "tools/arm64_run",
    "tools/arm64_sysroot", "tools/bare_roots", "tools/windows_packages",
]  # fmt: skip


def commands(result):
    return result.stdout.splitlines()


def packages_of(result):
    """The packages that a dry run would install."""
    installs = [line for line in commands(result) if " install -y " in line]
    return set(installs[0].split("--no-remove ")[1].split()) if installs else set()


def test_a_dry_run_prints_the_commands_and_changes_nothing(workshop):
    before = workshop.files()
    result = workshop.script("setup", "--dry-run")
    assert result.returncode == 0
    update, install, venv, pip = commands(result)
    assert update == "apt-get update"
    assert install.startswith("env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ")
    assert venv == f"/usr/bin/python3 -m venv --clear {workshop.root}/.venv"
    assert pip.endswith(f"--require-hashes -r {workshop.root}/tools/requirements.txt")
    assert workshop.calls() == ["id -u"]
    assert workshop.files() == before


def test_only_what_is_missing_is_installed_after_one_update(workshop):
    workshop.make_python_environment()
    workshop.installed(everything_but=["cmake", "libhwloc-dev"])
    result = workshop.script("setup")
    assert result.returncode == 0
    assert "==> installing cmake libhwloc-dev" in result.stderr
    assert [call for call in workshop.calls() if call.startswith("apt-get")] == [
        "apt-get update",
        "apt-get install -y --no-install-recommends --no-remove cmake libhwloc-dev",
    ]


def test_nothing_is_done_when_nothing_is_missing(workshop):
    workshop.make_python_environment()
    workshop.installed(everything_but=[])
    for arguments in (["run"], ["test"], ["test", "--dry-run"]):
        result = workshop.script("setup", *arguments)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "==> nothing to install\n")
    assert set(workshop.calls()) == {"python -V"}


def test_a_package_that_was_removed_but_left_its_configuration_is_missing(workshop):
    workshop.make_python_environment()
    workshop.installed(everything_but=["cmake"])
    dpkg_query = workshop.commands / "dpkg-query"
    dpkg_query.write_text(dpkg_query.read_text().replace("status=1", 'echo "config-files $p"'))
    assert packages_of(workshop.script("setup", "--dry-run")) == {"cmake"}


def test_a_package_whose_name_only_begins_alike_is_another_one(workshop):
    workshop.make_python_environment()
    workshop.installed("git-lfs", "cmake-data", "cmake")
    missing = packages_of(workshop.script("setup", "--dry-run"))
    assert "git" in missing and "cmake" not in missing


@pytest.mark.parametrize("system", ["debian-12", "debian-13", "ubuntu-24.04"])
def test_tests_need_more_than_a_run(workshop, system):
    workshop.system(system)
    run = packages_of(workshop.script("setup", "run", "--dry-run"))
    test = packages_of(workshop.script("setup", "test", "--dry-run"))
    assert {"cmake", "g++", "libvulkan-volk-dev", "pocl-opencl-icd", "mesa-vulkan-drivers"} <= run
    more = {"libgtest-dev", "vulkan-validationlayers", "shellcheck", "clang-19"}
    more |= {"libclang-rt-19-dev"}
    browser = {"chromium", "chromium-driver"}
    own = {"debian-12": browser | {"oclgrind"}, "debian-13": browser, "ubuntu-24.04": {"oclgrind"}}
    assert test - run == more | own[system]


@pytest.mark.parametrize(
    ("purpose", "more", "last"),
    [
        ("package", {"debootstrap", "dpkg-dev"}, "tools/bare_roots"),
        ("arm64", {"g++-aarch64-linux-gnu", "qemu-user-static"}, "tools/arm64_sysroot"),
    ],
)
def test_packages_and_arm64_need_what_no_ordinary_test_does(workshop, purpose, more, last):
    run = packages_of(workshop.script("setup", "run", "--dry-run"))
    result = workshop.script("setup", purpose, "--dry-run")
    assert more <= packages_of(result) - run
    assert commands(result)[-1] == f"{workshop.root}/{last}"
    assert not more & packages_of(workshop.script("setup", "test", "--dry-run"))


@pytest.mark.parametrize("purpose", ["package", "arm64"])
def test_where_there_is_no_debian_they_are_refused(workshop, purpose):
    workshop.system("fedora-42")
    result = workshop.script("setup", purpose)
    assert result.returncode == 2
    assert result.stderr == f"tools/setup: '{purpose}' is for Debian 12 and 13 alone, whose packages it unpacks\n"


def test_sudo_is_used_when_not_root(workshop):
    workshop.make_python_environment()
    workshop.fake("id", "echo 1000")
    workshop.fake("sudo", '"$@"')
    result = workshop.script("setup")
    assert result.returncode == 0
    calls = [call for call in workshop.calls() if call.startswith("sudo")]
    assert calls[0] == "sudo apt-get update"
    assert calls[1].startswith("sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y ")


def test_without_root_and_sudo_it_says_what_to_run(workshop):
    workshop.fake("id", "echo 1000")
    workshop.installed(everything_but=["cmake"])
    result = workshop.script("setup")
    assert result.returncode == 2
    assert result.stderr == (
        "tools/setup: installing needs root, and there is no sudo; run this as root: apt-get install cmake\n"
    )
    assert not (workshop.root / ".venv").exists()


def test_another_system_gets_one_sentence_with_what_is_needed(workshop):
    workshop.system("fedora-42")
    result = workshop.script("setup")
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    for word in ("Fedora Linux 42", "cmake", "glslangValidator", "<volk.h>", "README.md"):
        assert word in result.stderr
    assert not any(call.startswith("apt-get") for call in workshop.calls())


def test_another_system_that_has_everything_goes_on(workshop):
    workshop.system("fedora-42")
    workshop.make_python_environment()
    for command in "cmake ninja c++ pkg-config git glslangValidator spirv-val".split():
        workshop.fake(command)
    result = workshop.script("setup")
    assert (result.returncode, result.stderr) == (0, "==> nothing to install\n")


def test_a_system_that_says_nothing_of_itself_is_another_system(workshop):
    workshop.os_release.unlink()
    result = workshop.script("setup")
    assert result.returncode == 2
    assert "this is unknown" in result.stderr


def test_a_failure_shows_the_end_of_the_log(workshop):
    workshop.fake("apt-get", "echo E: the shelf is empty; exit 100")
    result = workshop.script("setup")
    assert result.returncode == 1
    assert "E: the shelf is empty" in result.stderr
    assert "apt-get update" in result.stderr.splitlines()[-1]
    assert "E: the shelf is empty" in (workshop.root / "build" / "setup.log").read_text()


def test_unknown_arguments_are_refused_and_help_is_short(workshop):
    assert workshop.script("setup", "everything").returncode == 2
    help_text = workshop.script("setup", "--help")
    assert help_text.returncode == 0
    assert "--dry-run" in help_text.stdout


def test_the_python_environment_is_made_once_and_again_when_it_is_broken(workshop):
    """The one test with a real interpreter; its lock files are empty, so that nothing is downloaded."""
    if subprocess.run(["/usr/bin/python3", "-c", "import ensurepip"], capture_output=True).returncode:
        pytest.skip("python3-venv is not installed")
    workshop.installed(everything_but=[])

    def setup():
        result = workshop.script("setup")
        assert result.returncode == 0, result.stderr
        return result.stderr

    making, installing = "==> making the Python environment", "==> installing the Python packages"
    assert making in (first := setup()) and installing in first
    assert setup() == "==> nothing to install\n"

    (workshop.root / "tools" / "requirements.txt").write_text("# changed\n")
    assert making not in (changed := setup()) and installing in changed

    venv = workshop.root / ".venv"
    shutil.rmtree(next(venv.glob("lib/python3*/site-packages/pip/_vendor")))
    (venv / "requirements.txt.installed").unlink()
    assert making in setup()
    assert setup() == "==> nothing to install\n"


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="shellcheck is not installed")
def test_shellcheck_finds_nothing():
    result = subprocess.run(["shellcheck", *SCRIPTS], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_the_windows_program_needs_its_compiler_wine_and_libraries_of_its_own(workshop):
    workshop.fake("windows_packages", "exit 1", at=workshop.root / "tools")
    run = packages_of(workshop.script("setup", "run", "--dry-run"))
    result = workshop.script("setup", "windows", "--dry-run")
    assert {"g++-mingw-w64-x86-64-posix", "wine64", "xvfb"} <= packages_of(result) - run
    assert commands(result)[-1] == f"{workshop.root}/tools/windows_packages"
    workshop.fake("windows_packages", at=workshop.root / "tools")
    assert not any("windows_packages" in line for line in commands(workshop.script("setup", "windows", "--dry-run")))


@pytest.mark.parametrize("purpose", ["package", "arm64", "windows"])
def test_what_is_made_of_debians_packages_is_made_on_debian_alone(workshop, purpose):
    workshop.system("ubuntu-24.04")
    result = workshop.script("setup", purpose, "--dry-run")
    assert result.returncode == 2
    assert result.stderr == f"tools/setup: '{purpose}' is for Debian 12 and 13 alone, whose packages it unpacks\n"
