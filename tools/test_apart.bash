# shellcheck shell=bash
# shellcheck disable=SC2154 # root and jobs are of tools/test, which reads this file
# The tests of tools/test --windows, --package and --arm64: what is built for another system or for packages.

# What was built for Windows, under Wine: in a home of its own, on a screen that nobody sees, which Wine's Vulkan needs.
under_wine() {
  env "WINEPREFIX=$root/build/wine" WINEDEBUG=-all "WINEDLLOVERRIDES=mscoree=;mshtml=;winemenubuilder.exe=" \
    xvfb-run --auto-servernum "$@"
}

test_windows() {
  step "setting up for Windows" tools/setup windows || return
  step "building in build/windows" build windows || return
  # What its samples are held against.
  step "building this system's program in build/test" build test sonde || return
  # At its first start Wine fills its home, which takes a minute.
  step "starting Wine" under_wine wine wineboot --init || return
  local program
  for program in unit thread; do
    suite "$program tests under Wine" "$root/build/windows/$program.xml" under_wine \
      wine "build/windows/tests/unit/sonde_${program}_tests.exe" --gtest_brief=1 --gtest_output="xml:build/windows/$program.xml"
  done
  suite "the Windows program under Wine" "$root/build/windows/pytest.xml" under_wine env SONDE_PROGRAM="$root/build/test/sonde" \
    .venv/bin/python -m pytest -q -rs --junit-xml=build/windows/pytest.xml tests/windows
}

# What was made of an earlier commit has the same name.
make_package() {
  rm -f build/package/sonde*.deb build/package/sonde*.tar.gz
  build package && cpack --config build/package/CPackConfig.cmake -B build/package
}

test_package() {
  step "setting up for packages" tools/setup package || return
  step "making the package" make_package || return
  suite "the package" build/package/pytest.xml .venv/bin/python -m pytest -q -rs --junit-xml=build/package/pytest.xml tests/package
}

# Each test program in one process, as a thousand would spend most of their time on starting qemu. One recorded machine
# stands for all those whose levels are found, which takes long there. Four tests would see qemu: what it says of a crash,
# of a program that is not there and of performance events, and how long a reading of its clock takes beside a few lines.
test_arm64() {
  local program filter
  step "setting up for Arm64" tools/setup arm64 || return
  step "building in build/arm64" build arm64 || return
  for program in unit thread levels; do
    case $program in
      thread) filter='-PerfEvents.RefusalsAreErrorsThatSayWhy:CoreToCorePair.EachKindOfPointHasItsTwoCurves:WorkerTest.AProgramThatIsNotThere*:WorkerTest.LastWordsAreKept*' ;;
      levels) filter='*/four_caches_mixed:CacheShapes.*:FewLines.*:PlacedByPages.*:*/RecordedMachines.*/quiet' ;;
      *) filter='*' ;;
    esac
    suite "$program tests for Arm64" "$root/build/arm64/$program.xml" tools/arm64_run "build/arm64/tests/unit/sonde_${program}_tests" \
      --gtest_brief=1 --gtest_filter="$filter" --gtest_output="xml:$root/build/arm64/$program.xml"
  done
  step "building this machine's program in build/test" build test sonde || return
  suite "Arm64 against this machine" build/arm64/pytest.xml env SONDE_PROGRAM="$root/build/test/sonde" \
    .venv/bin/python -m pytest -q -rs -n "$jobs" --junit-xml=build/arm64/pytest.xml tests/arm64
}
