"""The Debian package and the tarball in a bare Debian: installed, used as a user would, and removed again.

The tests of a machine follow one another, each from where the one before has left it.
"""

import json
import re

import pytest
from conftest import PNG, done, only

# As README says it, and what takes seconds.
QUICK = ("run", "--device", "cpu", "--effort", "quick")
LATENCY = (*QUICK, "--probe", "latency")
DRAW = ("report", "run.jsonl", "-o", "run.html", "--png", "pictures")
COMPLETE = """
. /usr/share/bash-completion/completions/sonde
COMP_WORDS=(sonde "$@")
COMP_CWORD=$#
_sonde 2>/dev/null
echo "${COMPREPLY[@]}"
"""


def records(machine, folder):
    return [json.loads(line) for line in machine.read(f"{folder}/run.jsonl").splitlines()]


def apis_of_samples(all_records):
    return {one["api"] for one in all_records if one["record"] == "sample"}


def holds_pictures(machine, folder):
    """Whether a report has been drawn there, with charts in the page and beside it."""
    page = machine.read(f"{folder}/run.html").decode()
    pictures = sorted(machine.in_layer(f"{folder}/pictures").glob("*.png"))
    return "<svg" in page and pictures and all(picture.read_bytes().startswith(PNG) for picture in pictures)


@pytest.fixture(scope="module")
def installed(machine):
    """The machine, with the package installed by apt alone, as a user would."""
    machine.put(only("sonde_*.deb"), "tmp/sonde.deb")
    done(machine("apt-get", "install", "-y", "/tmp/sonde.deb"))
    return machine


def test_apt_installs_it_with_loaders_and_drivers(installed):
    status = done(installed("dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n")).splitlines()
    for package in ("sonde", "libvulkan1", "ocl-icd-libopencl1", "pocl-opencl-icd", "mesa-vulkan-drivers", "python3"):
        assert f"{package} installed" in status
    version = done(installed("sonde", "--version"))
    assert re.fullmatch(r"sonde \d+\.\d+\.\d+ \([0-9a-f]{12}(-dirty)?\)\n", version)


def test_it_measures_latency_and_draws_it_with_nothing_else_installed(installed):
    folder = installed.folder("latency")
    done(installed.as_nobody("sonde", *LATENCY, "-o", "run.jsonl", folder=folder))
    done(installed.as_nobody("sonde", *DRAW, folder=folder))
    assert holds_pictures(installed, folder)
    measured = records(installed, folder)
    assert measured[-1]["record"] == "end" and measured[-1]["status"] == "complete"
    assert apis_of_samples(measured) == {"opencl", "vulkan"}
    compared = done(installed.as_nobody("sonde", "compare", "run.jsonl", "run.jsonl", folder=folder))
    assert " features: " in compared


def test_every_probe_finds_what_it_needs_and_is_drawn(installed):
    folder = installed.folder("all")
    words = (*QUICK, "--sizes", "4K:256K", "--silence-limit", "300", "-o", "run.jsonl")
    done(installed.as_nobody("sonde", *words, folder=folder, timeout=1500))
    done(installed.as_nobody("sonde", *DRAW, folder=folder))
    assert holds_pictures(installed, folder)
    measured = records(installed, folder)
    assert measured[-1]["status"] == "complete" and measured[-1]["errors"] == 0
    assert apis_of_samples(measured) == {"opencl", "vulkan", "cpu"}


def test_it_brings_its_manual_and_completions(installed):
    pages = done(installed("sh", "-c", "cd /usr/share/man/man1 && ls sonde*.1*")).split()
    commands = ("", "-compare", "-levels", "-list", "-report", "-run", "-watch")
    assert [page.removesuffix(".gz") for page in pages] == sorted(f"sonde{command}.1" for command in commands)
    (of_run,) = [page for page in pages if page.startswith("sonde-run.")]
    assert "\\-\\-effort" in done(installed("zcat", "-f", f"/usr/share/man/man1/{of_run}"))
    for words, offered in ((["re"], "report"), (["run", "--api", "v"], "vulkan"), (["report", "--pn"], "--png")):
        assert done(installed("bash", "-c", COMPLETE, "bash", *words)).split() == [offered]
    assert done(installed("head", "-n", "1", "/usr/share/zsh/vendor-completions/_sonde")) == "#compdef sonde\n"


def test_apt_removes_all_of_it_but_the_results(installed):
    files = done(installed("dpkg-query", "-L", "sonde")).split()
    own = [file for file in files if "sonde" in file]
    # As root, who could leave what Python compiles where the package was.
    done(installed("sonde", "compare", "/home/latency/run.jsonl", "/home/latency/run.jsonl"))
    done(installed("apt-get", "remove", "-y", "sonde"))
    left = done(installed("find", "/usr", "/etc", "/var/lib/dpkg/info", "-name", "*sonde*")).split()
    assert left == []
    assert len(own) > 100 and not any(installed.has(file) for file in own)
    assert records(installed, "/home/latency")


def test_the_tarball_works_where_it_is_unpacked_and_where_it_is_moved_to(installed):
    installed.put(only("sonde-*.tar.gz"), "tmp/sonde.tar.gz")
    done(
        installed(
            "sh", "-c", "mkdir /opt/here && tar -xzf /tmp/sonde.tar.gz -C /opt/here && mv /opt/here/sonde-* /opt/moved"
        )
    )
    linked = done(installed("ldd", "/opt/moved/bin/sonde"))
    names = {name.rpartition("/")[2] for name in re.findall(r"^\s*(\S+?)\.so", linked, re.MULTILINE)}
    assert names <= {"linux-vdso", "libc", "libm", "ld-linux-x86-64"}, linked
    folder = installed.folder("tarball")
    short = (*LATENCY, "--sizes", "4K:64K", "-o", "run.jsonl")
    done(installed.as_nobody("/opt/moved/bin/sonde", *short, folder=folder))
    done(installed.as_nobody("/opt/moved/bin/sonde", *DRAW, folder=folder))
    assert holds_pictures(installed, folder)
