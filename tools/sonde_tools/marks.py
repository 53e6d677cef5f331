"""What was concluded from the curves, drawn with them: levels, named above the plot, and other edges."""

from dataclasses import dataclass, field

from sonde_tools import findings, formats, levels, style

_ROW_PIXELS, _BAR_PIXELS, _GAP_PIXELS = 23, 19, 6
# A size that is known worse than to a factor is a thin range at the foot, as its band would cover the picture.
_WIDEST_BAND, _RANGE_PIXELS, _MOST_WITH_BANDS = 2, 8, 2
_LABEL_PIXELS = 16
NEUTRAL = "#5b6470"
# The levels of more would take the room of the curves: they are in the table.
_MOST_SERIES = 6
# A character of a name takes so much, a little generously: fonts differ.
CHARACTER_PIXELS = 6.5
# Words are shorter in a plot that is narrower.
_NARROW_PIXELS = 500


@dataclass(frozen=True)
class Marks:
    """The levels (label, level records) and translation edges (label, bytes) that a chart notes.

    walked: {label: bytes of its curve's largest working set}, where its last level ends.
    """

    levels: list = field(default_factory=list)
    edges: list = field(default_factory=list)
    walked: dict = field(default_factory=dict)

    @property
    def head_pixels(self):
        """The height above the plot that the names of levels take: one row a series."""
        return _ROW_PIXELS * len(self.levels) + (_GAP_PIXELS if self.levels else 0)

    @property
    def foot_pixels(self):
        """The height at the foot of the plot to be kept free of curves."""
        return _RANGE_PIXELS * self._rows_of_ranges + _LABEL_PIXELS * len(self._edges_by_size) + 6

    @property
    def _rows_of_ranges(self):
        return sum(any(_is_wide(level, len(self.levels)) for level in found) for _, found in self.levels)

    @property
    def legend(self):
        """What is noted, in sentences; empty where nothing is."""
        text = ""
        if self.levels:
            text = "Thick: the latency of a level where it serves. Rules: sizes of levels, shaded as far as they are uncertain"
            if self._rows_of_ranges:
                text += ", or with a range at the foot where a band would cover too much"
            text += "."
        return f"{text} Dotted: an edge of address translation, not a level.".strip() if self.edges else text

    def layers(self, palette, both, height):
        """Layers to be drawn below the curves, on Axes; each row of their data has the label as `series`."""
        found = []
        if self.levels:
            found = [*_sizes(self.levels, palette, both.x, height), *self._plateaus(palette, both)]
            found += _names(self.levels, palette)
        return [*found, *self._edge_layers(both.x, height)] if self.edges else found

    def _plateaus(self, palette, both):
        """A layer with a thick line at the latency of each level, from where the one before has ended to its own end."""
        rows = []
        for label, found in self.levels:
            start = 1
            for level in found:
                onset, end = levels.transition(level)
                size = level.get("bytes")
                until = onset or (size["value"] if size else self.walked.get(label, 0))
                if until > start and not level.get("unfinished"):
                    rows.append({"series": label, "colour": palette[label], "start": start, "until": until,
                                 "latency": level["latency_ns"]["value"]})  # fmt: skip
                start = end or (size["value"] if size else until)
        look = {"type": "rule", "strokeWidth": 9, "opacity": 0.3, "clip": True}
        return [
            _layer(
                rows, look, {"x": both.x("start"), "x2": {"field": "until"}, "y": both.y("latency"), "stroke": _COLOUR}
            )
        ]

    @property
    def _edges_by_size(self):
        """The labels of the curves that have an edge, by its size in bytes."""
        found = {}
        for label, size_bytes in sorted(self.edges, key=lambda edge: edge[1]):
            found.setdefault(size_bytes, []).append(label)
        return found

    def _edge_layers(self, x, height):
        rows = []
        for number, (size_bytes, labels) in enumerate(self._edges_by_size.items()):
            whose = labels[0] if len(labels) == 1 else f"{len(labels)} curves"
            text = f"address translation, {whose}" if len(self.edges) > 1 else "address translation"
            y = height - _RANGE_PIXELS * self._rows_of_ranges - _LABEL_PIXELS * (number + 0.5) - 4
            # Each has its rule, which is hidden with its curve; the words stand there once.
            rows += [{"series": label, "at": size_bytes, "text": text if label == labels[0] else "", "y": y}
                     for label in labels]  # fmt: skip
        said = f"(width < {_NARROW_PIXELS} ? replace(datum.text, 'address ', '') : datum.text)"
        # To the left of its rule where it would not fit to the right of it.
        fits = f"scale('x', datum.at) + {CHARACTER_PIXELS} * length({said}) < width"
        place = {"type": "text", "fontSize": 12, "baseline": "middle", "clip": True, "y": _expr("datum.y"),
                 "align": _expr(f"{fits} ? 'left' : 'right'"), "dx": _expr(f"{fits} ? 6 : -6")}  # fmt: skip
        place["text"], at = _expr(said), {"x": x("at")}
        # The white outline keeps other rules out of the text.
        return [
            _layer(
                rows, {"type": "rule", "color": NEUTRAL, "strokeWidth": 1.4, "strokeDash": [2, 4], "clip": True}, at
            ),
            _layer(rows, {**place, "stroke": "white", "strokeWidth": 5}, at),
            _layer(rows, {**place, "color": NEUTRAL}, at),
        ]


