"""The command `sonde report`: what it writes, and how it refuses."""

import errno
import os
import re
import struct
import subprocess
import sys

import pytest
import synthetic
from sonde_tools.report import main


def run(root, *arguments):
    """Runs the command as a user's shell would, and returns what it did."""
    environment = {**os.environ, "PYTHONPATH": str(root / "tools")}
    command = [sys.executable, "-m", "sonde_tools", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_writes_all_that_was_asked_for(report):
    assert report.status == 0 and report.out.is_file()
    assert [path.name for path in report.png.iterdir()] == ["latency-cpu.png"]
    assert [path.name for path in report.svg.iterdir()] == ["latency-cpu.svg"]
    tables = ["findings.csv", "levels.csv", "points.csv", "samples.csv"]
    assert sorted(path.name for path in report.csv.iterdir()) == tables


def test_png_is_a_picture_of_twice_the_size(report):
    data = (report.png / "latency-cpu.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) > 50_000
    width, height = struct.unpack(">II", data[16:24])
    assert width > 2000 and height > 1000


def test_svg_stands_alone(report):
    text = (report.svg / "latency-cpu.svg").read_text(encoding="utf-8")
    for words in ("AMD EPYC 9554: memory latency over working-set size", "OpenCL: PoCL 3.1", "Vulkan: llvmpipe 22.3.6",
                  "2025-03-04", "Hollow points", "16 KiB", "256 MiB", "latency, ns"):  # fmt: skip
        assert words in text
    # Powers of four are labelled, the powers of two between them are not.
    assert ">8 KiB<" not in text and ">4 KiB<" in text


def test_a_page_of_all_that_is_known_of_a_device_can_be_sent(root, tmp_path):
    files = sorted((root / "docs/results/h100").glob("*.jsonl"))
    assert main([*map(str, files), "-o", str(tmp_path / "h100.html")]) == 0
    assert len(files) == 5 and (tmp_path / "h100.html").stat().st_size < 700_000


def test_pictures_are_of_the_main_chart_only(full_report):
    assert full_report.status == 0
    assert [path.name for path in full_report.png.iterdir()] == ["latency-cpu.png"]
    text = (full_report.svg / "latency-cpu.svg").read_text(encoding="utf-8")
    for words in ("level 1: 32 KiB, 1.50 ns", "level 3: 49.9 MiB, 25.1 ns", "memory: 96.0 ns", "address translation",
                  "Thick: the latency of a level where it serves."):  # fmt: skip
        assert words in text
    assert "independent" not in text


def test_help_shows_examples(root):
    result = run(root, "--help")
    assert result.returncode == 0 and "examples:" in result.stdout and "--png DIR" in result.stdout


@pytest.mark.parametrize(
    "arguments", [[], ["run.jsonl"], ["-o", "a.html"], ["run.jsonl", "-o", "a.html", "--jpeg", "x"]]
)
def test_wrong_request_is_status_2(root, arguments):
    assert run(root, *arguments).returncode == 2


def test_missing_packages_are_one_sentence_and_status_2(root, tmp_path):
    # -S: none of the packages that were installed are found.
    command = [sys.executable, "-S", "-m", "sonde_tools", "run.jsonl", "-o", str(tmp_path / "a.html")]
    result = subprocess.run(
        command, env={"PYTHONPATH": str(root / "tools")}, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2 and result.stderr.count("\n") == 1
    assert "missing (jinja2, msgspec, numpy, polars, vl_convert): run tools/setup" in result.stderr


def test_wrong_file_is_one_sentence_and_status_2(root, tmp_path):
    result = run(root, tmp_path / "nowhere.jsonl", "-o", tmp_path / "report.html")
    assert result.returncode == 2 and result.stdout == ""
    assert result.stderr.count("\n") == 1 and "cannot be read" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_never_writes_over_an_input_by_whatever_name(tmp_path, capsys, link):
    file = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record()])
    before = file.read_bytes()
    other_name = tmp_path / "report.html"
    getattr(other_name, link)(file)
    assert main([str(file), "-o", str(other_name)]) == 2
    assert file.read_bytes() == other_name.read_bytes() == before
    assert "name another place" in capsys.readouterr().err


@pytest.mark.parametrize(("folder", "name"), [("--csv", "samples.csv"), ("--svg", "latency-cpu.svg")])
def test_an_input_named_like_a_table_or_a_picture_stays(tmp_path, capsys, folder, name):
    file = synthetic.write(tmp_path / name, synthetic.records())
    before = file.read_bytes()
    assert main([str(file), "-o", str(tmp_path / "page.html"), folder, str(tmp_path)]) == 2
    assert file.read_bytes() == before and "name another place" in capsys.readouterr().err


def test_an_older_page_is_replaced_with_its_permissions(tmp_path):
    file = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record()])
    out = tmp_path / "older.html"
    out.write_text("old")
    out.chmod(0o640)
    assert main([str(file), "-o", str(out)]) == 0
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>") and out.stat().st_mode & 0o777 == 0o640


