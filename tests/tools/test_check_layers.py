import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools" / "check_layers.py"
SPECIFICATION = importlib.util.spec_from_file_location("check_layers", SCRIPT)
check_layers = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(check_layers)

# One file for each way in which an include is forbidden: the layer it names, how it is written, a library, a system's header.
FORBIDDEN = [
    ("probes/latency/latency.cpp", '"device/opencl/device.hpp"'),
    ("probes/latency/latency.cpp", '"../../device/opencl/device.hpp"'),
    ("probes/latency/latency.cpp", "<device/opencl/device.hpp>"),
    ("probes/latency/latency.cpp", '"probes/copy/plan.hpp"'),
    ("records/writer.cpp", '"device/model/device.hpp"'),
    ("measure/runner.cpp", '"probes/catalog.hpp"'),
    ("device/device.hpp", '"device/opencl/device.hpp"'),
    ("analysis/statistics.cpp", '"analysis/levels/levels.hpp"'),
    ("main.cpp", '"device/vulkan/device.hpp"'),
    ("records/writer.cpp", '"kernels.hpp"'),
    ("device/model/description.cpp", "<nlohmann/json.hpp>"),
    ("measure/runner.cpp", "<unistd.h>"),
]

LEGAL = {
    "main.cpp": ["<spdlog/spdlog.h>", '"commands/options.hpp"'],
    "session/run.hpp": [
        '"probes/latency/plan.hpp"',
        '"device/opencl/device.hpp"',
        '"os/file.hpp"',
        "<spdlog/spdlog.h>",
    ],
    "commands/options.hpp": ["<CLI/CLI.hpp>"],
    "os/file.hpp": ["<string>"],
    "os/file_linux.cpp": ["<unistd.h>", "<sys/wait.h>", '"os/file.hpp"'],
    "probes/catalog.hpp": ['"measure/probe.hpp"'],
    "probes/copy/plan.hpp": [],
    "probes/latency/plan.hpp": [],
    "probes/latency/latency.cpp": [
        '"plan.hpp"',
        '"probes/latency/plan.hpp"',
        '"workloads/stream/stream.hpp"',
        '"kernels.hpp"',
    ],
    "records/writer.hpp": ["<nlohmann/json.hpp>", '"measure/probe.hpp"', '"device/model/description.hpp"'],
    "measure/probe.hpp": ['"device/device.hpp"', '"cpu/topology.hpp"', '"counters/state/clocks.hpp"'],
    "device/device.hpp": ['"kernel_source.hpp"', "<vector>"],
    "device/kernel_source.hpp": [],
    "device/opencl/device.hpp": ["<CL/opencl.hpp>", '"../device.hpp"'],
    "analysis/levels/levels.hpp": ["<Eigen/Dense>", '"analysis/statistics.hpp"'],
}


def write(root, files):
    for name, includes in files.items():
        file = root / "host" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#pragma once\n\n" + "".join(f"#include {include}\n" for include in includes))


def complaints_about(root, files):
    write(root, files)
    return [complaint.split(": ")[0] for complaint in check_layers.check(root)[1]]


def test_a_legal_tree_passes(tmp_path):
    assert complaints_about(tmp_path, LEGAL) == []


@pytest.mark.parametrize("file, include", FORBIDDEN)
def test_a_forbidden_include_is_reported_with_its_place(tmp_path, file, include):
    assert complaints_about(tmp_path, {**LEGAL, file: ["<array>", include]}) == [f"host/{file}:4"]


def test_a_forbidden_include_is_reported_although_its_file_is_not_there(tmp_path):
    assert complaints_about(tmp_path, {"measure/probe.hpp": ['"records/writer.hpp"']}) == ["host/measure/probe.hpp:3"]


def test_a_folder_that_is_not_in_the_table_is_reported(tmp_path):
    assert complaints_about(tmp_path, {"somewhere/new.cpp": ["<vector>"]}) == ["host/somewhere/new.cpp:3"]


@pytest.mark.parametrize("include, status", [("<vector>", 0), ("<volk.h>", 1), (None, 2)])
def test_the_exit_status_tells_whether_something_is_forbidden(tmp_path, include, status):
    """With no source file at all nothing was checked, which is not a pass."""
    if include:
        write(tmp_path, {"analysis/edges.cpp": [include]})
    result = subprocess.run([sys.executable, SCRIPT, tmp_path], capture_output=True, text=True)
    assert result.returncode == status
    assert ("host/analysis/edges.cpp:3" in result.stderr) == (status == 1)


def test_this_project_keeps_its_layers():
    assert check_layers.check(ROOT)[1] == []
