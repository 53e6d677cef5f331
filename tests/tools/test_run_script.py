import os
import signal
import subprocess
import time

import pytest

# Writes a record where sonde would, and ends with the status in $STATUS.
FAKE_SONDE = r"""
case $1 in
  run)
    out=results/new.jsonl
    case ${2-} in
      -o | --out) out=$3 ;;
      --out=*) out=${2#--out=} ;;
    esac
    if [[ ${STATUS-0} != 2 ]]; then
      [[ $out != results/* ]] || mkdir -p results
      echo '{"record": "run"}' >"$out"
    fi
    if [[ -n ${WAIT-} ]]; then
      [[ $WAIT == dies ]] || trap 'exit 130' INT
      echo measuring
      while sleep 0.1; do :; done
    fi
    exit "${STATUS-0}"
    ;;
  report) echo page >"$4" ;;
esac
"""


@pytest.fixture
def prebuilt(workshop):
    """The workshop with a sonde that is there already, and how to run tools/run with it."""
    program = workshop.fake("sonde", FAKE_SONDE, at=workshop.root / "prebuilt")
    workshop.program = str(program)
    workshop.run = lambda *words, **more: workshop.script("run", *words, SONDE_PROGRAM=workshop.program, **more)
    old = workshop.cwd / "results" / "old.jsonl"
    old.parent.mkdir()
    old.touch()
    return workshop


def last_lines(record):
    name = record.removesuffix(".jsonl")
    return [f"Record    {record}", f"Pictures  {name}/", f"Open      {name}.html"]


def report_of(record):
    name = record.removesuffix(".jsonl")
    return f"sonde report {record} -o {name}.html --png {name} --svg {name}"


@pytest.mark.parametrize(
    "words, record",
    [
        (["--effort", "quick"], "results/new.jsonl"),
        (["-o", "mine.jsonl"], "mine.jsonl"),
        (["--out=mine.jsonl"], "mine.jsonl"),
    ],
)
def test_the_new_record_is_reported_and_named_in_the_last_lines(prebuilt, words, record):
    result = prebuilt.run(*words)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-3:] == last_lines(record)
    assert prebuilt.calls() == [f"sonde run {' '.join(words)}", report_of(record)]
    assert (prebuilt.cwd / record).with_suffix(".html").is_file()


def test_a_record_without_the_usual_ending_is_not_overwritten_by_its_report(prebuilt):
    assert prebuilt.run("-o", "mine").stdout.splitlines()[-1] == "Open      mine.report.html"
    assert (prebuilt.cwd / "mine").is_file()


@pytest.mark.parametrize("status", [1, 130, 139])
def test_what_was_measured_is_reported_and_the_status_is_that_of_sonde(prebuilt, status):
    result = prebuilt.run(STATUS=str(status))
    assert result.returncode == status
    assert result.stdout.splitlines()[-3:] == last_lines("results/new.jsonl")


def test_after_a_wrong_request_nothing_is_reported(prebuilt):
    result = prebuilt.run("--device", "none", STATUS="2")
    assert (result.returncode, result.stdout) == (2, "")
    assert prebuilt.calls() == ["sonde run --device none"]


