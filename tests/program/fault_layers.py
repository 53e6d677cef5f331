"""Drivers that fail: layers (tests/layers) under the real loaders, which do what a script says."""

import json
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VULKAN_LAYER = "VK_LAYER_SONDE_faults"
# Of a skip on a busy machine, which is no fault of a driver.
OTHERS_DISTURB = "other programs disturb this device"


def silence_limit_for(faults):
    """Options of a run: a driver that hangs is waited for briefly, one that does not may be silent beside other work."""
    return ("--silence-limit", "10") if "hang" in faults or "slow" in faults else ()


@dataclass(frozen=True)
class Layers:
    """The layers, built; what a program has to find in its environment to be below them."""

    environment: dict = field(default_factory=dict)

    def __call__(self, faults="", **more):
        return {**self.environment, "SONDE_FAULTS": faults, **more}


def build(folder):
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler here to build the layers with")
    words = [compiler, "-std=c++20", "-DCL_TARGET_OPENCL_VERSION=300", "-shared", "-fPIC"]
    for api in ("opencl", "vulkan"):
        source = ROOT / f"tests/layers/{api}_faults.cpp"
        subprocess.run([*words, "-o", folder / f"{api}.so", source], check=True)
    manifest = {
        "name": VULKAN_LAYER,
        "type": "GLOBAL",
        "library_path": str(folder / "vulkan.so"),
        "api_version": "1.3.0",
        "implementation_version": "1",
        "description": "Fails as a script says",
    }
    (folder / "vulkan.json").write_text(json.dumps({"file_format_version": "1.0.0", "layer": manifest}))
    return Layers(
        {
            "OPENCL_LAYERS": str(folder / "opencl.so"),
            "VK_LAYER_PATH": str(folder),
            "VK_INSTANCE_LAYERS": VULKAN_LAYER,
        }
    )
