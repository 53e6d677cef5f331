"""Drivers that fail while they are listed, beside a good one: what docs/reliability.md says of each."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
DOCUMENT = HERE.parents[1] / "docs/reliability.md"
# setpriv takes from root the right to read what nobody may.
# How a library for 32-bit programs begins: its kind, its processor's and its version.
OF_32_BITS = b"\x7fELF\x01\x01\x01".ljust(16, b"\0") + b"\x03\0\x03\0\x01\0\0\0"
AS_NO_ROOT = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")


@dataclass(frozen=True)
class Fault:
    """A driver's fault; `told` is what the warning about it has, by API, nothing where there is nothing to warn of."""

    name: str
    told: str = ""
    word: str = ""  # of the driver's environment
    defined: tuple = ()  # when it is compiled
    devices: int = 0
    told_by_vulkan: str = ""  # where that is something else
    of_32_bits: bool = False

    def warning(self, api):
        return self.told_by_vulkan if api == "vulkan" and self.told_by_vulkan else self.told


FAULTS = (
    Fault("it aborts", "crashed", "abort"),
    Fault("it ends the process as if all were well", "before it was done", "exit"),
    Fault("it hangs", "reported nothing for 5 s", "hang"),
    Fault("its device has no id", "no device in its list has an id", "null", told_by_vulkan="crashed"),
    Fault("it counts billions of devices", "counts 4294967280 devices", "garbage count", told_by_vulkan="crashed"),
    Fault("another file names it once more", "once more"),
    Fault("its library is no driver", "this is no driver", defined=("-DWITHOUT_ENTRY",)),
    Fault("its library lacks a function", "a_function_that_no_library_has", defined=("-DMISSING_SYMBOL",)),
    Fault("a layer fails", "used without layers", "abort", ("-DLAYER",)),
    Fault("it stands no other version of its libraries in a process", "", "two versions", devices=1),
    Fault("its file may not be read", "cannot be read"),
    Fault("it takes three seconds", "", "slow", devices=1),
)
APIS = ("opencl", "vulkan")
GOOD = {"opencl": "/etc/OpenCL/vendors/pocl*.icd", "vulkan": "/usr/share/vulkan/icd.d/lvp_icd*.json"}


def good_file(api):
    found = sorted(Path("/").glob(GOOD[api][1:]))
    if not found:
        pytest.skip(f"no {GOOD[api]} here")
    return found[0]


def library_of(api, file):
    text = file.read_text()
    return text.strip() if api == "opencl" else json.loads(text)["ICD"]["library_path"]


def write_file(api, file, library):
    manifest = {"file_format_version": "1.0.0", "ICD": {"library_path": str(library), "api_version": "1.3.0"}}
    file.write_text(f"{library}\n" if api == "opencl" else json.dumps(manifest))
    return file


def build(compiler, api, folder, real, defined):
    library = folder / f"{'layer' if '-DLAYER' in defined else 'bad'}-{api}.so"
    words = ["-shared", "-fPIC", "-w", "-Wl,-z,lazy", f'-DREAL="{real}"', *defined]
    subprocess.run([compiler, *words, "-o", library, HERE / f"{api}_driver.c", "-ldl"], check=True)
    return library


@dataclass(frozen=True)
class Machine:
    """A good driver and a bad one: the environment that shows both, the files, and what starts the program there."""

    environment: dict
    good: Path
    bad: Path
    starter: tuple = ()


def machine(compiler, api, fault, folder):
    ending = "icd" if api == "opencl" else "json"
    real = library_of(api, good_file(api))
    good = write_file(api, folder / f"a-good.{ending}", real)
    bad = folder / f"bad.{ending}"
    environment = {"FAULT": fault.word} if fault.word else {}
    files = [good, bad]
    if "-DLAYER" in fault.defined:
        bad = build(compiler, api, folder, real, fault.defined)
        files = [good]
        environment |= {"OPENCL_LAYERS": str(bad)} if api == "opencl" else implicit_layer(folder, bad)
    elif fault.name == "another file names it once more":
        write_file(api, bad, real)
    elif fault.of_32_bits:
        library = folder / "bad.so"
        library.write_bytes(OF_32_BITS.ljust(4096, b"\0"))
        write_file(api, bad, library)
    else:
        write_file(api, bad, build(compiler, api, folder, real, fault.defined))
    starter = ()
    if fault.told == "cannot be read":
        bad.chmod(0)
        if shutil.which(AS_NO_ROOT[0]) is None:
            pytest.skip("no setpriv here")
        starter = AS_NO_ROOT
    shown = str(folder) if api == "opencl" else ":".join(map(str, files))
    environment |= {"OCL_ICD_VENDORS": shown} if api == "opencl" else {"VK_DRIVER_FILES": shown}
    return Machine(environment, good, bad, starter)


def implicit_layer(folder, library):
    """The environment in which each Vulkan program has a layer."""
    manifest = {
        "name": "VK_LAYER_SONDE_bad",
        "type": "GLOBAL",
        "library_path": str(library),
        "api_version": "1.3.0",
        "implementation_version": "1",
        "description": "Fails",
        "disable_environment": {"NO_BAD_LAYER": "1"},
    }
    layers = folder / "data/vulkan/implicit_layer.d"
    layers.mkdir(parents=True)
    (layers / "bad.json").write_text(json.dumps({"file_format_version": "1.0.0", "layer": manifest}))
    return {"XDG_DATA_HOME": str(folder / "data")}
