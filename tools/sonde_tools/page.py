"""The report as one HTML page that loads nothing from anywhere: data and libraries are inside."""

import base64
import gzip
import shlex
from pathlib import Path

import jinja2
import msgspec
from markupsafe import Markup

from sonde_tools import findings, first_screen, formats, library, method_pages, pictures, series, style
from sonde_tools.devices import API_NAMES

_FOLDER = Path(__file__).parent

# The page in the dark: pictures are drawn for white paper, and style rules give each of their colours another.
# Each at least three times as light as the ground where it is a line, and 4.5 times where it is text.
GROUND = "#1d2126"
DARK = {
    "white": GROUND, "#222": "#e7eaee", "#333": "#d5dae0", "#000": "#e7eaee", "#5b6470": "#a9b2bd", "#e4e4e4": "#343b43",
    "#888": "#77808a", "#777777": "#9aa3ad",
    "#0072b2": "#4da6e8", "#d55e00": "#ff8b3d", "#4d4d4d": "#c9ced4", "#8e3a80": "#c792ea", "#009e73": "#2fc79a",
    "#cc79a7": "#f7a8cf", "#b8860b": "#e5b93c", "#3aa0dc": "#a3e0ff", "#332288": "#8f88f5", "#882255": "#e0608f",
    "#117733": "#7bc74d", "#999933": "#d4d46a", "#cc6677": "#f08a99", "#661100": "#cf7350", "#44aa99": "#7ddccb",
}  # fmt: skip
DARK |= {style.text_colour(light): DARK[light] for light in style.COLOURS}

CPU_NOTE = (
    "This device is the host's own processor, not a GPU: the curves show the CPU's caches and memory as seen through "
    "PoCL (OpenCL) and lavapipe (Vulkan). The Vulkan curve carries the code that lavapipe adds to every hop, a cost of "
    "the driver and not of the memory."
)
MODEL_NOTE = "This device is simulated: every value on it is computed from a model, none was measured on hardware."

NOTHING_TOGETHER = "There is nothing to put together: nothing was measured on two devices or by two driver versions."


def html(recordings, shown, slugs, compared=None, traffic=None):
    """The whole page as text.

    shown: (view, its Sections, further Tables) of each device; slugs: for each the name that its links and pictures use;
    compared: of together.figures; traffic: of traffic.parts, where there are counters.
    """
    devices = [_device(*each, slug) for each, slug in zip(shown, slugs, strict=True)]
    together = [_figure(f"{figure.name}-together", figure) | {"table": table} for figure, table in compared or []]
    watched = [_figure(part.name, part) for part in traffic.parts] if traffic else []
    figures = [figure for device in devices for part in device["parts"] for figure in (part, *part["further"])]
    views = [view for view, _, _ in shown]
    title = " and ".join(view.title for view in views) if 0 < len(views) < 3 else f"{len(views)} devices"
    return filled(
        _text("page.html.jinja"),
        {figure["id"]: figure["picture"] for figure in (*figures, *together, *watched) if figure["picture"]},
        title=title if views or not traffic else "Traffic of memory",
        notes=_notes(recordings, compared, traffic),
        devices=devices,
        together=together,
        traffic=traffic,
        watched=watched,
        traffic_methods=list(_methods(["counters"])),
        missing=_missing(recordings),
        runs=[_run_card(recording) for recording in recordings],
    )


def filled(template, named, **values):
    """A page as text: the template (text) with its values, the style, and the Pictures by the id of their places."""
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined, finalize=_visible
    )
    return environment.from_string(template).render(
        style=Markup(_text("page.css").replace("/* colours of pictures */", dark_rules())),
        library=Markup(_packed(library.javascript())) if named else "",
        script=Markup(_text("page.js")),
        data=Markup(_packed(_data(named))),
        **values,
    )


def dark_rules():
    """Style rules for everything that a picture draws, and for the dots beside its lines in words."""
    return "\n".join(
        f'  main svg [{name}="{light}"] {{ {name}: {dark}; }}'
        for light, dark in DARK.items()
        for name in ("fill", "stroke")
    )


def _text(name):
    return (_FOLDER / name).read_text(encoding="utf-8")


