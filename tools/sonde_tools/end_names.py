"""Names of curves at their ends, so that few curves are read without a legend."""

import math

from sonde_tools import style

# The names of more curves would cover them, and the legend has all.
MOST_NAMED, _LONGEST_NAME = 4, 24
_NAME_PIXELS = 16


def layers(across, labelled, palette, both, height):
    """Layers with the name of each labelled curve at its last point, those that would meet moved apart.

    palette: colours by label; both: the chart's Axes; height: the plot's, in pixels. None where curves are many.
    """
    if not width_pixels(labelled):
        return []
    low, high = both.whole_y["scale"]["domain"]
    octaves = math.log(high / low) or 1.0  # all of a flat curve is at the foot
    # The second curve of a thing that was also measured beside a stream ends where the first does.
    first = {(palette[entry.label], entry.curve.api): entry for entry in reversed(labelled)}
    rows = []
    for entry in first.values():
        last = max(across.of([entry]), key=lambda placed: placed[1].x[across.coordinate])[1]
        share = math.log(min(max(last.median, low), high) / low) / octaves
        rows.append({"series": entry.label, "colour": style.text_colour(palette[entry.label]),
                     "at": last.x[across.coordinate], "line": height * (1 - share)})  # fmt: skip
    rows.sort(key=lambda row: row["line"])
    lines = [row["line"] for row in rows]
    # Above the plot's lines the highest stands above its line, the others below theirs.
    shifted = [line + (_NAME_PIXELS if number else -_NAME_PIXELS) for number, line in enumerate(lines)]
    for row, outside, inside in zip(rows, _apart(lines, height), _apart(shifted, height), strict=True):
        row |= {"outside": outside, "inside": inside}
    mark = {
        "type": "text", "baseline": "middle", "fontSize": 13, "fontWeight": "bold", "clip": False,
        "x": {"expr": "clamp(scale('x', datum.at), 0, width)"}, "y": {"expr": "names_outside ? datum.outside : datum.inside"},
        "align": {"expr": "names_outside ? 'left' : 'right'"}, "dx": {"expr": "names_outside ? 9 : -4"},
    }  # fmt: skip
    of_rows = {"data": {"values": rows}, "transform": [{"filter": {"param": "shown"}}]}
    said = {"text": {"field": "series", "type": "nominal"}}
    coloured = {"color": {"field": "colour", "type": "nominal", "scale": None}}
    # The outline keeps curves out of the words.
    return [
        {**of_rows, "mark": {**mark, "stroke": "white", "strokeWidth": 4}, "encoding": said},
        {**of_rows, "mark": mark, "encoding": {**said, **coloured}},
    ]


def width_pixels(labelled):
    """The width in pixels that names at the ends of these curves take; 0 where there are none."""
    longest = max(len(entry.label) for entry in labelled)
    return 14 + 8 * longest if len(labelled) <= MOST_NAMED and longest <= _LONGEST_NAME else 0


def _apart(lines, height):
    """Places (pixels) as near to the sorted ones as texts that must not meet can be, within the plot."""
    places, lowest = [], _NAME_PIXELS / 2
    for line in lines:
        places.append(max(lowest, line))
        lowest = places[-1] + _NAME_PIXELS
    highest = height - _NAME_PIXELS / 2
    for index in reversed(range(len(places))):
        places[index] = min(places[index], highest)
        highest = places[index] - _NAME_PIXELS
    return places
