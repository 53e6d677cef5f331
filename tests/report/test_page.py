"""The page loads nothing, shows everything, and says plainly what a device is."""

import base64
import gzip
import json
import re
from html.parser import HTMLParser

import pytest
import synthetic
from sonde_tools import charts, page, records
from sonde_tools.devices import device_views
from sonde_tools.report import SECTIONS, shown


class Reader(HTMLParser):
    """Collects the text that a reader sees, the scripts, and every address that a tag would load."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.words, self.scripts, self.inside = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.inside = tag
        self.packed = ("type", "application/gzip") in attributes
        if tag in ("link", "iframe", "embed", "object", "base"):
            self.loads.append((tag, attributes))
        if tag != "a":
            self.loads += [
                (tag, value) for name, value in attributes if name in ("src", "srcset", "href", "data", "xlink:href")
            ]

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts.append(gzip.decompress(base64.b64decode(data)).decode() if self.packed else data)
        elif self.inside != "style":
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def made(tmp_path, *files):
    """The page of several files, each a list of records, read as a Reader."""
    recordings = [
        records.read(synthetic.write(tmp_path / f"run-{number}.jsonl", lines)) for number, lines in enumerate(files, 1)
    ]
    views = device_views(recordings)
    return Reader(page.html(recordings, [shown(view) for view in views], [f"d{n}" for n in range(len(views))]))


@pytest.fixture(scope="module")
def reader(report):
    return Reader(report.out.read_text(encoding="utf-8"))


def test_page_loads_nothing(report, reader):
    text = report.out.read_text(encoding="utf-8")
    assert reader.loads == []
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL).group(1)
    assert "url(" not in style and "@import" not in style
    # The browser is told so as well: whatever a library might try is refused.
    assert "default-src 'none'" in text and "connect-src" not in text


def drawn(reader):
    """Pictures of a page by id, each with its rows as its script puts them together."""
    data = json.loads(reader.scripts[0])
    for chart in data["charts"].values():
        chart["rows"] = [
            {
                "series": series,
                "dashed": dashed,
                "piece": piece,
                "barred": barred,
                **dict(zip(data["curves"][curve], values, strict=True)),
            }
            for series, dashed, piece, barred, curve in chart["lines"]
            for values in zip(*data["curves"][curve].values(), strict=True)
        ]
    return data["charts"]


def test_page_holds_library_and_every_point(reader):
    assert len(reader.scripts) == 3 and "vegaEmbed" in reader.scripts[1]
    specification = drawn(reader)["latency-cpu"]
    rows = specification["rows"]
    assert len(rows) == 146
    expected = {
        (r["api"], r["x"]["bytes"], r["state"]["disturbed"]) for r in synthetic.records() if r["record"] == "sample"
    }
    assert {(row["series"].lower(), row["bytes"], bool(row["disturbed"])) for row in rows} == expected
    assert specification["width"] == "container" and "title" not in specification


def test_points_that_several_pictures_show_are_stored_once(tmp_path):
    scalar = synthetic.sample_records("opencl", 1, every=9, series={"path": "scalar"})
    found = made(tmp_path, [*synthetic.records()[:-3], *scalar])
    charts_ = drawn(found)
    paths, main = charts_["latency-paths-d0"]["lines"], charts_["latency-d0"]["lines"]
    assert [line for line in paths if line[0] != "OpenCL, scalar"] == main and len(paths) == 3
    assert len(json.loads(found.scripts[0])["curves"]) == 3


def test_page_shows_every_skip_and_error(reader):
    assert synthetic.SKIP_REASON in reader.text and synthetic.ERROR_REASON in reader.text


def test_page_shows_device_drivers_and_run(reader):
    for words in ("AMD EPYC 9554", "PoCL", "llvmpipe", "22.3.6", "bench-7", "sonde run --effort normal", "0.1.0 (3f2c1ab)",
                  "2025-03-04T09:15:27Z", "256 MiB (largest)", "Hollow points: other programs were using the CPU"):  # fmt: skip
        assert words in reader.text


def test_page_shows_levels_findings_and_how_they_were_found(full_report):
    text = full_report.out.read_text(encoding="utf-8")
    page_text = Reader(text).text
    for words in (
        "OpenCL: level 1 of 32 KiB at 1.50 ns",
        "48 MiB (46.6 to 49.4)",
        "What was found",
        "Address translation OpenCL, latency, page: 6 MiB. " + synthetic.TRANSLATION_EVIDENCE,
        "OpenCL and Vulkan disagree OpenCL, latency. " + synthetic.DISAGREE_EVIDENCE,
        "How the sizes were found: uniformly random lines, and one line a page",
    ):
        assert words in page_text
    # Folded away until a reader asks for it.
    assert '<details class="further"><summary>' in text


def test_other_orders_are_not_mixed_into_the_main_chart(full_report):
    charts_ = drawn(Reader(full_report.out.read_text(encoding="utf-8")))
    assert list(charts_) == ["latency-cpu", "latency-further-cpu"]
    names = [list(dict.fromkeys(row["series"] for row in chart["rows"])) for chart in charts_.values()]
    assert names[0] == ["OpenCL", "Vulkan"] and len(names[1]) == 4
    assert charts_["latency-further-cpu"]["height"] < charts_["latency-cpu"]["height"]


def test_page_without_levels_has_nothing_of_them(reader):
    for words in ("What was found", "How the sizes were found", "Thick: the latency", "level 1"):
        assert words not in reader.text


def test_facts_that_are_not_known_are_left_out(tmp_path):
    device = synthetic.device_record(
        device="gpu-1", name="Some GPU", type="discrete", compute_units=None, memory_bytes=None, line_bytes=None
    )
    samples = synthetic.sample_records("opencl", 1, "gpu-1", every=9)
    for sample in samples:
        sample["state"] = {"steps": None, "launch_ns": None, "clock_settled": False}
    text = made(tmp_path, [synthetic.run_record(), device, *samples]).text
    for words in ("None", "UUID", "PCI address", "Compute units"):
        assert words not in text
    assert f"At {len(samples)} points the device's clock had not settled" in text


def test_points_that_were_throttled_are_counted_with_their_reasons(tmp_path):
    samples = synthetic.sample_records("opencl", 1, "cpu", every=9)
    for sample in samples:
        sample["state"]["throttle_reasons"] = []
    samples[0]["state"]["throttle_reasons"] = ["power"]
    samples[1]["state"]["throttle_reasons"] = ["power", "temperature"]
    text = made(tmp_path, [synthetic.run_record(), synthetic.device_record(), *samples]).text
    assert "At 2 points the GPU was throttled (power, temperature)" in text


def test_processor_is_called_one(reader):
    assert "not a GPU" in reader.text and "PoCL (OpenCL) and lavapipe (Vulkan)" in reader.text
    assert "simulated" not in reader.text.lower()


def test_gpu_is_not_called_a_processor(tmp_path):
    device = synthetic.device_record(device="gpu-1", name="Some GPU", type="discrete")
    text = made(tmp_path, [synthetic.run_record(), device, *synthetic.sample_records("opencl", 1, "gpu-1")]).text
    assert "not a GPU" not in text and "has no end record" in text


def later(*declared):
    """A run of a probe that this version does not know, and what it declares of its curves."""
    samples = [{**sample, "probe": "added-later", "series": {}} for sample in synthetic.sample_records("opencl", 1)]
    return [synthetic.run_record(), synthetic.device_record(), *declared, *samples]


def test_probe_without_a_section_is_drawn_as_its_curves_declare(tmp_path):
    found = made(tmp_path, later(synthetic.curve_record()))
    assert "Added later OpenCL: 1.51 ns in 1 KiB, 9" in found.text
    assert "Walks, OpenCL: median, first to third quartile Working set Time of a walk, ns 4 KiB 1.5" in found.text
    picture = drawn(found)["added-later-d0"]
    assert len(picture["rows"]) == 73 and "Time of a walk, ns" in str(picture["layer"])


def test_curves_that_declare_nothing_are_drawn_over_the_working_set(tmp_path):
    found = made(tmp_path, later())
    assert "Nothing was measured" not in found.text and len(drawn(found)["added-later-d0"]["rows"]) == 73
    table = found.text[found.text.index("Added later: median, first to third quartile What") :]
    assert re.match(r"\D+What Value Unit OpenCL, 1 KiB 1\.\d+ 1\.\d+ to 1\.\d+ ns OpenCL", table)


def test_probe_with_nothing_to_draw_has_a_table(tmp_path):
    lines = [{**line, "x": {}} if line["record"] == "sample" else line for line in later()]
    found = made(tmp_path, lines)
    assert "added-later-d0" not in drawn(found) if found.scripts else True
    assert "Added later: median, first to third quartile What Value Unit OpenCL" in found.text


def test_each_section_says_which_question_it_answers_and_where_that_is_explained(full_report):
    text = Reader(full_report.out.read_text(encoding="utf-8")).text
    assert "How long does one dependent load take, and how does that grow with the working set?" in text
    assert "One work-item follows a random chain of dependent loads" in text and "docs/method/latency.md" in text


def test_every_heading_of_a_model_says_simulated(tmp_path):
    device = synthetic.device_record(device="model:x", name="x", type="model", opencl=None, vulkan=None)
    lines = [synthetic.run_record(), device, *synthetic.sample_records("model", 1, "model:x")]
    text = made(tmp_path, lines).text
    for words in (
        "x (simulated)",
        "Memory latency (simulated)",
        "Simulated latency at telling sizes",
        "simulated: 1.5",
    ):
        assert words in text
    view = device_views([records.read(tmp_path / "run-1.jsonl")])[0]
    assert "simulated" in SECTIONS[0].chart(view).to_dict()["title"]["text"]


def test_device_without_samples_has_a_page(tmp_path):
    skip = {"record": "skip", "reason": "No OpenCL loader: install ocl-icd-libopencl1."}
    text = made(tmp_path, [synthetic.run_record(), synthetic.device_record(), skip]).text
    assert "Nothing was measured on this device." in text and skip["reason"] in text
    assert "No Vulkan" not in text and "everywhere" in text


def test_names_cannot_break_out_of_the_page(tmp_path):
    name = "</script><script>alert(1)</script><!--"
    device = synthetic.device_record(name=name)
    path = {"path": name}
    samples = [{**sample, "series": path} for sample in synthetic.sample_records("opencl", 1, every=9)]
    found = made(tmp_path, [synthetic.run_record(), device, *samples])
    assert len(found.scripts) == 3 and name in found.text


def labels(tmp_path, *versions):
    files = []
    for version in versions:
        driver = {"platform": "p", "driver": "d", "driver_version": version, "api_version": "3"}
        device = synthetic.device_record(device="gpu-1", type="discrete", opencl=driver, vulkan=None)
        samples = synthetic.sample_records("opencl", 1, "gpu-1", every=9)
        files.append(
            synthetic.write(tmp_path / f"run-{len(files) + 1}.jsonl", [synthetic.run_record(), device, *samples])
        )
    (view,) = device_views([records.read(file) for file in files])
    assert len(charts.colours(view.curves)) == len(versions)
    return [entry.label for entry in view.curves]


def test_series_of_several_files_are_told_apart(tmp_path):
    assert labels(tmp_path, "550") == ["OpenCL"]
    assert labels(tmp_path, "550", "580") == ["OpenCL 550", "OpenCL 580"]
    assert labels(tmp_path, "550", "550") == ["OpenCL (run-1)", "OpenCL (run-2)"]


def test_a_walk_beside_a_stream_is_joined_within_levels_alone(tmp_path):
    kibibytes = [1, 2, 4, 32, 64]  # an edge about 10 KiB, where it was not made
    (one,) = synthetic.sample_records("opencl", 1, every=1000, series={"fabric": "loaded"})
    beside = [{**one, "x": {"bytes": 1024 * size}} for size in kibibytes]
    alone = [{**each, "series": {}} for each in beside]
    found = drawn(made(tmp_path, [synthetic.run_record(), synthetic.device_record(), *beside, *alone]))
    pieces = {(row["series"], row["bytes"] // 1024): row["piece"] for row in found["latency-d0"]["rows"]}
    assert [pieces["OpenCL, fabric loaded", size] for size in kibibytes] == [0, 0, 0, 1, 1]
    assert [pieces["OpenCL", size] for size in kibibytes] == [0] * 5
