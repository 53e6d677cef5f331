"""tools/version.cmake: which commit a program says it is of."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def source(tmp_path):
    (tmp_path / "source/tools").mkdir(parents=True)
    return tmp_path / "source"


def commit_of(source):
    if not shutil.which("cmake"):
        pytest.skip("cmake is not installed")
    output = source.parent / "version.hpp"
    script = ROOT / "tools/version.cmake"
    words = ["cmake", f"-DSOURCE={source}", "-DVERSION=1.2.3", f"-DOUTPUT={output}", "-P", script]
    subprocess.run(words, check=True, timeout=60)
    assert 'version = "1.2.3"' in output.read_text()
    return output.read_text().partition('commit = "')[2].partition('"')[0]


def git(folder, *words):
    author = ["-c", "user.name=a", "-c", "user.email=a@localhost"]
    return subprocess.run(["git", "-C", folder, *author, *words], check=True, capture_output=True, timeout=60).stdout


def test_a_tarball_knows_the_commit_that_git_archive_wrote_into_it(source):
    (source / "tools/commit").write_text(COMMIT + "\n")
    assert commit_of(source) == COMMIT[:12]


def test_without_that_it_is_unknown(source):
    shutil.copy2(ROOT / "tools/commit", source / "tools/commit")
    assert commit_of(source) == "unknown"


def test_a_repository_around_a_tarball_is_not_its_own(source):
    (source / "tools/commit").write_text(COMMIT + "\n")
    git(source.parent, "init", "-q")
    git(source.parent, "commit", "-q", "--allow-empty", "-m", "another program")
    assert commit_of(source) == COMMIT[:12]


def test_git_archive_writes_the_commit_into_the_tarball_of_a_repository(source):
    shutil.copy2(ROOT / ".gitattributes", source)
    shutil.copy2(ROOT / "tools/commit", source / "tools/commit")
    git(source, "init", "-q")
    git(source, "add", ".")
    git(source, "commit", "-q", "-m", "this program")
    head = git(source, "rev-parse", "HEAD").decode().strip()
    assert commit_of(source) == head[:12]
    archive = source.parent / "archive.tar"
    git(source, "archive", "-o", archive, "HEAD")
    (source.parent / "unpacked").mkdir()
    subprocess.run(["tar", "-xf", archive, "-C", source.parent / "unpacked"], check=True, timeout=60)
    assert commit_of(source.parent / "unpacked") == head[:12]