def started(workshop, **environment):
    """tools/run as a terminal starts it, at the head of a group of processes."""
    return subprocess.Popen(
        [workshop.root / "tools" / "run"],
        cwd=workshop.cwd,
        env=workshop.environment(**environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell starts what is in its background with the signal ignored, and that is inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


@pytest.mark.parametrize("sonde", ["ends by itself", "dies"])
def test_ctrl_c_ends_the_measuring_but_not_the_report(prebuilt, sonde):
    process = started(prebuilt, SONDE_PROGRAM=prebuilt.program, WAIT=sonde)
    assert process.stdout.readline() == "measuring\n"
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the script and to sonde
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert output.splitlines()[-3:] == last_lines("results/new.jsonl")


@pytest.fixture
def clone(workshop):
    """A workshop in which all is installed but the report's Python packages, and cmake builds a fake sonde."""
    workshop.make_python_environment()
    (workshop.root / ".venv" / "requirements.txt.installed").unlink()
    workshop.installed(everything_but=[])
    workshop.fake("sonde", FAKE_SONDE, at=workshop.root / "build" / "release")
    workshop.builds = lambda does: workshop.fake("cmake", f"[[ $1 != --build ]] || {{ {does}; }}")
    workshop.builds("true")
    workshop.pip = lambda does: workshop.fake(
        "python", f'[[ $* != *"pip install"* ]] || {{ {does}; }}', at=workshop.root / ".venv" / "bin"
    )
    return workshop


def meet(mine, other):
    """Shell words that note their start, and fail unless the other's is noted within ten seconds."""
    return f"touch ~/{mine}; for i in {{1..100}}; do [[ ! -e ~/{other} ]] || exit 0; sleep 0.1; done; exit 1"


def test_the_reports_packages_are_installed_beside_the_build(clone):
    clone.builds(meet("build", "pip"))
    clone.pip(meet("pip", "build") + "; echo not to be seen")
    result = clone.script("run")
    assert result.returncode == 0, result.stderr
    assert "not to be seen" not in result.stderr
    assert result.stdout.splitlines()[-3:] == last_lines("results/new.jsonl")
    assert [call for call in clone.calls() if call.startswith("sonde")] == ["sonde run", report_of("results/new.jsonl")]


def test_where_the_reports_packages_cannot_be_installed_the_record_is_kept_and_how_to_draw_it_is_said(clone):
    clone.pip("echo the shelf is empty; exit 1")
    result = clone.script("run")
    assert result.returncode == 1
    assert (clone.cwd / "results" / "new.jsonl").is_file()
    assert "the shelf is empty" in result.stderr
    name = "results/new"
    assert result.stderr.splitlines()[-1] == (
        f"  {clone.root}/tools/setup report && {clone.root}/build/release/{report_of(f'{name}.jsonl')}"
    )
    assert [call for call in clone.calls() if call.startswith("sonde")] == ["sonde run"]


def test_drivers_that_cannot_be_installed_cost_neither_the_measuring_nor_the_report(clone):
    clone.installed(everything_but=["pocl-opencl-icd"])
    clone.fake("apt-get", "echo E: the shelf is empty; exit 100")
    result = clone.script("run")
    assert result.returncode == 0
    assert "drivers for the CPU failed" in result.stderr and "E: the shelf is empty" in result.stderr
    assert result.stdout.splitlines()[-3:] == last_lines("results/new.jsonl")


def test_ctrl_c_ends_the_build_and_what_is_installed_beside_it(clone):
    clone.builds(
        "while [[ ! -e ~/pip ]]; do sleep 0.1; done; echo building >&2; trap 'exit 2' INT; while sleep 0.1; do :; done"
    )
    clone.pip("echo $$ >~/pip; while sleep 0.1; do :; done")
    process = started(clone)
    while process.stderr.readline() != "building\n":
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    pip = int((clone.cwd / "pip").read_text())
    for _ in range(100):
        if not os.path.exists(f"/proc/{pip}"):
            break
        time.sleep(0.1)
    else:
        pytest.fail("pip goes on")
    assert not any(call.startswith("sonde") for call in clone.calls())


def test_a_build_that_fails_measures_nothing(workshop):
    workshop.make_python_environment()
    workshop.installed(everything_but=[])
    workshop.fake("sonde", FAKE_SONDE, at=workshop.root / "build" / "release")
    workshop.fake("cmake", "[[ $1 != --build ]] || { echo it broke; exit 1; }")
    result = workshop.script("run")
    assert result.returncode == 2
    assert "it broke" in result.stderr and "nothing was measured" in result.stderr
    assert not any(call.startswith("sonde") for call in workshop.calls())
