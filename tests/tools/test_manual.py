"""tools/manual.py: pages and completions from --help, as CLI11 and argparse write it."""

import gzip
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAIN = """Sonde measures.
Usage: sonde [OPTIONS] SUBCOMMAND

Options:
  -h,--help                   Print this help message and exit

Examples:
  sonde run
"""
CLI11 = """Measure, write a record file
Usage: sonde run [OPTIONS] [-- COMMAND...]

Options:
  --api TEXT:{opencl,vulkan}=vulkan
                              Through which API
  --probe NAME[,NAME...] ...  Which probes: latency, zero-copy (default: all that apply)
  -o,--out FILE               Record file; don't be afraid
  --seed N=1                  Seed [of every choice]

Examples:
  sonde run --effort quick            a first look
.hidden

Efforts, by the device's time:
  quick
"""
ARGPARSE = """usage: sonde report [-h] -o OUT.html
                    FILE

Makes a page.

positional arguments:
  FILE                  record file

options:
  -o OUT.html, --out OUT.html
                        the page to write
  --match {device,name}
                        how devices are paired
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """What is made of a program that says the above, whatever its command."""
    folder = tmp_path_factory.mktemp("manual")
    texts = {"--help": MAIN, "report": ARGPARSE, "compare": ARGPARSE, "*": CLI11}
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text)
    program = folder / "sonde"
    cases = '--help|report|compare) cat "$folder/$1.txt" ;; *) cat "$folder/*.txt" ;;'
    program.write_text(f"#!/bin/sh\nfolder={folder}\ncase $1 in {cases} esac\n")
    program.chmod(0o755)
    words = [sys.executable, ROOT / "tools/manual.py", folder / "out", "9.8", program]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder / "out"


def page(made, name):
    return gzip.decompress((made / "man1" / f"{name}.1.gz").read_bytes()).decode()


def test_there_is_a_page_for_each_command(made):
    names = ("", "-compare", "-levels", "-list", "-report", "-run", "-watch")
    assert sorted(file.name for file in (made / "man1").iterdir()) == sorted(f"sonde{name}.1.gz" for name in names)
    assert '.TH SONDE 1 "" "sonde 9.8"' in page(made, "sonde")
    assert "\\fBsonde\\-run\\fR(1)\nMeasure, write a record file" in page(made, "sonde")


def test_a_page_has_options_defaults_and_examples_as_they_stand(made):
    text = page(made, "sonde-run")
    assert "\\fB\\-\\-api\\fR \\fI{opencl,vulkan}\\fR\nThrough which API (default: vulkan)" in text
    assert "\\fB\\-o\\fR, \\fB\\-\\-out\\fR \\fIFILE\\fR" in text
    assert "\n\\&.hidden\n" in text
    text = page(made, "sonde-report")
    assert "\\fB\\-o\\fR, \\fB\\-\\-out\\fR \\fIOUT.html\\fR\nthe page to write" in text
    assert ".SH ARGUMENTS\n.TP\nFILE\nrecord file" in text.replace("\\fIFILE\\fR", "FILE")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["re"], ["report"]),
        (["run", "--api", ""], ["opencl", "vulkan"]),
        (["run", "--probe", "z"], ["zero-copy"]),
        (["run", "--se"], ["--seed"]),
        (["report", "--match", "d"], ["device"]),
        (["run", "x"], []),
        (["watch", "--", "mapfil"], ["mapfile"]),
    ],
)
def test_bash_offers_what_help_has(made, words, offered):
    script = '. "$0"; COMP_WORDS=(sonde "$@"); COMP_CWORD=$#; _sonde 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(
        ["bash", "-c", script, made / "sonde.bash", *words], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.split() == offered


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_can_read_what_is_made_for_it(made):
    done = subprocess.run(["zsh", "-n", made / "_sonde"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "'*::program:_normal'" in (made / "_sonde").read_text()


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_groff_warns_of_nothing(made):
    for file in (made / "man1").iterdir():
        done = subprocess.run(
            ["groff", "-man", "-ww", "-z", "-Tascii"], input=gzip.decompress(file.read_bytes()), capture_output=True
        )
        assert (done.returncode, done.stderr) == (0, b"")
