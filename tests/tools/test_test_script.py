"""tools/test, with a fake cmake, ctest and pytest that leave JUnit files."""

import pytest

JUNIT = '<testsuite tests="{tests}" failures="{failures}" skipped="{skipped}"/>'


def junit(tests=3, failures=0, skipped=0):
    return JUNIT.format(tests=tests, failures=failures, skipped=skipped)


PASSED = junit()


@pytest.fixture
def tests(workshop):
    workshop.make_python_environment()
    workshop.installed(everything_but=[])
    (workshop.root / "tests" / "tools").mkdir(parents=True)
    (workshop.root / "tests" / "tools" / "test_something.py").touch()
    workshop.fake("cmake", "mkdir -p build/test build/fuzz build/sanitize build/thread-sanitizer")

    def answers(ctest=PASSED, ctest_status=0, python=PASSED, python_status=0, python_report="build/pytest.xml"):
        workshop.fake("ctest", f"echo '{ctest}' >\"$4\"; exit {ctest_status}")
        workshop.fake(
            "python",
            f"""case $1 in
              -V) echo "Python 3.0" ;;
              -m) [[ -z '{python}' ]] || echo '{python}' >{python_report}; exit {python_status} ;;
            esac""",
            at=workshop.root / ".venv" / "bin",
        )

    workshop.answers = answers
    answers()
    return workshop


def last_line(result):
    return result.stderr.splitlines()[-1]


def test_everything_is_built_and_run_by_itself_and_under_each_sanitizer_and_counted(tests):
    tests.answers(ctest=junit(tests=5, skipped=1))
    result = tests.script("test")
    assert result.returncode == 0, result.stderr
    assert last_line(result).startswith("==> 15 passed, 0 failed, 3 skipped in ")
    calls = tests.calls()
    for preset in ("test", "sanitize", "thread-sanitizer"):
        assert f"cmake --preset {preset}" in calls and f"cmake --build --preset {preset}" in calls
        assert any(call.startswith(f"ctest --preset {preset} ") for call in calls)
    assert any(call.startswith("python -m pytest ") and call.endswith(" tests/tools") for call in calls)


def test_quick_leaves_out_the_sanitizers(tests):
    result = tests.script("test", "--quick")
    assert result.returncode == 0, result.stderr
    assert last_line(result).startswith("==> 6 passed, 0 failed, 0 skipped in ")
    assert not any("sanitize" in call for call in tests.calls())
    assert not any("tidy" in call for call in tests.calls())


@pytest.mark.parametrize(("status", "end"), [(0, "done"), (1, "FAILED")])
def test_what_clang_tidy_finds_is_a_failure(tests, status, end):
    tests.fake("run-clang-tidy.py", f"exit {status}", at=tests.root / ".venv" / "bin")
    result = tests.script("test")
    assert result.returncode == status
    assert f"==> clang-tidy and ruff: {end} " in result.stderr
    assert any(call.startswith("run-clang-tidy.py ") and "-p build/tidy" in call for call in tests.calls())
    assert any(call.startswith("ctest --preset sanitize ") for call in tests.calls())


def test_what_ruff_finds_in_python_code_is_a_failure(tests):
    tests.fake("ruff", "[[ $1 != check ]]", at=tests.root / ".venv" / "bin")
    result = tests.script("test")
    assert result.returncode == 1
    assert "==> failed: clang-tidy and ruff" in result.stderr
    assert any(call.startswith("ruff format --check ") for call in tests.calls())


def test_the_fuzz_targets_are_run_where_clang_can_link_them(tests):
    tests.fake("clang++-19")
    result = tests.script("test")
    assert result.returncode == 0, result.stderr
    assert last_line(result).startswith("==> 15 passed, 0 failed, 0 skipped in ")
    assert "cmake --build --preset fuzz" in tests.calls()
    assert any(call.startswith("ctest --preset fuzz ") for call in tests.calls())


@pytest.mark.parametrize("clang", [None, "exit 1"], ids=["no Clang", "no libFuzzer"])
def test_the_fuzz_targets_are_left_out_where_clang_cannot_link_them(tests, clang):
    if clang:
        tests.fake("clang++-19", clang)
    result = tests.script("test")
    assert result.returncode == 0, result.stderr
    assert "==> fuzzing: left out" in result.stderr
    assert not any("--preset fuzz" in call for call in tests.calls())


@pytest.mark.parametrize(
    "answers",
    [
        {"ctest": junit(failures=1), "ctest_status": 8},
        {"ctest": junit(failures=1)},
        {"python": junit(failures=1), "python_status": 1},
        {"python": "", "python_status": 1},
        {"python": "", "python_status": 5},
        {"ctest": junit(tests=0)},
        {"python": junit(tests=4, skipped=4)},
    ],
    ids=str,
)
def test_a_failure_or_no_test_at_all_fails_after_the_rest_has_run(tests, answers):
    tests.answers(**answers)
    result = tests.script("test", "--quick")
    assert result.returncode == 1
    assert "failed" in last_line(result)
    assert any(call.startswith("python -m pytest") for call in tests.calls())


