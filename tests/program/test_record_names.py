"""Where a record goes when nobody names a file: results/<host>-<device>-<driver>-<UTC time>.jsonl."""

import datetime
import platform
import re

from program_runs import ONE_POINT

TIME = r"(?P<time>\d{8}T\d{6}Z)"


def plain(text):
    return re.sub(r"[^\w.]+", "-", text).strip("-")


def only_result(sonde):
    (file,) = (sonde.folder / "results").iterdir()
    return file


def test_names_host_device_driver_and_time(sonde, listed, opencl_cpu):
    done = sonde("run", "--device", "cpu", "--api", "opencl", *ONE_POINT)
    assert done.status == 0, done.err
    file = only_result(sonde)
    driver = next(device["opencl"] for device in listed if device["device"] == "cpu")["driver_version"]
    version = re.escape(plain(driver)[:8])
    named = re.fullmatch(rf"{re.escape(plain(platform.node())[:30])}-cpu-{version}[\w.-]*-{TIME}\.jsonl", file.name)
    assert named, file.name
    time = datetime.datetime.strptime(named["time"], "%Y%m%dT%H%M%S%z")
    assert abs(datetime.datetime.now(datetime.UTC) - time) < datetime.timedelta(minutes=10)
    assert f"results/{file.name}" in done.out


def test_names_a_simulated_device_so(sonde, model_file):
    assert sonde("run", "--device", model_file(), *ONE_POINT).status == 0
    assert re.fullmatch(rf".+-little-simulated-{TIME}\.jsonl", only_result(sonde).name)


def test_a_name_with_odd_letters_makes_a_plain_file_name(sonde, model_file):
    assert sonde("run", "--device", model_file(name="../a b\t/ü'$(c)"), *ONE_POINT).status == 0
    assert re.fullmatch(r"[\w.+-]+", only_result(sonde).name, re.ASCII)


def test_runs_in_the_same_second_have_files_of_their_own(sonde, model_file):
    device = model_file()
    for _ in range(3):
        assert sonde("run", "--device", device, *ONE_POINT).status == 0
    assert len(list((sonde.folder / "results").iterdir())) == 3
