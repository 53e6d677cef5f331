#!/usr/bin/env python3
"""Holds the words in host/ and tools/sonde_tools/ to the one table of them, docs/records.schema.json.

Fails with file:line on a word (of a series, an x, a unit, a finding or a probe) that the table lacks, and on every word
of the table that nothing in host/ writes.

Usage: tools/check_words.py [repository]
"""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

TABLE = Path("docs/records.schema.json")

# How a word is written or asked for: the kind of word, and a pattern whose group is the word. Of `series` the groups
# are a key and its word; any other first group is no key of a series, and so another table's.
CPP = [
    ("series", re.compile(r'\{\s*"([^"]+)",\s*"([^"]+)"\s*\}')),
    ("series", re.compile(r'series\["([^"]+)"\]\s*=\s*"([^"]+)"')),
    ("key", re.compile(r'series\["([^"]+)"\]')),
    ("key", re.compile(r'series\.(?:at|find|contains)\("([^"]+)"\)')),
    ("x", re.compile(r'\bx\["([^"]+)"\]')),
    ("x", re.compile(r'\bx\.(?:at|find|contains)\("([^"]+)"\)')),
    ("x", re.compile(r'\.x\s*=\s*\{\{"([^"]+)",')),
    ("unit", re.compile(r'\.unit\s*[!=]?=\s*"([^"]+)"')),
    ("finding", re.compile(r'\bfinding\.name\s*[!=]?=\s*"([^"]+)"')),
    ("probe", re.compile(r'\bprobe\s*[!=]=\s*"([^"]+)"')),
]
# In these folders nothing but a finding or a probe has such a name.
CPP_CONCLUDING = [("finding or probe", re.compile(r'\.name\s*=\s*"([^"]+)"'))]
CONCLUDING = ("host/probes/", "host/measure/")
# What a picture's parts are is a `type` to Vega-Lite too.
PYTHON = [
    ("series", re.compile(r'series\.get\("([^"]+)"(?:, "[^"]+")?\)\s*[!=]=\s*"([^"]+)"')),
    ("series", re.compile(r'series\.get\("([^"]+)", "([^"]+)"\)')),
    ("series", re.compile(r'"(?!type")([^"]+)": "([^"]+)"')),
    ("key", re.compile(r'series(?:\.get\(|\[)"([^"]+)"')),
    ("key", re.compile(r'"([^"]+)" (?:not )?in [\w.]*series\b')),
    ("x", re.compile(r'\bx(?:\.get\(|\[)"([^"]+)"')),
    ("unit", re.compile(r'\bunit\s*[!=]=\s*"([^"]+)"')),
    ("unit", re.compile(r'\bunit"\)\s*[!=]=\s*"([^"]+)"')),
    ("finding", re.compile(r'\["finding"\]\s*[!=]=\s*"([^"]+)"')),
    ("probe", re.compile(r'\bprobe\s*[!=]=\s*"([^"]+)"')),
    ("probe", re.compile(r'\["probe"\]\s*[!=]=\s*"([^"]+)"')),
]

# What writes records; other folders only read or show them.
NOT_WRITING = ("host/summary/", "host/commands/", "host/records/")
COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*')
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


@dataclass(frozen=True)
class Words:
    """The table: the words of each kind, and those of each key of a series, the default first."""

    kinds: dict
    series: dict
    flags: list  # of a Vulkan memory type; joined with + they are a word of `memory` too

    def lacks(self, kind, *word):
        """Whether the table has no such word; of kind `series`, of a key and a word, where the key has words."""
        if kind == "series":
            key, value = word
            known = self.series.get(key, [value])
            return value not in known and not (key == "memory" and set(value.split("+")) <= set(self.flags))
        return not any(word[0] in self.kinds[one] for one in kind.split(" or "))


def found_by(schema):
    """The words of each probe's findings."""
    listed = [one["properties"] for one in schema["finding"]["anyOf"]]
    return {one["probe"]["const"]: one["finding"]["enum"] for one in listed}


def table(root):
    """The words that the schema lists."""
    schema = json.loads((root / TABLE).read_text(encoding="utf-8"))["$defs"]
    keys = schema["series"]["properties"]
    named, by_flags = keys["memory"]["anyOf"]
    series = {key: words.get("enum", []) for key, words in keys.items() if key != "memory"} | {"memory": named["enum"]}
    kinds = {
        "probe": schema["probe"]["enum"],
        "unit": schema["unit"]["enum"],
        "finding": sorted(set().union(*found_by(schema).values())),
        "x": schema["x"]["propertyNames"]["enum"],
        "key": schema["series"]["propertyNames"]["enum"],
    }
    return Words(kinds, series, re.match(r"\^\(([^)]*)\)", by_flags["pattern"])[1].split("|"))


def without_comments(text):
    """C++ with its line comments taken out."""
    return COMMENT.sub(lambda found: found[1] or "", text)


def unknown_words(path, text, words):
    """(line, kind, word) for each word in a source of this path that the table lacks."""
    rules = PYTHON if path.endswith(".py") else CPP + (CPP_CONCLUDING if path.startswith(CONCLUDING) else [])
    code = text if path.endswith(".py") else without_comments(text)
    for kind, pattern in rules:
        for found in pattern.finditer(code):
            if words.lacks(kind, *found.groups()):
                yield code.count("\n", 0, found.start()) + 1, kind, " ".join(found.groups())


def unwritten_words(sources, words):
    """(kind, word) for each word of the table that is no literal in any C++ text; an absent key means its default."""
    literals = {literal for text in sources for literal in LITERAL.findall(without_comments(text))}
    asked = [(kind, word) for kind, listed in words.kinds.items() for word in listed]
    asked += [(key, word) for key, listed in words.series.items() for word in listed[1:]]
    asked += [("memory", flag) for flag in words.flags]
    return [(kind, word) for kind, word in asked if word not in literals]


def main(arguments):
    """The complaints about a repository on standard output, and 1 where there are any."""
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    words = table(root)
    sources = {
        str(path.relative_to(root)): path.read_text(encoding="utf-8")
        for pattern in ("host/**/*.cpp", "host/**/*.hpp", "tools/sonde_tools/**/*.py")
        for path in sorted(root.glob(pattern))
    }
    complaints = [
        f"{path}:{line}: {TABLE} has no {kind} {word!r}"
        for path, text in sources.items()
        for line, kind, word in unknown_words(path, text, words)
    ]
    writing = [text for path, text in sources.items() if path.startswith("host/") and not path.startswith(NOT_WRITING)]
    complaints += [
        f"{TABLE}: nothing in host/ writes {kind} {word!r}" for kind, word in unwritten_words(writing, words)
    ]
    print(*complaints, sep="\n", end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
