import os
import signal
import subprocess

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


@pytest.mark.parametrize("sonde", ["ends by itself", "dies"])
def test_ctrl_c_ends_the_measuring_but_not_the_report(prebuilt, sonde):
    process = subprocess.Popen(
        [prebuilt.root / "tools" / "run"],
        cwd=prebuilt.cwd,
        env=prebuilt.environment(SONDE_PROGRAM=prebuilt.program, WAIT=sonde),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell starts what is in its background with the signal ignored, and that is inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout.readline() == "measuring\n"
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the script and to sonde
    output, errors = process.communicate(timeout=10)
    assert process.returncode == 130, errors
    assert output.splitlines()[-3:] == last_lines("results/new.jsonl")


def test_a_build_that_fails_measures_nothing(workshop):
    workshop.make_python_environment()
    workshop.installed(everything_but=[])
    workshop.fake("sonde", FAKE_SONDE, at=workshop.root / "build" / "release")
    workshop.fake("cmake", "[[ $1 != --build ]] || { echo it broke; exit 1; }")
    result = workshop.script("run")
    assert result.returncode == 2
    assert "it broke" in result.stderr and "nothing was measured" in result.stderr
    assert not any(call.startswith("sonde") for call in workshop.calls())
