#include "records/json_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "os/file.hpp"
#include "records/invalid_file.hpp"

namespace sonde::records {
namespace {

using nlohmann::json;

constexpr std::uint64_t largest_file_bytes = 16 << 20;

/// Accepts everything and remembers where reading stopped: the library's own exceptions do not always say.
struct Stop : nlohmann::json_sax<json> {
  std::size_t at = 0;
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
    at = position;
    return false;
  }
};

std::string not_json(std::string_view text, std::string_view where) {
  Stop stop;
  json::sax_parse(text, &stop);
  const std::string_view read = text.substr(0, stop.at > 0 ? stop.at - 1 : 0);
  const auto line = 1 + std::count(read.begin(), read.end(), '\n');
  return std::string(where) + ": line " + std::to_string(line) + " is not valid JSON";
}

}  // namespace

JsonText read_json_text(const std::filesystem::path& path, std::string_view what) {
  // A pipe or a device might never end, and so might what the system calls a file, which is why reading does not wait.
  std::error_code problem;
  std::optional<std::string> text;
  if (std::filesystem::is_regular_file(path, problem)) text = os::read_bytes(path, largest_file_bytes + 1);
  if (!text) throw InvalidFile(path.string() + ": the file cannot be read");
  if (text->size() > largest_file_bytes)
    throw InvalidFile(path.string() + ": the file is larger than any " + std::string(what));
  return {.text = *std::move(text), .where = path.string()};
}

json parsed(const JsonText& file) {
  try {
    return json::parse(file.text);
  } catch (const json::exception&) {
    throw InvalidFile(not_json(file.text, file.where));
  }
}

}  // namespace sonde::records