def _visible(value):
    """What comes from files and drivers; markup is the page's own."""
    return formats.visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _packed(text):
    """A long text as the page unpacks it: base64 of gzip takes less than half of its room, the same at any time."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _data(named):
    """JSON of all pictures by id and, each once, of the curves in them."""
    numbers, curves, charts = {}, [], {}
    for id_, picture in named.items():
        lines = []
        for line in picture.lines:
            if line.key not in numbers:
                numbers[line.key] = len(curves)
                curves.append(msgspec.Raw(pictures.columns_text(line)))
            lines.append([formats.visible(line.series), line.dashed, line.piece, line.barred, numbers[line.key]])
        charts[id_] = {**pictures.for_page(picture), "lines": lines}
    return msgspec.json.encode({"curves": curves, "charts": charts}).decode()


def _device(view, own, others, slug):
    note = MODEL_NOTE if view.is_model else CPU_NOTE if view.is_cpu else ""
    return {
        "slug": slug, "title": view.title, "note": note, "others": others,
        "screens": [(screen, *first_screen.table(screen)) for screen in view.screens],
        "parts": [_part(view, section, slug) for section in own],
        "methods": list(dict.fromkeys(page for section in own for page in _methods(section.method_pages))),
        "findings": findings.groups(view), "cards": _device_cards(view),
    }  # fmt: skip


def _part(view, section, slug):
    further = [_figure(f"{section.name}-{figure.name}-{slug}", figure) for figure in section.further(view)]
    return {
        "id": f"{section.name}-{slug}", "picture": first_screen.picture_of(view, section), "legend": section.legend(view), "further": further,
        "heading": f"{section.heading} (simulated)" if view.is_model else section.heading,
        "headline": first_screen.headline(view, section.name), "summary": section.summary(view), "tables": section.tables(view),
    }  # fmt: skip


def _methods(names):
    return filter(None, map(method_pages.page, names))


def _figure(id_, figure):
    return {"id": id_, "heading": figure.heading, "picture": figure.chart, "legend": figure.legend}


def _device_cards(view):
    record = view.record
    memory = record.get("memory_bytes")
    cards = [_card(view.title, {
        "Id": view.device, "Type": record.get("type"), "Compute units": record.get("compute_units"),
        "Memory": formats.size(memory) if memory else None,
        "Unified memory": {True: "yes", False: "no"}.get(record.get("unified_memory")),
        "PCI address": record.get("pci"), "UUID": record.get("uuid"),
    })]  # fmt: skip
    names = {"Platform": "platform", "Driver": "driver", "Version": "driver_version", "API version": "api_version"}
    for api in ("opencl", "vulkan"):
        drivers = view.drivers(api)
        cards += [_card(API_NAMES[api], {text: driver.get(name) for text, name in names.items()}) for driver in drivers]
        if not drivers and not view.is_model:
            cards.append(_card(API_NAMES[api], {"Driver": "none shows this device"}))
    return cards


def _card(heading, facts):
    return {"heading": heading, "facts": [(name, value) for name, value in facts.items() if value not in (None, "")]}


def _run_card(recording):
    run, end = recording.run, recording.end or {}
    host = run.get("host") or {}
    memory = host.get("memory_bytes")
    virtual = {True: "virtual machine", False: "not virtualised"}.get(host.get("virtualised"), host.get("virtualised"))
    machine = [host.get("cpu"), f"{host['cores']} cores" if host.get("cores") else None,
               formats.size(memory) if memory else None, virtual]  # fmt: skip
    return _card(recording.path.name, {
        "Time": run.get("time"),
        "Host": host.get("name"),
        "Machine": ", ".join(filter(None, machine)),
        "System": ", ".join(filter(None, [host.get("os"), host.get("kernel")])),
        "Command": shlex.join(str(word) for word in run.get("command") or []),
        "Effort": run.get("effort"),
        "Seed": run.get("seed"),
        "Took": f"{formats.significant(end['seconds'])} s" if end.get("seconds") else None,
        "Sonde": " ".join(filter(None, [run.get("version"), f"({run['commit']})" if run.get("commit") else None])),
        "Run": run.get("run"),
    })  # fmt: skip


def _notes(recordings, compared, traffic):
    found = (
        []
        if first_screen.program() or not any(recording.devices for recording in recordings)
        else [first_screen.NO_PROGRAM]
    )
    for recording in recordings:
        status = (recording.end or {}).get("status")
        if recording.end is None:
            found.append(f"{recording.path.name} has no end record: the run was killed. What it had measured is shown.")
        elif status != "complete":
            found.append(f"{recording.path.name}: the run ended as {status}. What it had measured is shown.")
    # Runs with counters are over one another even so.
    if compared == [] and not (traffic and len(traffic.summary) > 1):
        found.append(NOTHING_TOGETHER)
    return found + (traffic.notes if traffic else [])


def _missing(recordings):
    entries = []
    for recording in recordings:
        names = {record["device"]: record["name"] for record in recording.devices}
        for kind, records in (("failed", recording.errors), ("skipped", recording.skips)):
            for record in records:
                device = names.get(record.get("device"), record.get("device"))
                place = [device, API_NAMES.get(record.get("api")), record.get("probe")]
                place += series.words(record.get("series"))
                place += [formats.coordinate(name, value) for name, value in (record.get("x") or {}).items()]
                if len(recordings) > 1:
                    place.append(recording.path.name)
                where = ", ".join(filter(None, place)) or "everywhere"
                entries.append({"kind": kind, "where": where, "reason": record["reason"]})
    return entries
