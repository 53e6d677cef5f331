"""What a report is made of: one Section a probe, each a few pure functions on a DeviceView."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """One field of a table: its value, a smaller second line, and whether it was disturbed."""

    text: str
    detail: str = ""
    disturbed: bool = False


@dataclass(frozen=True)
class Table:
    """A table with a caption; headings name the columns, each row is a heading and its cells."""

    caption: str
    headings: list
    rows: list


@dataclass(frozen=True)
class Section:
    """One probe's part of the report; name is also the first part of its pictures' file names."""

    name: str
    heading: str
    applies: Callable  # view -> whether it holds anything for this section
    summary: Callable  # view -> list of (colour, text), the first thing a reader sees
    chart: Callable  # view -> Altair chart
    legend: Callable  # view -> sentences below the picture: what is drawn
    table: Callable  # view -> Table
    method: Callable  # view -> list of paragraphs: how it was measured
