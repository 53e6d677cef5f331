#include "support/recorded_curve.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace sonde::test {
namespace {

using Json = nlohmann::json;

std::ifstream open(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + ": cannot be read");
  return file;
}

/// The value of a number with or without a K or an M behind it.
double bytes_of(const std::string& text) {
  std::size_t end = 0;
  const double number = std::stod(text, &end);
  return number * (text.substr(end) == "K" ? 1024 : text.substr(end) == "M" ? 1048576 : 1);
}

/// The curve that a sample belongs to.
std::vector<analysis::CurvePoint>& curve_of(analysis::LatencyCurves& curves, const Json& sample) {
  const std::string order = sample.at("series").value("order", "cycle");
  if (order == "cycle") return curves.cycle;
  if (order == "independent") return curves.independent;
  if (order == "page") return curves.page;
  throw std::runtime_error("unknown order " + order);
}

analysis::LatencyCurves curves_of(const std::filesystem::path& path) {
  std::ifstream file = open(path);
  analysis::LatencyCurves curves;
  for (std::string line; std::getline(file, line);) {
    const Json record = Json::parse(line);
    if (record.at("record") == "device") {
      curves.line_bytes = record.at("line_bytes").get<double>();
      curves.page_bytes = record.value("page_bytes", curves.page_bytes);
      if (record.value("type", "") == "cpu") curves.cpu_page_bytes = curves.page_bytes;
    } else if (record.at("record") == "sample" && record.at("series").contains("stride")) {
      const double stride_bytes = bytes_of(record.at("series").at("stride"));
      curves.strides.push_back({.stride_bytes = stride_bytes,
                                .lines = record.at("x").at("bytes").get<double>() / stride_bytes,
                                .values = record.at("values").get<std::vector<double>>()});
    } else if (record.at("record") == "sample") {
      curve_of(curves, record)
          .push_back({.bytes = record.at("x").at("bytes").get<double>(),
                      .values = record.at("values").get<std::vector<double>>(),
                      .settling = record.value("state", Json::object()).value("laps_settling", 0.0),
                      .smt_interference = record.value("state", Json::object()).value("smt_interference", 0.0)});
    }
  }
  const auto smaller = [](const auto& left, const auto& right) { return left.bytes < right.bytes; };
  for (auto* curve : {&curves.cycle, &curves.independent, &curves.page}) {
    std::sort(curve->begin(), curve->end(), smaller);
  }
  return curves;
}

Span span_of(const Json& object, const std::string& name) {
  return {object.at(name + "_low").get<double>(), object.at(name + "_high").get<double>()};
}

}  // namespace

const std::filesystem::path& recorded_folder() {
  static const std::filesystem::path path = RECORDED_MACHINES;
  return path;
}

std::vector<std::string> recorded_machines(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".jsonl") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

RecordedMachine recorded_machine(const std::string& name, const std::filesystem::path& folder) {
  const std::filesystem::path expected_path = folder / (name + ".expected.json");
  try {
    RecordedMachine machine;
    machine.curves = curves_of(folder / (name + ".jsonl"));
    std::ifstream file = open(expected_path);
    const Json expected = Json::parse(file);
    machine.why = expected.at("why").get<std::string>();
    for (const Json& level : expected.at("levels")) {
      ExpectedLevel& read = machine.levels.emplace_back();
      if (level.contains("bytes_low")) read.bytes = span_of(level, "bytes");
      read.latency_ns = span_of(level, "latency_ns");
      read.is_unfinished = level.value("unfinished", false);
    }
    machine.most_levels = expected.value("most_levels", machine.levels.size());
    for (const Json& range : expected.at("not_levels")) {
      machine.not_levels.push_back(
          {span_of(range, "bytes"), span_of(range, "latency_ns"), range.at("why").get<std::string>()});
    }
    for (const Json& edge : expected.at("translation")) {
      machine.translation.push_back({span_of(edge, "bytes"), span_of(edge, "added_ns")});
    }
    return machine;
  } catch (const Json::exception& error) {
    throw std::runtime_error(name + ": " + error.what());
  }
}

}  // namespace sonde::test
