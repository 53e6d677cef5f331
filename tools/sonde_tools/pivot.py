"""Tables as curves declare them: a row for each value of some keys, a column for each of others, in the cells medians."""

import math

from sonde_tools import formats, parts
from sonde_tools.sections import Table

# A page has no room for more: pictures draw them, and CSV files have them.
_MOST_COLUMNS = 32
# The telling sizes alone are rows where there are more.
_MOST_SIZES = 16
_CORNERS = {"bytes": "Working set", "from": "From", "width": "Resolution", "cpu_threads": "Threads"}
# Coordinates that say nothing by themselves of where a point is.
_OF_EVERY_POINT = {"bytes", "cpu_threads"}


def tables(entries):
    """The Tables that the files of labelled curves declare: one for each source, and for each set of further words."""
    declared = [(entry, entry.declared) for entry in entries]
    declared = [(entry, curve) for entry, curve in declared if curve and curve.table]
    by_title = {}
    for entry, curve in declared:
        by_title.setdefault(curve.title, []).append(set(entry.curve.words.values()))
    found = {}
    for entry, curve in declared:
        # Words that all curves of a title have are said by the title.
        said = set.intersection(*by_title[curve.title]) if "title" in _keys(curve.table) else set()
        words = tuple(
            word for key, word in sorted(entry.curve.words.items())
            if key not in _keys(curve.table) and word not in said
        )  # fmt: skip
        found.setdefault((curve.table.title, _source(entry)), {}).setdefault(words, []).append((entry, curve))
    made = []
    for (_, source), by_words in found.items():
        placed = {words: _placed(cells) for words, cells in by_words.items()}
        # Curves that never meet in a cell are one table: those of near and of far nodes.
        if sum(map(len, placed.values())) == len(set().union(*placed.values())):
            placed = {(): {place: point for each in placed.values() for place, point in each.items()}}
            by_words = {(): [cell for cells in by_words.values() for cell in cells]}
        made += [_table(source, _different(words, placed), by_words[words], placed[words]) for words in placed]
    return made


def _keys(table):
    return table.rows + table.columns


def _source(entry):
    """'OpenCL', or of several files 'OpenCL 3.1'."""
    return entry.label.removesuffix(entry.suffix).split(",")[0] + entry.suffix


def _different(words, all_words):
    """Those of the words that not every table of this title has."""
    return [word for word in words if not all(word in other for other in all_words)]


def _placed(cells):
    """{(row, column): (point, unit)} of (labelled curve, DeclaredCurve) pairs of one table."""
    placed, order = {}, {}
    for entry, curve in cells:
        for point in entry.points:
            place = tuple(
                _heading(keys, entry, curve, point, order) for keys in (curve.table.rows, curve.table.columns)
            )
            if place not in placed or _stands_for(point, placed[place][0], curve.better):
                placed[place] = point, entry.curve.unit
    return placed


def _table(source, words, cells, placed):
    """One Table of what _placed made of cells."""
    declared = cells[0][1].table
    columns = sorted({column for _, column in placed})
    units = {entry.curve.unit for entry, _ in cells}
    unit = _unit_text(units.pop()) if len(units) == 1 and "title" not in _keys(declared) else ""
    caption = f"{', '.join([declared.title + unit, source, *words])}: median, first to third quartile"
    names = [text for _, text in columns]
    if len(columns) > _MOST_COLUMNS:
        return Table(f"{caption}; its {len(columns)} columns are in the files of --csv", [], [])
    sizes = {row[0][0] for row, _ in placed if declared.rows == ["bytes"]} - {math.inf}
    if len(sizes) > _MOST_SIZES:
        by_column = [
            {row[0][0]: point for (row, other), (point, _) in placed.items() if other == column and row[0][0] in sizes}
            for column in columns
        ]
        return parts.telling_rows(caption, names, by_column, cells[0][0].curve.unit)
    rows = [
        (row[1], [parts.cell(*placed[row, column]) if (row, column) in placed else parts.NOTHING for column in columns])
        for row in sorted({row for row, _ in placed})
    ]
    corner = _CORNERS.get(declared.rows[0], declared.rows[0].replace("_", " ").capitalize())
    return Table(caption, ["What" if corner == "Title" else corner, *names], rows)


def _stands_for(point, other, better):
    """Whether, of two points of a cell, this one is shown: with nothing varied beside, the larger set, the better shape."""
    if len(point.x) != len(other.x):
        return len(point.x) < len(other.x)
    sizes = point.x.get("bytes", 0), other.x.get("bytes", 0)
    if sizes[0] != sizes[1]:
        return sizes[0] > sizes[1]
    return point.median > other.median if better == "higher" else better == "lower" and point.median < other.median


def _heading(keys, entry, curve, point, order):
    """What a point's row or column is sorted by, and its name: numbers by their value, words in the order of the file."""
    places, texts = [], []
    for key in keys:
        if key in point.x:
            places.append(point.x[key])
            # The corner of the table says what a single number is.
            alone = keys == curve.table.rows == [key] and key not in ("bytes", "cpu_threads")
            texts.append(f"{point.x[key]:g}" if alone else _number_text(key, point.x))
        else:
            word = curve.title + _unit_text(entry.curve.unit) if key == "title" else entry.curve.words.get(key, "")
            places.append(order.setdefault(word, len(order)))
            texts.append(word)
    if not any(texts):  # another experiment of the same curve, whose row says where it is
        other = {
            key: value for key, value in point.x.items() if key not in _OF_EVERY_POINT and keys is curve.table.rows
        }
        return (math.inf, *other.values()), ", ".join(formats.coordinate(*each) for each in other.items())
    return tuple(places), ", ".join(filter(None, texts))


def _unit_text(unit):
    return "" if unit in ("bytes", "ratio") else f", {unit}"


def _number_text(key, x):
    if key == "height" and "width" in x:
        return ""  # said with the width
    if key == "width" and "height" in x:
        return formats.resolution(x)
    if key == "cpu_threads":
        return formats.threads(x[key])
    return f"{x[key]:g}" if key in ("from", "to") else formats.coordinate(key, x[key])