def of_curves(view, entries):
    """The levels that were found on labelled curves, and their edges of address translation."""
    found = [(entry.label, levels.levels_of(entry)) for entry in entries]
    found = [each for each in found if each[1]]
    walked = {entry.label: max(point.x["bytes"] for point in entry.points) for entry in entries}
    return Marks(found, findings.translation_edges(view, entries), walked) if len(found) <= _MOST_SERIES else Marks()


def _layer(rows, mark, encoding):
    return {"data": {"values": rows}, "mark": mark, "encoding": encoding}


def _expr(text):
    return {"expr": text}


def _nominal(field):
    return {"field": field, "type": "nominal"}


# A row's own colour.
_COLOUR = {"field": "colour", "type": "nominal", "scale": None}


def _is_wide(level, curves):
    """Whether the interval of a level's size is no band: it is known worse than to a factor, or bands of many curves meet."""
    size = level.get("bytes")
    return bool(size) and (size["high"] > _WIDEST_BAND * max(1, size["low"]) or curves > _MOST_WITH_BANDS)


def _sizes(levels_found, palette, x, height):
    """Layers in the plot: a rule at each size, and its interval as a band, or at the foot where that is wide."""
    edges, narrow, ranges, number = [], [], [], 0
    for label, found in levels_found:
        for level in filter(lambda level: level.get("bytes"), found):
            size, dashed = level["bytes"], style.is_dashed(level.get("api"))
            row = {"series": label, "colour": palette[label], "at": size["value"], "low": max(1, size["low"]),
                   "high": size["high"], "dashed": dashed}  # fmt: skip
            edges.append(row)
            if not _is_wide(level, len(levels_found)):
                narrow.append(row)
            else:
                ranges.append({**row, "y": height - 5 - _RANGE_PIXELS * number})
        number += any(_is_wide(level, len(levels_found)) for level in found)
    dash = _expr(f"datum.dashed ? {style.DASH} : [1, 0]")
    across = {"x": x("low"), "x2": {"field": "high"}}
    return [
        _layer(narrow, {"type": "rect", "opacity": 0.15, "clip": True}, {**across, "fill": _COLOUR}),
        _layer(edges, {"type": "rule", "strokeWidth": 1.2, "opacity": 0.75, "clip": True, "strokeDash": dash},
               {"x": x("at"), "stroke": _COLOUR}),
        _layer(ranges, {"type": "rule", "strokeWidth": 2, "clip": True, "y": _expr("datum.y")}, {**across, "stroke": _COLOUR}),
    ]  # fmt: skip


