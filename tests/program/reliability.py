"""What becomes of a run whose driver fails: the faults, what a run is asked to show them, docs/reliability.md's table."""

import re
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "docs/reliability.md"

APIS = ("opencl", "vulkan")
# By API what allocates memory: a process's faults are counted from one of its allocations on.
ALLOCATES = {"opencl": "clCreateBuffer", "vulkan": "vkAllocateMemory"}
# Contention has arrays beyond every cache and a walk of the CPU's beside them:
# too much for every fault.
PROBES = ("latency", "bandwidth", "host-memory", "copy", "zero-copy", "loaded-latency", "hit-rate", "frames")
_SIZES = "64K:512K"
# Its textures and targets fit these sizes.
_FRAME = Path(__file__).resolve().parents[1] / "data/small_frame.json"


def asking(probes):
    """What a run is asked of these probes, as words: next to nothing."""
    frame = ("--frame", str(_FRAME)) if "frames" in probes else ()
    return ("--probe", ",".join(probes), "--sizes", _SIZES, "--time", "1", *frame)


@dataclass(frozen=True)
class Fault:
    """What a driver does from some call of a probe on, and what of that the record has to say."""

    name: str
    opencl: str = ""  # each CALL@N=EFFECT, counted from where a visit begins
    vulkan: str = ""
    says: tuple[str, str] = ("", "")  # OpenCL's and Vulkan's word
    probes: tuple[str, ...] = PROBES
    becomes: str = "error"  # what a run makes of it
    unseen: tuple[str, ...] = ()  # by these probes
    spares: tuple[str, ...] = ()  # of these probes, through OpenCL, points that make no such call

    def of(self, api):
        return self.opencl if api == "opencl" else self.vulkan

    def spoils_all(self, probe, api):
        return api != "opencl" or probe not in self.spares

    def of_one_call(self, api):
        return bool(self.of(api)) and "+=" not in self.of(api)

    def is_silent(self, api):
        return self.word(api) == "--silence-limit"

    def in_table(self, probe):
        if probe in self.probes:
            return self.becomes
        return "not seen" if probe in self.unseen else "–"

    def word(self, api):
        return self.says[APIS.index(api)]


def both(words):
    return (words, words)


BY_MAP = ("copy", "zero-copy")
# A copy to the host is a command of OpenCL's own, without a kernel.
WITHOUT_KERNEL = ("copy",)
FAULTS = (
    Fault(
        "no memory of the host is left",
        "clCreateBuffer@1+=-6",
        "vkQueueSubmit@1+=-1",
        ("CL_OUT_OF_HOST_MEMORY", "VK_ERROR_OUT_OF_HOST_MEMORY"),
    ),
    Fault(
        "what is submitted finds no memory of the device",
        "clEnqueueNDRangeKernel@1+=-5",
        "vkQueueSubmit@1+=-2",
        ("CL_OUT_OF_RESOURCES", "VK_ERROR_OUT_OF_DEVICE_MEMORY"),
        spares=WITHOUT_KERNEL,
    ),
    Fault(
        "the device is lost at a submit",
        "clEnqueueNDRangeKernel@1=-36",
        "vkQueueSubmit@1=-4",
        ("CL_INVALID_COMMAND_QUEUE", "VK_ERROR_DEVICE_LOST"),
        spares=WITHOUT_KERNEL,
    ),
    Fault(
        "the device is lost at work",
        "clWaitForEvents@1+=-14 clFinish@1+=-14",
        "vkWaitForFences@1=-4 vkWaitSemaphores@1=-4",
        ("CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", "VK_ERROR_DEVICE_LOST"),
    ),
    Fault("a wait ends before the work", "", "vkWaitForFences@1=2 vkWaitSemaphores@1=2", ("", "VK_TIMEOUT")),
    Fault(
        "a kernel never ends",
        "clWaitForEvents@1=hang clFinish@1=hang",
        "vkWaitForFences@1=hang vkWaitSemaphores@1=hang",
        both("--silence-limit"),
    ),
    Fault(
        "a call takes a minute",
        "clEnqueueNDRangeKernel@1=slow",
        "vkQueueSubmit@1=slow",
        both("--silence-limit"),
        spares=WITHOUT_KERNEL,
    ),
    Fault(
        "the driver crashes",
        "clEnqueueNDRangeKernel@1=crash",
        "vkQueueSubmit@1=crash",
        both("signal 6"),
        spares=WITHOUT_KERNEL,
    ),
    Fault(
        "the driver ends the process as if all were well",
        "clWaitForEvents@1=exit clFinish@1=exit",
        "vkWaitForFences@1=exit vkWaitSemaphores@1=exit",
        both("before it was done"),
    ),
    Fault(
        "a kernel cannot be made",
        "clCreateKernel@1+=-46",
        "",
        ("CL_INVALID_KERNEL_NAME", ""),
        spares=WITHOUT_KERNEL,
    ),
    Fault("contents are wrong when they are read", "clEnqueueReadBuffer@1+=garble", "vkCmdCopyBuffer@1+=garble"),
    Fault(
        "contents are wrong after they are written",
        "clEnqueueWriteBuffer@1+=garble",
        # Frames are proved by a few of their pixels; one of millions that is wrong is not among these.
        probes=tuple(probe for probe in PROBES if probe not in ("zero-copy", "frames")),
        unseen=("frames",),
    ),
    Fault(
        "the clock stands still", "clGetEventProfilingInfo@1+=still", "vkGetQueryPoolResults@1+=still", both("clock")
    ),
    Fault(
        "the clock runs backwards",
        "clGetEventProfilingInfo@1+=backwards",
        "vkGetQueryPoolResults@1+=backwards",
        both("clock"),
    ),
    Fault(
        "memory cannot be mapped",
        "clEnqueueMapBuffer@1+=-12",
        "",
        ("CL_MAP_FAILURE", ""),
        BY_MAP,
        spares=BY_MAP,
    ),
)

