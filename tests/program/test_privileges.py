"""What the program may do: no network, no shell, no program but its own, and no capability that its file has."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from killed_runs import running_in
from program_runs import LONG_SWEEP, Sonde, wait_for_samples

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534
# socketpair is how a worker is told its task.
OF_NETWORKS = {"socket", "connect", "bind", "listen", "accept", "getaddrinfo", "gethostbyname", "sendto"}
OF_SHELLS = {"system", "popen", "wordexp"}
OF_ROOT = {"setuid", "seteuid", "setreuid", "setresuid", "chroot", "mount", "iopl", "ioperm"}


@pytest.mark.skipif(not shutil.which("nm"), reason="nm (binutils) is not installed")
def test_the_program_asks_the_system_for_no_network_shell_or_other_user(program):
    listed = subprocess.run(["nm", "-D", "-P", "-u", program], capture_output=True, text=True, check=True).stdout
    asked = {line.split("@")[0].split()[0] for line in listed.splitlines()}
    assert "socketpair" in asked  # else this would show nothing
    assert asked & (OF_NETWORKS | OF_SHELLS | OF_ROOT) == set()


def test_the_report_asks_the_interpreter_for_no_network_and_no_program_but_sonde(sonde, model_file):
    sonde(
        "run",
        "--device",
        model_file(),
        "--probe",
        "latency",
        "--sizes",
        "4K:64K",
        "--time",
        "1",
        "-o",
        "run.jsonl",
    )
    words = ["run.jsonl", "-o", "page.html", "--csv", "tables"]
    shown = [str(sonde.program), "show", "--json", "run.jsonl"]
    code = f"""
import sys
sys.path.insert(0, {str(ROOT / "tools")!r})
def refuse(event, arguments):
    if event == "subprocess.Popen" and [str(word) for word in arguments[1]] == {shown!r}:
        sys.stderr.write("showed the run\\n")
    elif event.startswith(("socket.connect", "socket.getaddrinfo", "socket.bind", "subprocess.", "os.system", "os.exec",
                         "os.posix_spawn", "pty.")):
        sys.stderr.write(f"asked for: {{event}}\\n")
sys.addaudithook(refuse)
from sonde_tools import report
sys.exit(report.main({words!r}))
"""
    python = ROOT / ".venv/bin/python"
    done = subprocess.run(
        [python if python.exists() else sys.executable, "-c", code],
        cwd=sonde.folder, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "showed the run\n")


@pytest.fixture
def sonde_with_a_capability(program, model_file):
    """A copy of the program whose file has cap_perfmon, in a folder that everybody may use."""
    setcap = shutil.which("setcap", path=f"{os.environ.get('PATH', '')}:/sbin:/usr/sbin")
    if os.geteuid() != 0 or setcap is None:
        pytest.skip("only root, with setcap (libcap2-bin), gives a file capabilities")
    with tempfile.TemporaryDirectory(prefix="sonde-capable-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        copy = folder / "sonde"
        shutil.copy2(program, copy)
        if subprocess.run([setcap, "cap_perfmon+ep", copy], capture_output=True, check=False).returncode != 0:
            pytest.skip("this file system keeps no capabilities")
        yield Sonde(copy, folder)


def capabilities(process):
    status = Path(f"/proc/{process}/status").read_text()
    return {line.split()[0] for line in status.splitlines() if line.startswith("Cap") and int(line.split()[1], 16)}


def test_no_process_of_a_run_keeps_the_capabilities_of_the_file(sonde_with_a_capability):
    sonde = sonde_with_a_capability
    words = ("--device", "model:strix-halo", "--no-progress", "-o", "run.jsonl")
    process = subprocess.Popen(
        [sonde.program, "run", *words, *LONG_SWEEP], cwd=sonde.folder, user=NOBODY, group=NOBODY, extra_groups=[],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        wait_for_samples(sonde.folder / "run.jsonl", 1)
        processes = running_in(process.pid)
        assert len(processes) == 2
        # The bounding set says what could be had, not what is.
        assert [capabilities(each) - {"CapBnd:"} for each in processes] == [set(), set()]
    finally:
        process.kill()
        process.communicate()
