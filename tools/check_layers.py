#!/usr/bin/env python3
"""Fails with file:line on every #include in host/ that the layout forbids.

Usage: tools/check_layers.py [repository]
"""

import posixpath
import re
import sys
from pathlib import Path

# A layer is a folder of host/ (main: the files beside the folders; kernels: the generated kernels.hpp).
# What each may include beside its own files: other layers, or single files of them. Each folder of probes/ is a layer
# by itself, so that no probe includes another's files.
MAY_INCLUDE = {
    "main": "commands os/this_process.hpp",
    "commands": "session summary probes/* probes workloads records measure device cpu os",
    "session": "probes/* probes workloads records measure counters/state counters/traffic counters/selfcheck device device/opencl device/vulkan device/model cpu analysis os",
    "summary": "probes/* probes workloads records measure device analysis analysis/levels",
    "probes": "measure",
    "probes/*": "probes/catalog.hpp probes/probe.hpp workloads measure device cpu analysis analysis/levels kernels os",
    "workloads": "measure device cpu analysis analysis/levels kernels os",
    "records": "measure counters/state counters/traffic counters/selfcheck/known_load.hpp device device/model/description.hpp analysis analysis/levels os",
    "measure": "device cpu counters/state counters/traffic analysis analysis/levels os",
    "device": "os",
    "device/opencl": "device os",
    "device/vulkan": "device os",
    "device/model": "counters/traffic device os",
    "cpu": "device analysis os",
    "counters/state": "analysis os",
    "counters/traffic": "counters/state/sysfs.hpp analysis os",
    "counters/selfcheck": "counters/traffic analysis",
    "analysis": "",
    "analysis/levels": "analysis",
    "os": "",
    "kernels": "device",
}

# A library, by the beginning of its headers' names, and the only layers that may include it.
ONLY_IN = {
    "CL/": "device/opencl",
    "volk.h": "device/vulkan",
    "vulkan/": "device/vulkan",
    "nlohmann/": "records",
    "hwloc.h": "cpu",
    "hwloc/": "cpu",
    "CLI/": "commands",
    "Eigen/": "analysis/levels",
    "spdlog/": "commands session main device/opencl device/vulkan device/model",
}

# Headers of one operating system's, by the beginning of their names: an `#ifdef` away from another system.
SYSTEM_HEADERS = (
    "arpa/ csignal dirent.h dlfcn.h errno.h fcntl.h ftw.h io.h linux/ netinet/ poll.h psapi.h pthread.h pwd.h sched.h "
    "shellapi.h signal.h spawn.h sys/ termios.h time.h tlhelp32.h unistd.h windows.h"
).split()
ONLY_IN |= dict.fromkeys(SYSTEM_HEADERS, "os")

SOURCES = {".hpp", ".cpp", ".h", ".c", ".inc"}
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^>"]+)[>"]')


def layer_of(path):
    """The layer of a path relative to host/: the longest folder in the table, None if there is none."""
    if path == "kernels.hpp":
        return "kernels"
    folders = path.split("/")[:-1]
    if not folders:
        return "main"
    for length in range(len(folders), 0, -1):
        if rule_of(folder := "/".join(folders[:length])):
            return folder
    return None


def rule_of(folder):
    """The name in the table under which a folder's rule stands, None if there is none."""
    return next((name for name in MAY_INCLUDE if is_one_of(folder, [name])), None)


def is_one_of(folder, names):
    """Whether a folder is among names, of which one may end in a star that stands for any single folder."""
    parent = posixpath.dirname(folder)
    return folder in names or bool(parent) and f"{parent}/*" in names


def included_file(name, includer, host):
    """The path relative to host/ that an include names, None if it is not one of the project's."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(includer), name))
    for path in (beside, posixpath.normpath(name)):
        if (host / path).is_file():
            return path
    # A header that is generated, or that is still to be written in one of the folders.
    return name if name == "kernels.hpp" or (layer_of(name) not in (None, "main")) else None


def complaint(name, includer, host):
    """Why `includer` must not include `name`, None if it may."""
    layer = layer_of(includer)
    if layer is None:
        return "this folder is not in the table of tools/check_layers.py"
    target = included_file(name, includer, host)
    if target is None:
        for library, layers in ONLY_IN.items():
            if name.startswith(library) and layer not in layers.split():
                return f"{layer} must not include {name}: only {' and '.join(layers.split())} may"
        return None
    allowed = MAY_INCLUDE[rule_of(layer)].split()
    if layer_of(target) == layer:
        return None
    if is_one_of(layer_of(target), allowed) or target in allowed:
        return None
    return f"{layer} must not include {target}: it may include {', '.join(allowed) or 'nothing of the project'}"


def check(root):
    """The number of files read and a list of complaints, each beginning with file:line."""
    host = root / "host"
    files = sorted(path for path in host.rglob("*") if path.suffix in SOURCES)
    complaints = []
    for file in files:
        path = file.relative_to(host).as_posix()
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            if (include := INCLUDE.match(line)) and (reason := complaint(include[1], path, host)):
                complaints.append(f"host/{path}:{number}: {reason}")
    return len(files), complaints


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    read, complaints = check(root)
    for line in complaints:
        print(line, file=sys.stderr)
    if not read:
        print(f"check_layers: no source file in {root / 'host'}", file=sys.stderr)
        return 2
    print(f"check_layers: {read} files read, {len(complaints)} forbidden includes")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
