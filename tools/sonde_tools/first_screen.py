"""What `sonde show` says of a device in one screen: the program concludes it, page and captions repeat its words."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from sonde_tools import formats, pictures
from sonde_tools.devices import API_NAMES

# Each file takes the program a fraction of a second.
_MOST_SECONDS = 120
# The topic that tells what a section's picture shows.
_TOPICS = {
    "hit-rate": "Hit rate", "copy": "Copies", "loaded-latency": "Under load", "contention": "Contention",
    "roofline": "Compute", "cpu-latency": "Native code", "core-to-core": "Cores",
    "memory-kinds": "Host memory", "frames": "Frames",
}  # fmt: skip
NO_PROGRAM = (
    "Levels and topics of the first screen are left out, as no sonde program was found that says them: start this "
    "command as `sonde report`, or name the program in SONDE_PROGRAM."
)


def program():
    """The path of the program that says what is concluded: the one that started this command, else PATH's; or None."""
    return os.environ.get("SONDE_PROGRAM") or shutil.which("sonde")


def add_to(views):
    """Gives each DeviceView the screens of its runs. A run whose file the program refuses has none."""
    recordings = {id(recording): recording for view in views for recording in view.recordings}.values()
    told = {}
    if program():
        with tempfile.TemporaryDirectory() as folder:
            # A pipe can be read once, and has been.
            files = {
                str(_one_file(each, folder)): each.path
                for each in recordings
                if all(path.is_file() for path in (each.path, *each.further_paths))
            }
            for one in _told(list(files)):
                path = files[one["file"]]
                told[path, one["device"]] = one | {"file": path.name}
    for view in views:
        found = (told.get((recording.path, view.device)) for recording in view.recordings)
        view.screens = [one for one in found if one]


def _one_file(recording, folder):
    """The file of a run; one in the folder that has the records of all where it has several."""
    if not recording.further_paths:
        return recording.path
    lines = []
    for path in (recording.path, *recording.further_paths):
        # What a killed run had not finished would be no last line here.
        *finished, last = path.read_bytes().split(b"\n")
        run, *others = [*finished, last] if last.endswith(b"}") else finished
        lines += [*([] if lines else [run]), *others]
    whole = Path(folder) / f"{len(list(Path(folder).iterdir()))}.jsonl"
    whole.write_bytes(b"\n".join([*filter(None, lines), b""]))
    return whole


def _told(files):
    """What the program says of files (their paths as text)."""
    if not files:
        return []
    command = [program(), "show", "--json", *files]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_MOST_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"sonde report: no first screen: {formats.visible(str(error))}", file=sys.stderr)
        return []
    if done.returncode == 0:
        return [msgspec.json.decode(line) for line in done.stdout.splitlines()]
    if len(files) > 1:
        return [one for file in files for one in _told([file])]
    said = done.stderr.decode(errors="replace").strip()
    print(f"sonde report: no first screen of {formats.visible(files[0])}: {formats.visible(said)}", file=sys.stderr)
    return []


def table(screen):
    """The levels as rows: (API names of latency, of bandwidth, rows of name, size, its interval, cells, how sure)."""
    kinds = ("latency_ns", "read_gbps")
    apis = [
        dict.fromkeys(cell["api"] for level in screen["levels"] for cell in level["cells"] if kind in cell)
        for kind in kinds
    ]
    rows = []
    for level in screen["levels"]:
        cells = {cell["api"]: cell for cell in level["cells"]}
        texts = [
            [(API_NAMES.get(api, api), cells.get(api, {}).get(kind, "")) for api in own]
            for kind, own in zip(kinds, apis, strict=True)
        ]
        rows.append((level["name"], level.get("size", ""), level.get("interval", ""), *texts, level["sure"]))
    return [[API_NAMES.get(api, api) for api in own] for own in apis], rows


def headline(view, name):
    """What the picture of a section shows, in the words of the first screen; empty where none or several files say it."""
    said = list(dict.fromkeys(filter(None, (_headline(screen, name) for screen in view.screens))))
    return said[0] if len(said) == 1 else ""


def picture_of(view, section):
    """The section's Picture with its headline as title, or None."""
    return pictures.headed(section.chart(view), headline(view, section.name))


def _headline(screen, name):
    if name == "latency":
        text = _of_latency(screen["levels"])
    elif name == "bandwidth":
        text = _of_bandwidth(screen["levels"])
    else:
        parts = {topic["name"]: topic["parts"] for topic in screen["topics"]}.get(_TOPICS.get(name))
        text = parts[0] if parts else ""
    return text[:1].upper() + text[1:]


def _of_latency(levels):
    caches = [level for level in levels if level.get("size")]
    # The largest that is not rough says most.
    known = [level for level in caches if not level["sure"].startswith("rough")] or caches
    said = [f"{level['name']} ends at {level['size']} {level.get('interval', '')}".strip() for level in known[-1:]]
    for level in levels[-1:]:
        if text := _by_api(level["cells"], "latency_ns", "ns"):
            said.append(f"{'beyond the caches a load' if level['name'] == 'beyond' else level['name']} takes {text}")
    return "; ".join(said)


def _of_bandwidth(levels):
    texts = {level["name"]: _by_api(level["cells"], "read_gbps", "GB/s") for level in levels[-1:] + levels[:1]}
    said = "; ".join(
        f"{'beyond the caches' if name == 'beyond' else name} {text}" for name, text in texts.items() if text
    )
    return f"read: {said}" if said else ""


def _by_api(cells, kind, unit):
    """'348 ns (OpenCL), 346 ns (Vulkan)'; one alone without its name."""
    known = [cell for cell in cells if kind in cell]
    return ", ".join(f"{cell[kind].replace('> ', 'more than ')} {unit}{_name(cell, known)}" for cell in known)


def _name(cell, known):
    return f" ({API_NAMES.get(cell['api'], cell['api'])})" if len(known) > 1 else ""
