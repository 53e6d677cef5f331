"""The pages of docs/method, one a probe: the question that it answers, and the summary that the report shows."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# The pages stand beside the package where that is installed, else in the checkout.
_HERE = Path(__file__).resolve().parent
_FOLDERS = (_HERE.parent / "method", _HERE.parents[1] / "docs/method")


@dataclass(frozen=True)
class MethodPage:
    """One page: its title, the question that the probe answers, how it does so in a paragraph, and the page's name."""

    title: str
    question: str
    summary: str
    name: str


@cache
def page(probe):
    """The MethodPage of a probe, or None where it has none."""
    for folder in _FOLDERS:
        file = folder / f"{probe}.md"
        if re.fullmatch(r"[a-z0-9-]{1,50}", probe) and file.is_file():
            return _read(file)
    return None


def _read(file):
    paragraphs = [_plain(text) for text in file.read_text(encoding="utf-8").split("\n\n")]
    title, summary = paragraphs[0].removeprefix("# "), paragraphs[1]
    question = paragraphs[paragraphs.index("## Question") + 1] if "## Question" in paragraphs else title
    return MethodPage(title, question, summary, f"docs/method/{file.name}")


def _plain(text):
    """A paragraph of Markdown in one line, without marks."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(text.split()))
    return re.sub(r"`|\*\*", "", text)
