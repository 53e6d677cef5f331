import os
import signal
import subprocess
import time

import pytest

# Writes a record where sonde would, says so, and ends with the status in $STATUS.
FAKE_SONDE = r"""
case $1 in
  run)
    out=results/new.jsonl
    shift
    while (($#)); do
      case $1 in
        -o | --out) out=$2 ;;
        --out=*) out=${1#--out=} ;;
        -o*) out=${1#-o} ;;
      esac
      shift
    done
    if [[ ${STATUS-0} != 2 && -z ${NO_RECORD-} ]]; then
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
  report)
    [[ -z ${REPORT_FAILS-} ]] || exit 1
    echo page >"$4"
    ;;
esac
"""


@pytest.fixture
def prebuilt(workshop):
    """The workshop with a sonde that is there already, and how to run tools/run with it."""
    program = workshop.fake("sonde", FAKE_SONDE, at=workshop.root / "prebuilt")
    workshop.program = str(program)
    workshop.run = lambda *arguments, **environment: workshop.script(
        "run", *arguments, SONDE_PROGRAM=workshop.program, **environment
    )
    return workshop


def last_lines(record):
    name = record.removesuffix(".jsonl")
    return [f"Record    {record}", f"Pictures  {name}/", f"Open      {name}.html"]


def report_of(record):
    name = record.removesuffix(".jsonl")
    return f"sonde report {record} -o {name}.html --png {name} --svg {name}"


def test_the_newest_record_is_reported_and_named_in_the_last_lines(prebuilt):
    old = prebuilt.cwd / "results" / "old.jsonl"
    old.parent.mkdir()
    old.touch()
    result = prebuilt.run("--effort", "quick")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-3:] == last_lines("results/new.jsonl")
    assert prebuilt.calls() == ["sonde run --effort quick", report_of("results/new.jsonl")]
    assert (prebuilt.cwd / "results" / "new.html").is_file()
    assert (prebuilt.cwd / "results" / "new").is_dir()


@pytest.mark.parametrize(
    "arguments", [["-o", "mine.jsonl"], ["--out", "mine.jsonl"], ["--out=mine.jsonl"], ["-omine.jsonl"]]
)
def test_the_record_that_was_asked_for_is_reported_beside_itself(prebuilt, arguments):
    result = prebuilt.run(*arguments)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-3:] == last_lines("mine.jsonl")
    assert prebuilt.calls() == [f"sonde run {' '.join(arguments)}", report_of("mine.jsonl")]


def test_a_record_without_the_usual_ending_is_not_overwritten_by_its_report(prebuilt):
    result = prebuilt.run("-o", "mine")
    assert result.returncode == 0, result.stderr
    assert (prebuilt.cwd / "mine").is_file()
    assert result.stdout.splitlines()[-1] == "Open      mine.report.html"


@pytest.mark.parametrize("status", [1, 130, 139])
def test_what_was_measured_is_reported_and_the_status_is_that_of_sonde(prebuilt, status):
    result = prebuilt.run(STATUS=str(status))
    assert result.returncode == status
    assert result.stdout.splitlines()[-3:] == last_lines("results/new.jsonl")


def test_after_a_wrong_request_nothing_is_reported(prebuilt):
    old = prebuilt.cwd / "results" / "old.jsonl"
    old.parent.mkdir()
    old.touch()
    result = prebuilt.run("--device", "none", STATUS="2")
    assert (result.returncode, result.stdout) == (2, "")
    assert prebuilt.calls() == ["sonde run --device none"]


def test_a_record_that_was_there_before_and_was_refused_is_not_reported(prebuilt):
    (prebuilt.cwd / "mine.jsonl").touch()
    result = prebuilt.run("-o", "mine.jsonl", STATUS="2")
    assert (result.returncode, result.stdout) == (2, "")
    assert prebuilt.calls() == ["sonde run -o mine.jsonl"]


@pytest.mark.parametrize("status, expected", [(0, 1), (1, 1), (130, 130)])
def test_without_a_record_it_says_so(prebuilt, status, expected):
    result = prebuilt.run(STATUS=str(status), NO_RECORD="1")
    assert result.returncode == expected
    assert "no record file" in result.stderr


@pytest.mark.parametrize("status, expected", [(0, 1), (1, 1), (130, 130)])
def test_a_report_that_fails_is_a_failure_that_names_the_record(prebuilt, status, expected):
    result = prebuilt.run(STATUS=str(status), REPORT_FAILS="1")
    assert result.returncode == expected
    assert "results/new.jsonl" in result.stderr


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
    begun = time.monotonic()
    output, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert output.splitlines()[-3:] == last_lines("results/new.jsonl")
    assert time.monotonic() - begun < 10


def test_a_dry_run_prints_every_command_and_changes_nothing(workshop):
    before = workshop.files()
    result = workshop.script("run", "--dry-run", "--device", "my gpu")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "apt-get update"
    assert "cmake --preset release" in lines and "cmake --build --preset release" in lines
    sonde = f"{workshop.root}/build/release/sonde"
    assert lines[-2] == rf"{sonde} run --device my\ gpu"
    assert lines[-1].startswith(f"{sonde} report results/NAME.jsonl -o results/NAME.html")
    assert workshop.calls() == ["id -u"]
    assert workshop.files() == before


def test_it_installs_and_builds_once_and_then_measures(workshop):
    workshop.make_python_environment()
    workshop.installed(everything_but=[])
    (workshop.root / "CMakePresets.json").write_text("{}")
    program = workshop.fake("sonde", FAKE_SONDE, at=workshop.root / "build" / "release")
    workshop.fake("cmake", "[[ $1 == --build ]] || touch build/release/build.ninja")
    for _ in range(2):
        result = workshop.script("run")
        assert result.returncode == 0, result.stderr
    assert program.exists()
    cmake = [call for call in workshop.calls() if call.startswith("cmake")]
    assert cmake == ["cmake --preset release"] + 2 * ["cmake --build --preset release"]


@pytest.mark.parametrize("failing", ["--preset", "--build"])
def test_a_build_that_fails_measures_nothing(workshop, failing):
    workshop.make_python_environment()
    workshop.installed(everything_but=[])
    workshop.fake("sonde", FAKE_SONDE, at=workshop.root / "build" / "release")
    workshop.fake("cmake", f"[[ $1 != {failing} ]] || {{ echo it broke; exit 1; }}")
    result = workshop.script("run")
    assert result.returncode == 2
    assert "it broke" in result.stderr and "nothing was measured" in result.stderr
    assert not any(call.startswith("sonde") for call in workshop.calls())


def test_help_has_examples_and_names_the_other_help(workshop):
    result = workshop.script("run", "--help")
    assert result.returncode == 0
    assert "--effort quick" in result.stdout and "build/release/sonde run --help" in result.stdout
    assert workshop.calls() == []
