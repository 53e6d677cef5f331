"""Long series as few rows: a picture has no more columns of pixels."""

import polars

from sonde_tools.traffic.runs import gbps

COLUMNS = 1000
# Of several runs over one another: so many that a line is one, and not a cloud.
FEW_COLUMNS = 250
# A browser is slow with more things to point at.
_HOVERED = 250


def reduced(intervals, name, count=COLUMNS, zero=0.0):
    """Lists by name for a Line, a row a column of pixels: t, median, minimum and maximum (null where unknown), intervals.

    name: of bytes, which become GB/s, or of another column. zero: the time that is 0 in the picture. A row without
    numbers stands where intervals are missing; alone says that a value has no neighbour to draw a line to, hovered that
    a pointer finds it.
    """
    value = polars.col(name).alias(name) if name in ("hit_rate", "cpu_latency_ns") else gbps(name)
    rows = (
        intervals.with_columns(value, _column(intervals, count).alias("column"))
        .group_by("column", maintain_order=True)
        .agg(
            polars.col("t").mean(), polars.col(name).median().alias("median"), polars.col(name).min().alias("minimum"),
            polars.col(name).max().alias("maximum"), polars.len().alias("intervals"), polars.col("gap").first(),
            begin=polars.col("t").first(),
        )
    )  # fmt: skip
    before = rows.filter(polars.col("gap").fill_null(False)).select("column", t=polars.col("begin"))
    ordered = (
        polars.concat([before, rows.drop("gap", "begin")], how="diagonal")
        .sort("column", "t", maintain_order=True)
        .with_columns((polars.col("t") - zero).round(6))
    )
    unknown = polars.col("median").is_null()
    alone = ~unknown & unknown.shift(1, fill_value=True) & unknown.shift(-1, fill_value=True)
    hovered = polars.int_range(polars.len()) % (1 + len(ordered) // _HOVERED) == 0
    ordered = ordered.with_columns(
        alone=polars.when(alone).then(True), hovered=polars.when((hovered | alone) & ~unknown).then(True)
    ).drop("column")
    return {each.name: each.to_list() for each in ordered if each.null_count() < len(each)}


def _column(intervals, count):
    """Which column of pixels an interval is in; of few each has its own."""
    if len(intervals) <= count:
        return polars.int_range(len(intervals), dtype=polars.Int64)
    first, last = intervals["t"][0], intervals["t"][-1]
    share = (polars.col("t") - first) / ((last - first) or 1.0)
    return (share * count).clip(0, count - 1).cast(polars.Int64)
