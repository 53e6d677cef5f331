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

# One forbidden include for each rule: the file that has it, and what it includes.
FORBIDDEN = [
    ("probes/latency/latency.cpp", '"device/opencl/device.hpp"'),
    ("probes/latency/latency.cpp", '"device/vulkan/device.hpp"'),
    ("probes/latency/latency.cpp", '"device/model/device.hpp"'),
    ("probes/latency/latency.cpp", '"device/model/description.hpp"'),
    ("probes/latency/latency.cpp", '"../../device/opencl/device.hpp"'),
    ("probes/latency/latency.cpp", "<device/opencl/device.hpp>"),
    ("probes/latency/latency.cpp", '"records/writer.hpp"'),
    ("probes/latency/latency.cpp", '"commands/options.hpp"'),
    ("records/writer.cpp", '"probes/catalog.hpp"'),
    ("records/writer.cpp", '"device/model/device.hpp"'),
    ("records/writer.cpp", '"kernels.hpp"'),
    ("measure/runner.cpp", '"probes/catalog.hpp"'),
    ("measure/runner.cpp", '"records/writer.hpp"'),
    ("measure/runner.cpp", '"commands/options.hpp"'),
    ("measure/runner.cpp", '"device/opencl/device.hpp"'),
    ("device/device.hpp", '"measure/probe.hpp"'),
    ("device/device.hpp", '"device/opencl/device.hpp"'),
    ("device/device.hpp", '"cpu/topology.hpp"'),
    ("device/opencl/device.cpp", '"device/vulkan/device.hpp"'),
    ("device/opencl/device.cpp", '"analysis/statistics.hpp"'),
    ("device/vulkan/device.cpp", '"device/model/device.hpp"'),
    ("device/model/device.cpp", '"cpu/topology.hpp"'),
    ("device/model/device.cpp", '"records/writer.hpp"'),
    ("cpu/topology.cpp", '"measure/probe.hpp"'),
    ("cpu/topology.cpp", '"counters/state/clocks.hpp"'),
    ("counters/state/clocks.cpp", '"measure/probe.hpp"'),
    ("analysis/statistics.cpp", '"measure/probe.hpp"'),
    ("analysis/statistics.cpp", '"device/device.hpp"'),
    ("measure/runner.cpp", "<CL/opencl.hpp>"),
    ("main.cpp", "<CL/opencl.hpp>"),
    ("device/opencl/device.cpp", "<volk.h>"),
    ("commands/list.cpp", "<vulkan/vulkan.h>"),
    ("commands/list.cpp", "<nlohmann/json.hpp>"),
    ("device/model/description.cpp", "<nlohmann/json.hpp>"),
    ("counters/state/clocks.cpp", "<hwloc.h>"),
    ("records/writer.cpp", "<CLI/CLI.hpp>"),
    ("measure/runner.cpp", "<spdlog/spdlog.h>"),
    ("analysis/statistics.cpp", "<Eigen/Dense>"),
    # A probe beside another, and layers beside each other.
    ("probes/latency/latency.cpp", '"probes/copy/plan.hpp"'),
    ("workloads/stream.cpp", '"probes/latency/plan.hpp"'),
    ("summary/table.cpp", '"session/run.hpp"'),
    ("session/run.cpp", '"summary/table.hpp"'),
    ("commands/list.cpp", '"device/opencl/device.hpp"'),
    ("main.cpp", '"device/vulkan/device.hpp"'),
    ("analysis/statistics.cpp", '"analysis/levels/levels.hpp"'),
    ("os/file_linux.cpp", '"measure/probe.hpp"'),
    # Another system's program would not find these.
    ("measure/runner.cpp", "<unistd.h>"),
    ("session/run.cpp", "<sys/wait.h>"),
    ("counters/state/clocks.cpp", "<sys/ioctl.h>"),
    ("device/opencl/device.cpp", "<dlfcn.h>"),
]

