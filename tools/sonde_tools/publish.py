"""What a review needs of each device: six pictures as PNG and SVG, and a file that says what each shows."""

import re

from sonde_tools import formats, method_pages, parts, pictures

# The sections in the order in which a reviewer writes; a device without one of the first has the next.
ORDER = [
    "latency", "bandwidth", "hit-rate", "loaded-latency", "copy", "roofline", "contention", "cpu-latency", "cpu-bandwidth",
    "loaded-latency-of-cpu", "memory-kinds", "frames", "compute", "core-to-core",
]  # fmt: skip
MOST_PICTURES = 6
CAPTIONS = "captions.md"
# A longer table is no caption.
_MOST_ROWS = 16


def files(shown, slugs):
    """Yields (name, content) of each picture, and last of the captions.

    shown: (view, its Sections, further Tables) of each device; slugs: for each what names its files.
    """
    captions = []
    for (view, sections, _), slug in zip(shown, slugs, strict=True):
        chosen = _chosen(view, sections)
        captions += [f"# {view.title}"] if chosen else []
        for section, chart in chosen:
            name = f"{section.name}-{slug}"
            yield f"{name}.png", pictures.png(chart)
            yield f"{name}.svg", pictures.svg(chart)
            captions.append(_caption(view, section, name))
    yield CAPTIONS, formats.visible("\n\n".join(captions) + "\n")


def _chosen(view, sections):
    """(Section, Picture) of the first sections in the order that have one."""
    known = {section.name: section for section in sections}
    ordered = [known[name] for name in ORDER if name in known]
    drawn = ((section, chart) for section in ordered if (chart := section.chart(view)))
    return [each for _, each in zip(range(MOST_PICTURES), drawn, strict=False)]


def _caption(view, section, name):
    """Device, drivers and days; method and intervals in a sentence each; what was found, in words and numbers."""
    simulated = " (simulated)" if view.is_model else ""
    lines = [
        f"## {section.heading}{simulated}",
        f"![{section.heading}]({name}.png)",
        f"{view.title}. {parts.about(view)}.",
    ]
    lines += [f"Method: {sentence}" for sentence in _methods(section)]
    lines.append(section.legend(view))
    lines.append(_interference(view, section))
    lines.append("\n".join(f"- {text}" for _, text in section.summary(view)))
    lines += [_markdown(table) for table in section.tables(view)[:1] if len(table.rows) <= _MOST_ROWS]
    return "\n\n".join(filter(None, lines))


def _methods(section):
    """The first sentence of each of its method pages."""
    found = filter(None, map(method_pages.page, section.method_pages))
    return [re.split(r"(?<=[.?!]) (?=[A-Z])", page.summary)[0] for page in found]


def _interference(view, section):
    own = [point for entry in view.curves if entry.curve.probe in section.shown_probes for point in entry.points]
    hollow = sum(point.disturbed for point in own)
    return (
        f"Other programs disturbed {hollow} of {len(own)} points." if hollow else "Other programs disturbed no point."
    )


def _cell(cell):
    detail = cell.detail if not cell.detail or cell.detail.startswith("(") else f"({cell.detail})"
    return " ".join(filter(None, (cell.text, detail)))


def _markdown(table):
    names = [name for name, columns in table.groups for _ in range(columns)]
    whose = zip(names, table.headings[1:], strict=True) if names else ()
    heads = [table.headings[0], *map(": ".join, whose)] if names else table.headings
    rows = [heads, ["---"] * len(heads)]
    rows += [[name, *map(_cell, cells)] for name, cells in table.rows]
    return "\n".join([f"{table.caption}:", "", *(f"| {' | '.join(row)} |" for row in rows)])
