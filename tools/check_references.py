#!/usr/bin/env python3
"""Finds references to files of the repository that do not exist.

Prints file:line for each, and ends with 1 where there is one. A reference is a path below one of the source folders in
a page or in a comment, with an extension or a slash at its end, or a link of a page to a file.

Usage: tools/check_references.py [repository]
"""

import re
import sys
from pathlib import Path

FOLDERS = ("docs", "host", "kernels", "shaders", "tests", "tools")
# What is a comment, by the end of a file's name; scripts have no such end, and all of a page counts.
COMMENTS = dict.fromkeys((".cpp", ".hpp", ".h", ".c", ".cl", ".comp", ".glsl", ".cu"), re.compile(r"//.*"))
COMMENTS |= dict.fromkeys((".py", ".cmake", ".txt", ""), re.compile(r'(?<!\S)# .*|"""(?:.|\n)*?"""'))
COMMENTS[".md"] = re.compile(r".*")

PATH = re.compile(rf"(?<![\w./:-])(?:{'|'.join(FOLDERS)})/[\w./+-]*?(?:/|\.\w+)(?![\w/+-]|\.\w)")
LINK = re.compile(r"\]\(([^):#\s]+)(?:#[^)]*)?\)")
# Names in capitals and of one letter, such as NAME.cpp and a.cl, stand for any; tools/perf/ is the Linux kernel's.
NO_REFERENCE = re.compile(r"(?<![A-Za-z])(?!README)[A-Z]+(?![a-z])|/\w\.|^tools/perf/")


def text_of_comments(text, pattern):
    """The text with everything but its comments blanked, so that lines keep their numbers."""
    kept = list(re.sub(r"[^\n]", " ", text))
    for found in pattern.finditer(text):
        kept[found.start() : found.end()] = found[0]
    return "".join(kept)


def dead_references(root, path):
    """(line, reference) for each reference of a file that leads nowhere."""
    text = text_of_comments(path.read_text(encoding="utf-8", errors="replace"), COMMENTS[path.suffix])
    references = [(found.start(), found[0], root) for found in PATH.finditer(text)]
    if path.suffix == ".md":
        references += [(found.start(), found[1], path.parent) for found in LINK.finditer(text)]
    for start, reference, base in references:
        if not (base / reference).exists() and not NO_REFERENCE.search(reference):
            yield text.count("\n", 0, start) + 1, reference


def main(arguments):
    """The complaints about a repository on standard output, and 1 where there are any."""
    root = Path(arguments[0] if arguments else Path(__file__).parents[1]).resolve()
    files = [*root.glob("*.md"), *(path for folder in FOLDERS for path in (root / folder).rglob("*") if path.is_file())]
    files = sorted(path for path in files if path.suffix in COMMENTS)
    dead = [(path.relative_to(root), *found) for path in files for found in dead_references(root, path)]
    for path, line, reference in dead:
        print(f"{path}:{line}: there is no {reference}")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