LEGAL = {
    "main.cpp": ["<spdlog/spdlog.h>", '"commands/options.hpp"', '"session/usage_error.hpp"'],
    "session/usage_error.hpp": [],
    "session/run.hpp": ['"probes/latency/plan.hpp"', '"device/opencl/device.hpp"', '"os/file.hpp"', "<spdlog/spdlog.h>"],
    "commands/options.hpp": ["<CLI/CLI.hpp>"],
    "commands/list.cpp": ['"options.hpp"', '"session/run.hpp"', '"summary/table.hpp"', '"records/writer.hpp"'],
    "summary/table.hpp": ['"probes/latency/plan.hpp"', '"records/writer.hpp"'],
    "os/file.hpp": ["<string>"],
    "os/file_linux.cpp": ["<unistd.h>", "<sys/wait.h>", '"os/file.hpp"'],
    "probes/catalog.hpp": ['"measure/probe.hpp"'],
    "probes/copy/plan.hpp": [],
    "probes/latency/plan.hpp": [],
    "probes/latency/latency.cpp": [
        '"probes/catalog.hpp"',
        '"probes/latency/plan.hpp"',
        '"plan.hpp"',
        '"workloads/stream.hpp"',
        '"kernels.hpp"',
        '"device/device.hpp"',
        '"analysis/statistics.hpp"',
        '"analysis/levels/levels.hpp"',
    ],
    "workloads/stream.hpp": ['"measure/probe.hpp"', '"kernels.hpp"'],
    "records/writer.hpp": ["<nlohmann/json.hpp>", '"measure/probe.hpp"', '"device/model/description.hpp"'],
    "measure/probe.hpp": ['"device/device.hpp"', '"cpu/topology.hpp"', '"counters/state/clocks.hpp"', '"os/file.hpp"'],
    "device/device.hpp": ['"kernel_source.hpp"', '"device/kernel_source.hpp"', "<vector>"],
    "device/kernel_source.hpp": [],
    "device/opencl/device.hpp": ["<CL/opencl.hpp>", "<spdlog/spdlog.h>", '"device/device.hpp"'],
    "device/vulkan/device.hpp": ["<volk.h>", "<vulkan/vulkan.h>", '"../device.hpp"'],
    "device/model/description.hpp": ["<string>"],
    "device/model/device.cpp": ['"description.hpp"', '"device/model/description.hpp"', '"device/device.hpp"'],
    "cpu/topology.hpp": ["<hwloc.h>", '"analysis/statistics.hpp"'],
    "counters/state/clocks.hpp": ['"os/file.hpp"'],
    "analysis/statistics.hpp": ["<vector>", "<cmath>"],
    "analysis/levels/levels.hpp": ["<Eigen/Dense>", '"analysis/statistics.hpp"'],
}


def write(root, files):
    for name, includes in files.items():
        file = root / "host" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#pragma once\n\n" + "".join(f"#include {include}\n" for include in includes))


def places(complaints):
    return [complaint.split(": ")[0] for complaint in complaints]


def test_a_legal_tree_passes(tmp_path):
    write(tmp_path, LEGAL)
    assert check_layers.check(tmp_path) == (len(LEGAL), [])


@pytest.mark.parametrize("file, include", FORBIDDEN)
def test_a_forbidden_include_is_reported_with_its_place(tmp_path, file, include):
    write(tmp_path, {**LEGAL, file: ["<array>", include]})
    _, complaints = check_layers.check(tmp_path)
    assert places(complaints) == [f"host/{file}:4"]


def test_a_folder_that_is_not_in_the_table_is_reported(tmp_path):
    write(tmp_path, {**LEGAL, "somewhere/new.cpp": ["<vector>"]})
    _, complaints = check_layers.check(tmp_path)
    assert places(complaints) == ["host/somewhere/new.cpp:3"]


def test_a_forbidden_include_is_reported_although_its_file_is_not_there(tmp_path):
    write(tmp_path, {"probes/latency/latency.cpp": ['"records/writer.hpp"']})
    _, complaints = check_layers.check(tmp_path)
    assert complaints[0].startswith(
        "host/probes/latency/latency.cpp:3: probes/latency must not include records/writer.hpp"
    )


def test_every_forbidden_include_is_reported_and_comments_are_not(tmp_path):
    write(tmp_path, {**LEGAL, "analysis/edges.cpp": ["<volk.h>", '  "device/device.hpp"']})
    source = tmp_path / "host" / "analysis" / "edges.cpp"
    source.write_text(source.read_text() + '#  include "commands/options.hpp"\n// #include "measure/probe.hpp"\n')
    _, complaints = check_layers.check(tmp_path)
    assert places(complaints) == [f"host/analysis/edges.cpp:{line}" for line in (3, 4, 5)]


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
