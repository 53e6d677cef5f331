"""A copy of the scripts in a folder of its own, and a PATH on which nothing can install, build or measure."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("tools/requirements.txt", "tests/requirements-test.txt")
# All that the scripts may take from the real machine.
REAL_COMMANDS = "basename bash cat dirname env grep mkdir mktemp realpath rm sha256sum sleep tail touch".split()
OS_RELEASES = {
    "debian-12": ("debian", "12", "Debian GNU/Linux 12 (bookworm)"),
    "debian-13": ("debian", "13", "Debian GNU/Linux 13 (trixie)"),
    "ubuntu-24.04": ("ubuntu", "24.04", "Ubuntu 24.04.2 LTS"),
    "fedora-42": ("fedora", "42", "Fedora Linux 42 (Workstation Edition)"),
}


class Workshop:
    """tools/ in a temporary repository, with fake commands that write what they are called with to `calls`."""

    def __init__(self, folder):
        self.root = folder / "repo"
        self.commands = folder / "bin"
        self.log = folder / "calls.txt"
        self.os_release = folder / "os-release"
        self.cwd = folder / "elsewhere"
        for made in (self.root / "tools", self.root / "tests", self.commands, self.cwd):
            made.mkdir(parents=True)
        for script in ("setup", "run"):
            shutil.copy2(ROOT / "tools" / script, self.root / "tools" / script)
        for lock in LOCKS:
            (self.root / lock).write_text("# nothing\n")
        for command in REAL_COMMANDS:
            (self.commands / command).symlink_to(shutil.which(command, path="/usr/bin:/bin"))
        self.system("debian-12")
        self.fake("id", "echo 0")
        self.fake("apt-get")
        self.installed()

    def fake(self, name, body="", at=None):
        """A command that notes its call and then does `body`."""
        file = (at or self.commands) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        noted = f'printf "%s\\n" "{name} $*" >>"{self.log}"\n'
        file.write_text(f"#!/usr/bin/env bash\n{noted}{body}\n")
        file.chmod(0o755)
        return file

    def system(self, name):
        identity, version, pretty = OS_RELEASES[name]
        self.os_release.write_text(f'ID={identity}\nVERSION_ID="{version}"\nPRETTY_NAME="{pretty}"\n')

    def installed(self, *packages, everything_but=None):
        """What dpkg-query says is there: these packages, or everything it is asked for but some."""
        if everything_but is None:
            said = "; ".join(f"echo installed {package}" for package in packages) or "exit 1"
        else:
            but = "|".join(everything_but) or "-"
            said = (
                'for p in "${@:4}"; do case $p in '
                + but
                + ') status=1 ;; *) echo "installed $p" ;; esac; done; exit ${status-0}'
            )
        file = self.commands / "dpkg-query"
        file.write_text(f"#!/usr/bin/env bash\n{said}\n")
        file.chmod(0o755)

    def environment(self, **more):
        return {
            "PATH": str(self.commands),
            "HOME": str(self.cwd),
            "SONDE_OS_RELEASE": str(self.os_release),
            **more,
        }

    def script(self, name, *arguments, **environment):
        return subprocess.run(
            [self.root / "tools" / name, *arguments],
            cwd=self.cwd,
            env=self.environment(**environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def calls(self):
        return self.log.read_text().splitlines() if self.log.exists() else []

    def files(self):
        """Everything in the repository and the caller's folder, to see that nothing changed."""
        return sorted(str(path) for folder in (self.root, self.cwd) for path in folder.rglob("*"))

    def make_python_environment(self):
        """A stand-in for .venv whose python notes its calls; its stamps say that all is installed."""
        self.fake("python", '[[ $1 != -V ]] || echo "Python 3.0"', at=self.root / ".venv" / "bin")
        for lock in map(Path, LOCKS):
            checksum = subprocess.run(
                "sha256sum", stdin=open(self.root / lock), capture_output=True, text=True, check=True
            ).stdout.strip()
            (self.root / ".venv" / f"{lock.name}.installed").write_text(f"Python 3.0 {checksum}\n")


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path)
