"""How every picture looks: colour is what a curve is of, marker and dash are its API, a bar or band its interval.

Where all curves are of one thing, colour tells the APIs apart too.
"""

import textwrap
from collections import Counter

from sonde_tools.devices import API_NAMES

FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif"

# Okabe and Ito's colours first, which stay apart for colour-blind readers; those too pale for a line are darkened.
CPU_COLOUR = "#4d4d4d"
COLOURS = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#3aa0dc", CPU_COLOUR, "#332288", "#882255", "#117733",
    "#999933", "#cc6677", "#661100", "#44aa99", "#8e3a80",
]  # fmt: skip
# Words of a curve's colour are darker where its line would be too pale to be read.
_TEXT_COLOURS = {
    "#777777": "#5b6470",
    "#d55e00": "#b04c00", "#009e73": "#00785a", "#cc79a7": "#a8487f", "#b8860b": "#876100", "#3aa0dc": "#0f6fa8",
    "#999933": "#6b6b1e", "#cc6677": "#b03d50", "#44aa99": "#1f7a6b",
}  # fmt: skip
# Every second one is Vulkan's; more curves than there are colours go on with the next two.
_MARKERS = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross"]
_DASHED_API = "vulkan"
# How labels say that a light stream kept the memory awake.
KEPT_AWAKE = "fabric loaded"
DASH = [5, 3]
# The subtitle's characters that fit a picture's width.
_SUBTITLE_CHARACTERS = 165

CONFIG = {
    "font": FONT,
    "view": {"stroke": None},
    "title": {"anchor": "start", "frame": "group", "fontSize": 21, "subtitleFontSize": 13, "subtitleColor": "#555",
              "subtitleLineHeight": 18, "subtitlePadding": 7, "offset": 14},
    "axis": {"labelFontSize": 12, "titleFontSize": 13, "titleFontWeight": "normal", "labelColor": "#333",
             "titleColor": "#333", "gridColor": "#e4e4e4", "domainColor": "#888", "tickColor": "#888", "titlePadding": 10},
    "legend": {"labelFontSize": 14, "labelLimit": 420, "columnPadding": 22, "symbolOpacity": 1},
}  # fmt: skip


def _what(label, api):
    """What a curve is of: its label without the API, and without whether memory was kept awake beside it."""
    return ", ".join(word for word in label.split(", ") if word not in (API_NAMES.get(api, api), KEPT_AWAKE))


def _numbers(labelled):
    """{label: (which of all that the curves are of, API)}."""
    numbers, found = {}, {}
    for entry in labelled:
        number = numbers.setdefault(_what(entry.label, entry.curve.api), len(numbers))
        found.setdefault(entry.label, (number, entry.curve.api))
    return found


def colours(labelled):
    """{label: colour}: curves of the same thing through two APIs share one, unless there is nothing else to tell apart."""
    numbers = _numbers(labelled)
    if len({number for number, _ in numbers.values()}) == 1:
        return {label: COLOURS[is_dashed(api)] for label, (_, api) in numbers.items()}
    return {label: COLOURS[number % len(COLOURS)] for label, (number, _) in numbers.items()}


def markers(labelled):
    """{label: Vega's name of its marker}."""
    found, seen = {}, Counter()
    for label, (number, api) in _numbers(labelled).items():
        # A second curve of the same thing and API has the next markers.
        found[label] = _MARKERS[(_round(number) + 2 * seen[number, api] + is_dashed(api)) % len(_MARKERS)]
        seen[number, api] += 1
    return found


def _round(number):
    """Where the markers begin each time that the colours do: one's own, and at last those of the other API."""
    rounds = number // len(COLOURS)
    return 2 * rounds + 2 * rounds // len(_MARKERS)


def text_colour(colour):
    """The colour of words about what is drawn in a colour: 4.5 times as dark as paper."""
    return _TEXT_COLOURS.get(colour, colour)


def palette(names):
    """{name: colour} of what is of no API, or of one."""
    return {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(names)}


def is_dashed(api):
    """Whether the lines of an API are dashed."""
    return api == _DASHED_API


def subtitle(lines):
    """The lines as they fit a picture."""
    return [part for line in lines for part in textwrap.wrap(line, _SUBTITLE_CHARACTERS)]