def test_what_failed_is_named_again_at_the_end_with_what_it_said(tests):
    from_ctest = (
        '<testsuite tests="2" failures="1"><testcase name="unit.Good" classname="unit.Good"/>'
        '<testcase name="unit.Bad" classname="unit.Bad"><failure message="Failed"/>'
        "<system-out>levels_test.cpp:7: Failure&#10;Expected: 2&#10;</system-out></testcase></testsuite>"
    )
    from_pytest = (
        '<testsuites><testsuite tests="1" errors="0" failures="1"><testcase classname="tests.tools.test_it" '
        'name="test_bad"><failure message="short">assert 1 == 2</failure></testcase></testsuite></testsuites>'
    )
    tests.answers(ctest=from_ctest, ctest_status=8, python=from_pytest, python_status=1)
    result = tests.script("test", "--quick")
    assert result.stderr.splitlines()[-8:-2] == [
        "==> failed: unit.Bad",
        "  levels_test.cpp:7: Failure",
        "  Expected: 2",
        "==> failed: tests.tools.test_it test_bad",
        "  assert 1 == 2",
        "==> failed: C++ tests",
    ]
    assert last_line(result).startswith("==> 1 passed, 2 failed, 0 skipped in ")


def test_a_report_cut_short_is_no_test(tests):
    tests.answers(ctest='<testsuite tests="3"')
    result = tests.script("test", "--quick")
    assert result.returncode == 1
    assert "==> failed: C++ tests ran no test" in result.stderr


def test_a_build_that_fails_is_a_failure(tests):
    tests.fake("cmake", "[[ $1 != --build ]]")
    result = tests.script("test", "--quick")
    assert result.returncode == 1
    assert "==> failed: building in build/test" in result.stderr
    assert not any(call.startswith("ctest") for call in tests.calls())


def test_packages_are_made_and_tried_apart_from_all_else(tests):
    tests.fake("cpack")
    tests.fake("bare_roots", at=tests.root / "tools")
    tests.answers(python_report="build/package/pytest.xml")
    tests.fake("cmake", "mkdir -p build/package")
    result = tests.script("test", "--package")
    assert result.returncode == 0, result.stderr
    assert last_line(result).startswith("==> 3 passed, 0 failed, 0 skipped in ")
    calls = tests.calls()
    assert calls.index("cmake --build --preset package") < calls.index(
        "cpack --config build/package/CPackConfig.cmake -B build/package"
    )
    assert any(call.startswith("python -m pytest ") and call.endswith(" tests/package") for call in calls)
    assert not any("--preset test" in call for call in calls)


def test_arm64_has_tests_of_its_own(tests):
    tests.fake("arm64_sysroot", at=tests.root / "tools")
    tests.fake("arm64_run", "echo '<testsuite tests=\"2\"/>' >\"${4#--gtest_output=xml:}\"",
               at=tests.root / "tools")  # fmt: skip
    tests.answers(python_report="build/arm64/pytest.xml")
    tests.fake("cmake", "mkdir -p build/arm64 build/test")
    result = tests.script("test", "--arm64")
    assert result.returncode == 0, result.stderr
    assert last_line(result).startswith("==> 9 passed, 0 failed, 0 skipped in ")
    assert "cmake --build --preset arm64" in tests.calls()
    assert "cmake --build --preset test --target sonde" in tests.calls()


def test_unknown_arguments_are_refused(tests):
    assert tests.script("test", "--fast").returncode == 2
    assert tests.calls() == []


def test_nothing_is_tested_when_setting_up_fails(tests):
    tests.installed()
    tests.fake("apt-get", "exit 100")
    result = tests.script("test")
    assert result.returncode != 0
    assert not any(call.startswith(("cmake", "ctest", "python -m")) for call in tests.calls())


def test_windows_is_apart_and_runs_under_wine(tests):
    (tests.root / "tests" / "windows").mkdir()
    tests.fake("windows_packages", at=tests.root / "tools")
    tests.fake(
        "xvfb-run",
        f"""case $* in
      *--gtest_output=xml:*) echo '{PASSED}' >"${{!#/*xml:}}" ;;
      *pytest*) echo '{PASSED}' >build/windows/pytest.xml ;;
    esac""",
    )
    tests.fake("cmake", "mkdir -p build/windows")
    result = tests.script("test", "--windows")
    assert result.returncode == 0, result.stderr
    assert last_line(result).startswith("==> 9 passed, 0 failed, 0 skipped in ")
    calls = tests.calls()
    assert "cmake --build --preset windows" in calls and "cmake --build --preset test --target sonde" in calls
    assert not any(call.startswith("ctest ") for call in calls)