def test_on_a_full_disk_an_older_page_stays_whole(tmp_path, capsys, monkeypatch):
    file = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record()])
    out = tmp_path / "older.html"
    out.write_text("old")

    def no_room(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "chmod", no_room)  # once all is written, before it takes the old one's place
    assert main([str(file), "-o", str(out)]) == 2
    assert out.read_text() == "old" and "No space left" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["older.html", "run.jsonl"]


def test_full_or_closed_standard_output_loses_no_page(root, tmp_path):
    file = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record()])
    environment = {**os.environ, "PYTHONPATH": str(root / "tools")}
    for redirection, status in ((">/dev/full", 2), (">&-", 0), (">&- 2>&-", 0)):
        out = tmp_path / f"{len(redirection)}.html"
        command = f"{sys.executable} -m sonde_tools {file} -o {out} {redirection}"
        done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == status and out.read_text(encoding="utf-8").endswith("</html>"), done.stderr
        assert "Traceback" not in done.stderr


def test_ctrl_c_is_a_sentence(tmp_path, capsys, monkeypatch):
    file = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record()])

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("sonde_tools.page.html", interrupted)
    assert main([str(file), "-o", str(tmp_path / "page.html")]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_control_characters_of_a_file_reach_neither_page_nor_picture_nor_terminal(tmp_path, capsys):
    nasty = "GPU \x00\x1b[31m\u202egnp\x9b\x7f<b>"
    found = [{**record, "name": nasty} if record["record"] == "device" else record for record in synthetic.records()]
    found += [{"record": "error", "reason": nasty, "device": "cpu", "api": "opencl", "probe": nasty}]
    file = synthetic.write(tmp_path / "run.jsonl", found)
    assert main([str(file), "-o", str(tmp_path / "page.html"), "--svg", str(tmp_path), "--png", str(tmp_path)]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for text in (page, *(path.read_text(encoding="utf-8") for path in tmp_path.glob("*.svg"))):
        # The libraries inside the page have some of their own.
        shown = re.sub("<script.*?</script>", "", text, flags=re.DOTALL)
        assert not set("\x00\x1b\u202e\x9b\x7f") & set(shown)
        assert "GPU \\x00\\x1b[31m\\x202egnp\\x9b\\x7f&lt;b" in shown
    (tmp_path / "bad\x1b[31m.jsonl").write_text("no record")
    assert main([str(tmp_path / "bad\x1b[31m.jsonl"), "-o", str(tmp_path / "other.html")]) == 2
    assert "\x1b" not in "".join(capsys.readouterr())


def test_unwritable_output_is_status_2(tmp_path, capsys):
    file = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record()])
    assert main([str(file), "-o", str(file / "report.html")]) == 2
    assert main([str(file), "-o", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert error.count("cannot be written") == 2 and "Traceback" not in error


def test_same_file_twice_is_read_once(tmp_path):
    file = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record()])
    out = tmp_path / "report.html"
    assert main([str(file), str(file), "-o", str(out)]) == 0
    assert out.read_text(encoding="utf-8").count("<h4>run.jsonl</h4>") == 1


def test_devices_whose_ids_look_alike_get_files_of_their_own(tmp_path):
    lines = [synthetic.run_record()]
    for device in ("gpu 1", "gpu-1"):
        lines += [synthetic.device_record(device=device), *synthetic.sample_records("opencl", 1, device, every=12)]
    file = synthetic.write(tmp_path / "run.jsonl", lines)
    assert main([str(file), "-o", str(tmp_path / "r.html"), "--svg", str(tmp_path / "svg")]) == 0
    assert sorted(path.name for path in (tmp_path / "svg").iterdir()) == ["latency-gpu-1-2.svg", "latency-gpu-1.svg"]


def test_a_copy_of_a_run_is_left_out(tmp_path, report, capsys):
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(report.file.read_bytes())
    assert main([str(report.file), str(copy), "-o", str(tmp_path / "page.html")]) == 0
    assert capsys.readouterr().err == f"sonde report: {copy} is of the same run as {report.file} and is left out.\n"


def test_the_page_may_go_through_a_pipe(report, root):
    reading, writing = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-m", "sonde_tools", report.file, "-o", f"/dev/fd/{writing}"],
        env={**os.environ, "PYTHONPATH": str(root / "tools")}, pass_fds=[writing], stdout=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as page:
            assert page.read().rstrip().endswith("</html>")
    assert process.returncode == 0
