"""Bare Debians to install into: each a layer of its own over what tools/bare_roots made, gone at the end."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/package"
PNG = b"\x89PNG\r\n"
# Mounts are this process's alone, so that none is left behind when it is killed.
ENTER = """
set -e
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/root"
mount --bind "$3" "$2/root/var/cache/apt/archives"
mount --rbind /dev "$2/root/dev"
mount --rbind /sys "$2/root/sys"
mount -t proc proc "$2/root/proc"
root=$2/root
shift 3
exec chroot "$root" "$@"
"""


def done(result):
    """The standard output of what ended well."""
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    return result.stdout


def only(pattern):
    """The one file of build/package of that name."""
    found = sorted(BUILD.glob(pattern))
    if len(found) != 1:
        pytest.fail(f"tools/test --package makes {BUILD / pattern}; here are {len(found)}")
    return found[0]


@dataclass(frozen=True)
class Machine:
    """A bare Debian. What is written into it stays until the end of the tests that share it."""

    suite: str
    layer: Path

    def __call__(self, *words, timeout=900):
        """Runs a command there as root, and returns how it ended."""
        bare = ROOT / "build/bare"
        enter = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh"]
        return subprocess.run(
            [*enter, bare / self.suite, self.layer, bare / f"archives-{self.suite}", *words],
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
                 "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False,
        )  # fmt: skip

    def as_nobody(self, *words, folder, timeout=900):
        """The same as a user who may write into a folder alone."""
        user = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        return self(*user, "env", f"--chdir={folder}", f"HOME={folder}", *words, timeout=timeout)

    def in_layer(self, place):
        return self.layer / "upper" / place.lstrip("/")

    def folder(self, name):
        """A new folder, where everybody may write."""
        self.in_layer(f"home/{name}").mkdir(parents=True)
        self.in_layer(f"home/{name}").chmod(0o777)
        return f"/home/{name}"

    def put(self, file, place):
        """Copies a file of this machine there."""
        self.in_layer(place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, self.in_layer(place))

    def read(self, place):
        """The bytes of a file that was made there."""
        return self.in_layer(place).read_bytes()

    def has(self, place):
        """Whether a file that was made there is there still, or a folder that has not always been."""
        return self.in_layer(place).exists()


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def machine(request, tmp_path_factory):
    """A bare Debian 12, then a bare Debian 13."""
    if os.geteuid() != 0:
        pytest.skip("a bare Debian is entered as root")
    if not (ROOT / "build/bare" / request.param / "complete").exists():
        pytest.fail(f"no bare {request.param} in build/bare: tools/setup package makes it")
    layer = tmp_path_factory.mktemp(request.param)
    for folder in ("upper", "work", "root"):
        (layer / folder).mkdir()
    yield Machine(request.param, layer)
    shutil.rmtree(layer)
