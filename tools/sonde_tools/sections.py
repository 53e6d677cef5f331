"""What a report is made of: one Section a probe, each a few pure functions on a DeviceView."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """One field of a table: its value, a smaller second line, and whether it was disturbed."""

    text: str
    detail: str = ""
    disturbed: bool = False


@dataclass(frozen=True)
class Table:
    """A table: headings name the columns, each row is a heading and its cells; groups (name, columns) stand above."""

    caption: str
    headings: list
    rows: list
    groups: list = field(default_factory=list)


@dataclass(frozen=True)
class Figure:
    """A further picture, which the page shows when asked; name is part of its id."""

    name: str
    heading: str
    chart: object
    legend: str


@dataclass(frozen=True)
class Section:
    """One probe's part of the report; name is also the first part of its pictures' file names."""

    name: str
    heading: str
    applies: Callable  # view -> whether it holds anything for this section
    summary: Callable  # view -> list of (colour, text), the first thing a reader sees
    chart: Callable  # view -> Picture, or None where words say all
    legend: Callable  # view -> sentences below the picture: what is drawn
    tables: Callable  # view -> list of Tables
    further: Callable = lambda _view: []  # view -> list of Figures
    probes: tuple = ()  # whose samples it shows; where none is given, those of the probe of its name
    pages: tuple = ()  # those of docs/method that say how it was measured; where none is given, those of its probes

    @property
    def shown_probes(self):
        """The probes whose samples it shows."""
        return self.probes or (self.name,)

    @property
    def method_pages(self):
        """The names of its pages of docs/method."""
        return self.pages or self.shown_probes
