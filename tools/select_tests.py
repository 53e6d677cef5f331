#!/usr/bin/env python3
"""Finds the tests that names stand for, and what has to be built for them.

tools/select_tests.py BUILD NAME… reads the configured folder BUILD and prints, a line each: `target NAME` for the build,
`ctest REGEX` for the C++ tests and `pytest NODE` for the Python tests. It ends with 2 where a name stands for no test.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CPP_TEST = re.compile(r"^\s*(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+)\s*,\s*(\w+)", re.MULTILINE)
PYTHON_TEST = re.compile(r"^def (test_\w+)", re.MULTILINE)
CTEST_ENTRY = re.compile(r'^add_test\((?:\[=\[)?(\S+?)(?:\]=\])? "([^"]+)"', re.MULTILINE)


def short(path):
    """The path without what all tests have in theirs: tests/unit/compute_test.cpp is unit/compute."""
    folder, _, stem = re.sub(r"\.(cpp|py)$", "", str(path)).removeprefix("tests/").rpartition("/")
    stem = stem.removeprefix("test_").removesuffix("_test")
    return f"{folder}/{stem}" if folder else stem


def ctest_programs(build):
    """The path of the program of each test of ctest."""
    texts = [file.read_text() for file in sorted(build.glob("tests/*/CTestTestfile.cmake"))]
    return {name: Path(program) for text in texts for name, program in CTEST_ENTRY.findall(text)}


class Tests:
    """All tests, by short names: those of ctest, and the files that hold tests."""

    def __init__(self, build):
        self.programs = ctest_programs(build)
        self.by_name = {}
        for test in self.programs:
            self.by_name.setdefault(test.replace(".", "/"), set()).add(("ctest", test))
        for file in sorted(ROOT.glob("tests/*/*_test.cpp")):
            self.by_name.setdefault(short(file.relative_to(ROOT)), set()).update(self.of_source(file))
        for folder in ("report", "compare", "tools", "program"):
            for file in sorted(ROOT.glob(f"tests/{folder}/test_*.py")):
                path = str(file.relative_to(ROOT))
                self.by_name.setdefault(short(path), set()).add(("pytest", path))

    def of_source(self, file):
        """The tests of ctest that run a source: its own, or else those of its folder, whose programs hold all sources."""
        own, folder = f"{file.parent.name}.{short(file.name)}", f"{file.parent.name}."
        found = [test for test in self.programs if f"{test}.".startswith(f"{own}.")]
        return {("ctest", test) for test in found or self.programs if test.startswith(folder)}

    def matching(self, name):
        """The tests with this name or in this folder, else those with it in their names, else those that hold a test so named."""
        wanted = short(name.rstrip("/")).replace(".", "/")
        for part in (f"/{wanted}/", wanted):
            if found := [tests for known, tests in self.by_name.items() if part in f"/{known}/"]:
                return set().union(*found)
        return self.holding(name.lower())

    def holding(self, word):
        """The tests in whose own names the word is: the files of the C++ tests, the Python tests themselves."""
        found = set()
        for file in ROOT.glob("tests/*/*_test.cpp"):
            if any(word in f"{suite}.{test}".lower() for suite, test in CPP_TEST.findall(file.read_text())):
                found |= self.of_source(file)
        for _, path in set().union(*self.by_name.values()):
            if path.endswith(".py"):
                names = PYTHON_TEST.findall((ROOT / path).read_text())
                found |= {("pytest", f"{path}::{test}") for test in names if word in test.lower()}
        return found

    def targets(self, found):
        """What has to be built: the tests' programs, and sonde for those that start it. A fixture's are of the same folder."""
        folders = {
            self.programs[test].parent for kind, test in found if kind == "ctest" and not test.startswith("unit.")
        }
        programs = {self.programs[test] for kind, test in found if kind == "ctest"}
        programs |= {program for program in self.programs.values() if program.parent in folders}
        names = {program.name for program in programs}
        return names | {"sonde" for kind, test in found if kind == "pytest" and test.startswith("tests/program/")}


def main(build, names):
    """Prints what the names select."""
    tests, found = Tests(build), set()
    for name in names:
        matching = tests.matching(name)
        if not matching:
            print(f"tools/test: no test matches '{name}' (tools/test --help says what a name may be)", file=sys.stderr)
            return 2
        found |= matching
    for target in sorted(tests.targets(found)):
        print("target", target)
    if selected := sorted(re.escape(test) for kind, test in found if kind == "ctest"):
        print(f"ctest ^({'|'.join(selected)})$")
    for node in sorted(test for kind, test in found if kind == "pytest"):
        print("pytest", node)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
