"""References to files that do not exist are found, and nothing else is taken for one."""

import importlib.util
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check_references.py"
SPECIFICATION = importlib.util.spec_from_file_location("check_references", TOOL)
check_references = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(check_references)

# These stand apart from the text after them, which the checker would otherwise read as a comment of this file.
HASH = "#"
QUOTES = '"' * 3

GOOD = {
    "README.md": "See [the page](docs/page.md#part), host/probes/walk.cpp, host/probes/ and https://x.org/host/no.cpp.\n",
    "docs/page.md": "[back](../README.md), [web](https://x.org), [here](#part), build/test/tests/no.cpp, host/NAME.cpp.\n",
    "host/probes/walk.cpp": '// tests/data/*.jsonl, docs/page.md.\nconst char* path = "host/made/up.cpp";  // kernels/a.cl\n',
    "tests/data/curve.jsonl": "docs/no.md\n",
    "tools/run": f'{HASH} host/probes/walk.cpp\necho "host/made/up.cpp"\n',
}

BAD = [
    ("README.md", "First line.\nSee [the page](docs/no.md).\n", "README.md:2: there is no docs/no.md"),
    ("docs/page.md", "[beside](no.md)\n", "docs/page.md:1: there is no no.md"),
    ("docs/page.md", "Files are in host/no/.\n", "docs/page.md:1: there is no host/no/"),
    ("host/probes/walk.cpp", "\n// as docs/no.md. says\n", "host/probes/walk.cpp:2: there is no docs/no.md"),
    ("tools/run", f"#!/bin/sh\n{HASH} host/no.cpp\n", "tools/run:2: there is no host/no.cpp"),
    ("tools/draw.py", f"{QUOTES}\nReads tests/no.json.\n{QUOTES}\n", "tools/draw.py:2: there is no tests/no.json"),
]


def written(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def test_a_good_tree_passes(tmp_path, capsys):
    assert check_references.main([str(written(tmp_path, GOOD))]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("path", "text", "said"), BAD)
def test_a_dead_reference_is_told_with_its_place(tmp_path, capsys, path, text, said):
    assert check_references.main([str(written(tmp_path, GOOD | {path: text}))]) == 1
    assert said in capsys.readouterr().out.splitlines()


def test_the_repository_passes(capsys):
    assert check_references.main([]) == 0, capsys.readouterr().out