def _names(levels_found, palette):
    """Layers above the plot: a row for each series, with the size and latency of each level above where it serves."""
    cells = []
    for number, (label, found) in enumerate(levels_found):
        top = -_ROW_PIXELS * (len(levels_found) - number) - _GAP_PIXELS / 2
        start = 1
        for level in found:
            size = level.get("bytes")
            end = size["value"] if size else 2.0**62
            cells.append({
                "series": label, "colour": palette[label], "start": start, "end": end, "top": top,
                "foot": top + _BAR_PIXELS, "middle": top + _BAR_PIXELS / 2 + 0.5, **_texts(level),
            })  # fmt: skip
            start = end
    short = _without_what_they_share([label for label, _ in levels_found])
    names = list(
        {
            cell["series"]: {**cell, "name": short[cell["series"]], "text_colour": style.text_colour(cell["colour"])}
            for cell in cells
        }.values()
    )
    left, right = (f"clamp(scale('x', datum.{end}), 0, width)" for end in ("start", "end"))
    choice = "''"
    for name in ("tiny", "small", "medium", "large", "whole"):
        choice = f"{right} - {left} > {CHARACTER_PIXELS} * length(datum.{name}) + 8 ? datum.{name} : {choice}"
    # Unless told otherwise, a chart that can be zoomed clips its marks to the plot.
    text = {"type": "text", "clip": False, "fontSize": 12, "baseline": "middle", "y": _expr("datum.middle")}
    return [
        # Where a pointer finds the level; nothing is seen of it.
        _layer(cells, {"type": "rect", "clip": False, "opacity": 0, "x": _expr(f"{left} + 1"),
                       "x2": _expr(f"max({left} + 1, {right} - 1)"), "y": _expr("datum.top"), "y2": _expr("datum.foot")},
               {"fill": _COLOUR, "tooltip": _tooltip()}),
        _layer(cells, {"type": "rect", "clip": False, "opacity": 0.75, "y": _expr("datum.top"), "y2": _expr("datum.foot"),
                       "x": _expr(f"{right} - 0.6"), "x2": _expr(f"{right} + ({right} < width ? 0.6 : -0.6)")},
               {"fill": _COLOUR}),
        _layer(cells, {**text, "color": "#222", "align": "center", "text": _expr(choice),
                       "x": _expr(f"({left} + {right}) / 2")}, {}),
        _layer(names, {**text, "align": "right", "x": 0, "dx": -7, "limit": 130}, {"text": _nominal("name"), "fill": {**_COLOUR, "field": "text_colour"}}),
    ]  # fmt: skip


def _without_what_they_share(labels):
    """Each label by itself without the words, between commas, that all begin or end with: there is little room."""
    short = {label: label.split(", ") for label in labels}
    for end in (0, -1) if len(short) > 1 else ():
        while all(len(words) > 1 for words in short.values()) and len({words[end] for words in short.values()}) == 1:
            for words in short.values():
                del words[end]
    return {label: ", ".join(words) for label, words in short.items()}


def _texts(level):
    """The texts of a level's part of the row, of which the longest that fits is shown, and of its hover box."""
    latency = ("> " if level.get("unfinished") else "") + formats.latency(level["latency_ns"]["value"])
    texts = {"name_text": levels.name(level), "size_text": levels.size_text(level),
             "transition_text": levels.transition_text(level), "latency_text": levels.latency_text(level)}  # fmt: skip
    if not level.get("bytes"):
        whole = f"{levels.name(level)}: {latency}"
        return {**texts, "whole": whole, **dict.fromkeys(("large", "medium", "small"), latency), "tiny": ""}
    size = formats.size_short(level["bytes"]["value"])
    both = f"{size}, {latency}"
    return {**texts, "whole": f"{levels.name(level)}: {both}", "large": f"{level['level']}: {both}", "medium": both,
            "small": size, "tiny": str(level["level"])}  # fmt: skip


def _tooltip():
    titles = {"series": "series", "name_text": "level", "size_text": "size", "transition_text": "transition",
              "latency_text": "latency"}  # fmt: skip
    return [{**_nominal(name), "title": title} for name, title in titles.items()]