# Faults that leave a part of the probe, or all of it, as it is: each has a test of its own.
COPIED_WRONGLY = Fault(
    "a copy that is asked for arrives wrong", "clEnqueueWriteBuffer@1+=garble", probes=("zero-copy",)
)
REFUSED = Fault(
    "an allocation is refused",
    "clCreateBuffer@1+=-4",
    "vkAllocateMemory@1+=-2",
    ("CL_MEM_OBJECT_ALLOCATION_FAILURE", "VK_ERROR_OUT_OF_DEVICE_MEMORY"),
    becomes="skip",
)
WRAPPED = Fault(
    "the clock has 32 bits, and wraps",
    "clGetEventProfilingInfo@1+=wrap",
    "vkGetQueryPoolResults@1+=wrap",
    both("clock"),
    ("latency", "zero-copy", "loaded-latency"),
    becomes="right or error",
)


def cases():
    """Each fault through each API that has a call for it."""
    return [(api, fault) for fault in FAULTS for api in APIS if fault.of(api)]


def counted_from(api, allocation, calls):
    """The same calls, of which the first is the first since this allocation of the process."""
    return re.sub(r"(\S+@\d+\+?)=", rf"\1/{ALLOCATES[api]}@{allocation}=", calls)


def table():
    """All cells, a table for each API."""
    text = ""
    for api, name in (("opencl", "OpenCL"), ("vulkan", "Vulkan")):
        text += f"| through {name} | {' | '.join(PROBES)} | the record says |\n|{' --- |' * (len(PROBES) + 2)}\n"
        for fault in (*FAULTS, COPIED_WRONGLY, REFUSED, WRAPPED):
            if not fault.of(api):
                continue
            words = [fault.in_table(probe) for probe in PROBES]
            word = f"`{fault.word(api)}`" if fault.word(api) else "what was found"
            text += f"| {fault.name} | {' | '.join(words)} | {word} |\n"
        text += "\n"
    return text


if __name__ == "__main__":
    before, _, rest = TABLE.read_text(encoding="utf-8").partition("<!-- table -->\n")
    after = rest.partition("<!-- end of table -->\n")[2]
    TABLE.write_text(f"{before}<!-- table -->\n{table()}<!-- end of table -->\n{after}", encoding="utf-8")
