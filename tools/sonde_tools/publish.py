"""What a review needs of each device: six pictures as PNG and SVG, and a file that says what each shows."""

import re

from sonde_tools import first_screen, formats, method_pages, parts, pictures

# The sections in the order in which a reviewer writes; a device without one of the first has the next.
ORDER = [
    "latency", "bandwidth", "hit-rate", "loaded-latency", "copy", "roofline", "contention", "cpu-latency", "cpu-bandwidth",
    "loaded-latency-of-cpu", "memory-kinds", "frames", "compute", "core-to-core",
]  # fmt: skip
MOST_PICTURES = 6
CAPTIONS = "captions.md"
# A longer table is no caption.
_MOST_ROWS = 16


def files(shown, slugs, compared=None):
    """Yields (name, content) of each picture, and last of the captions.

    shown: (view, its Sections, further Tables) of each device; slugs: for each what names its files; compared: (Figure,
    Table or None) of several devices or drivers together, whose pictures come first.
    """
    captions = ["# All together"] if compared else []
    for figure, table in (compared or [])[:MOST_PICTURES]:
        name = f"{figure.name}-together"
        yield from _drawn(name, figure.chart)
        about = [f"{view.title}. {parts.about(view)}." for view, _, _ in shown]
        captions += [f"## {figure.heading}", f"![{figure.heading}]({name}.png)", *about, figure.legend]
        captions += [_markdown(table)] if table and len(table.rows) <= _MOST_ROWS else []
    for (view, sections, _), slug in zip(shown, slugs, strict=True):
        chosen = _chosen(view, sections)
        captions += [f"# {view.title}", *map(_screen, view.screens)] if chosen else []
        for section, chart in chosen:
            name = f"{section.name}-{slug}"
            yield from _drawn(name, chart)
            captions.append(_caption(view, section, name))
    yield CAPTIONS, formats.visible("\n\n".join(captions) + "\n")


def _drawn(name, chart):
    yield f"{name}.png", pictures.png(chart)
    yield f"{name}.svg", pictures.svg(chart)


def _screen(screen):
    """A first screen: its levels as a table, its topics as a list."""
    (latency, read), rows = first_screen.table(screen)
    heads = ["", "size", *(f"latency, ns: {api}" for api in latency), *(f"read, GB/s: {api}" for api in read), "sure"]
    cells = [
        [name, " ".join(filter(None, [size, interval])), *(text for _, text in [*of_latency, *of_read]), sure]
        for name, size, interval, of_latency, of_read, sure in rows
    ]
    lines = [f"| {' | '.join(row)} |" for row in [heads, ["---"] * len(heads), *cells]] if rows else []
    topics = [f"- {topic['name']}: {' · '.join(topic['parts'])}" for topic in screen["topics"]]
    return "\n\n".join(filter(None, [screen["heading"], "\n".join(lines), "\n".join(topics)]))


def _chosen(view, sections):
    """(Section, Picture) of the first sections in the order that have one."""
    known = {section.name: section for section in sections}
    ordered = [known[name] for name in ORDER if name in known]
    drawn = ((section, chart) for section in ordered if (chart := first_screen.picture_of(view, section)))
    return [each for _, each in zip(range(MOST_PICTURES), drawn, strict=False)]


def _caption(view, section, name):
    """Device, drivers and days; method and intervals in a sentence each; what was found, in words and numbers."""
    simulated = " (simulated)" if view.is_model else ""
    lines = [
        f"## {section.heading}{simulated}",
        f"![{section.heading}]({name}.png)",
        f"**{headline}.**" if (headline := first_screen.headline(view, section.name)) else "",
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
