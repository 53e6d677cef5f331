#!/usr/bin/env python3
"""Unpacks the wheels of tools/requirements.txt, for packages of Sonde: one folder for each version of Python, and `any`.

tools/gather_wheels.py OUTPUT VERSION… needs a Python with pip; the wheels come from where its settings say, each held to
its checksum in requirements.txt. The first run downloads them.
"""

import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent / "requirements.txt"
# Of each name, what PEP 600 lets a system with glibc 2.36 (Debian 12) load.
GLIBC_VERSIONS = ["2_17", "2_24", "2_26", "2_27", "2_28", "2_31", "2_34", "2_35", "2_36"]
# What programs never load: tests, sources and headers for other compilers to use.
LEFT_OUT = ("tests", "include", "_pyinstaller")


def download(version, folder):
    """The wheels for one version of Python, in a folder of their own."""
    abi = "cp" + version.replace(".", "")
    platforms = [f"manylinux_{glibc}_{platform.machine()}" for glibc in GLIBC_VERSIONS]
    platforms.append(f"manylinux2014_{platform.machine()}")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    command += ["--no-deps", "--only-binary=:all:", "--implementation", "cp", "--python-version", version]
    command += [word for name in (abi, "abi3", "none") for word in ("--abi", name)]
    command += [word for name in platforms for word in ("--platform", name)]
    subprocess.run([*command, "--dest", folder, "-r", REQUIREMENTS], check=True)
    return sorted(folder.glob("*.whl"))


def serves_every_version(wheel):
    """Whether the name's second last part, the ABI, is of no single version: NAME-VERSION-PYTHON-ABI-PLATFORM.whl."""
    return wheel.stem.split("-")[-2] in ("abi3", "none")


def unpack(wheel, folder):
    """All that is loaded from there; licences stay."""
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            parts = Path(entry.filename).parts[:-1]
            if not any(part in LEFT_OUT for part in parts[1:]):
                archive.extract(entry, folder)


def main():
    """Leaves OUTPUT whole, or as it was."""
    if len(sys.argv) < 3:
        sys.exit("tools/gather_wheels.py: give it a folder to make and versions of Python, such as 3.11 3.13")
    output, versions = Path(sys.argv[1]), sys.argv[2:]
    made = output.with_name(output.name + ".new")
    shutil.rmtree(made, ignore_errors=True)
    for version in versions:
        for wheel in download(version, made / "wheels" / version):
            folder = "any" if serves_every_version(wheel) else version
            if folder == version or version == versions[0]:
                unpack(wheel, made / folder)
    shutil.rmtree(made / "wheels")
    shutil.rmtree(output, ignore_errors=True)
    made.rename(output)


if __name__ == "__main__":
    main()
