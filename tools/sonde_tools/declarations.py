"""What a file declares of its curves and findings: titles, axes, which way is better, tables, names for `compare`."""

from dataclasses import dataclass, field

from sonde_tools import old_files
from sonde_tools.series import word

HIGHER, LOWER = "higher", "lower"


@dataclass(frozen=True)
class TableOfCurves:
    """The table that a curve belongs in; rows and columns are keys of series or x, or "title"."""

    title: str
    rows: list
    columns: list


@dataclass(frozen=True)
class DeclaredCurve:
    """What one curve is: its title, the coordinate that it is drawn over (empty for none), which way is better."""

    title: str
    x: str
    better: str | None
    table: TableOfCurves | None


@dataclass(frozen=True)
class FindingKind:
    """What a fixed word of findings means; feature: what `compare` calls it, empty where it does not compare it.

    compared: by "ratio", "difference" or "word"; per_clock: 1 for a time in core cycles, -1 for a rate by them, else 0.
    """

    heading: str
    better: str | None = None
    named_by: tuple = ()
    feature: str = ""
    compared: str = "ratio"
    per_clock: int = 0


@dataclass(frozen=True)
class Declarations:
    """The `curve` and `finding-kind` records of a file; what it does not declare is as older files have it."""

    curves: dict = field(default_factory=dict)  # by probe, words of the series and unit
    finding_kinds: dict = field(default_factory=dict)  # by probe and word

    def curve(self, probe, series, unit):
        """The DeclaredCurve of a series (object, as its samples have it), or None where none is known."""
        return self.curves.get((probe, frozenset(series.items()), unit)) or _old_curve(probe, series, unit)

    def finding_kind(self, probe, finding):
        """The FindingKind of a fixed word; one that nobody declares has its own word as heading."""
        known = self.finding_kinds.get((probe, finding)) or _OLD_FINDING_KINDS.get((probe, finding))
        return known or FindingKind(finding.replace("-", " ").capitalize())


def read(curve_records, finding_kind_records):
    """The Declarations of a file's records."""
    return Declarations(
        {(one["probe"], frozenset(one["series"].items()), one["unit"]): _curve(one) for one in curve_records},
        {(one["probe"], one["finding"]): _finding_kind(one) for one in finding_kind_records},
    )


def _curve(record):
    table = record.get("table")
    rows, columns = (old_files.keys(table[name]) if table else [] for name in ("rows", "columns"))
    made = TableOfCurves(table["title"], rows, columns) if rows and columns else None
    return DeclaredCurve(record["title"], record["x"], record.get("better"), made)


def _finding_kind(record):
    return FindingKind(
        record["heading"], record.get("better"), tuple(record.get("named_by") or ()), record.get("feature") or "",
        record.get("compared") or "ratio", record.get("per_clock") or 0,
    )  # fmt: skip


_OLD_CURVES = [(record, varies, _curve(record)) for record, varies in old_files.curves()]
_OLD_FINDING_KINDS = {(one["probe"], one["finding"]): _finding_kind(one) for one in old_files.finding_kinds()}


def _old_curve(probe, series, unit):
    for record, varies, declared in _OLD_CURVES:
        fixed = record["series"]
        has_all = all(word(series, key) == each for key, each in fixed.items())
        if (record["probe"], record["unit"]) == (probe, unit) and has_all and series.keys() <= fixed.keys() | varies:
            return declared
    return None
