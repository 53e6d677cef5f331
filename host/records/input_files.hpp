#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string_view>

#include "device/model/description.hpp"
#include "measure/frame.hpp"

namespace sonde::records {

/// An input file is wrong; the text is one sentence that names the file and the place in it.
struct InvalidFile : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The text of a file that a person wrote, and its place, which the errors name.
struct JsonText {
  std::string text;
  std::string where;
};

/// Throws InvalidFile where the file cannot be read, or is larger than any `what`: a "frame", a "model".
[[nodiscard]] JsonText read_json_text(const std::filesystem::path& path, std::string_view what);

/// Throws InvalidFile, which names the line, where the text is no JSON.
[[nodiscard]] nlohmann::json parsed(const JsonText& file);

/// The library that a file names to a loader: an .icd of OpenCL, a .json of Vulkan; any other is a library itself.
/// Throws InvalidFile.
[[nodiscard]] std::string driver_library(const std::string& file);

/// The text of the built-in frame.
[[nodiscard]] JsonText built_in_frame_text();

/// The frame that a text describes; docs/method/frames.md has its fields. Throws InvalidFile.
[[nodiscard]] measure::Frame parse_frame(const JsonText& text);

/// A frame as its file has it.
[[nodiscard]] nlohmann::json frame_json(const measure::Frame& frame);

/// The text of a model device that is part of the program. Throws InvalidFile, which lists the known names.
[[nodiscard]] JsonText built_in_model_text(std::string_view name);

/// The device that a text describes; docs/model-devices.md has its fields. Throws InvalidFile.
[[nodiscard]] device::model::Description parse_model(const JsonText& text);

// What follows is for the sources of this folder that read such files.

/// The range of a number; `excludes_least` where the lower bound itself is not allowed.
struct Range {
  double least = 0;
  double most = 1.7976931348623157e308;
  bool excludes_least = false;
};
inline constexpr Range share{.most = 1};

/// A value as a file has it, on one line and cut short.
std::string shown(const nlohmann::json& value);

/// The fields of one JSON object that a person wrote, each taken at most once. Every complaint is an InvalidFile of one
/// sentence: the file, the field with its path, what it must be and what it is.
class Fields {
 public:
  /// `path` is the object's own, empty for the file's outermost; throws where `object` is none.
  Fields(const nlohmann::json& object, std::string_view where, std::string path);

  [[nodiscard]] bool has(std::string_view name) const;

  // A field that is absent leaves its target as it was.
  void text(std::string_view name, std::string& into);
  void flag(std::string_view name, bool& into);
  void number(std::string_view name, double& into, Range range);
  void whole(std::string_view name, std::uint64_t& into, std::uint64_t least, std::uint64_t most);
  void whole(std::string_view name, std::uint32_t& into, std::uint64_t least, std::uint64_t most = 0xffffffff);
  /// A power of two: a line or a page.
  void power_of_two(std::string_view name, std::uint64_t& into, std::uint64_t most);
  /// One of some words; returns its place in them, or `otherwise`.
  std::size_t word(std::string_view name, std::initializer_list<std::string_view> words, std::size_t otherwise);
  void texts(std::string_view name, std::vector<std::string>& into);
  void object(std::string_view name, const std::function<void(Fields&)>& read);
  /// An object, or an array of them.
  void one_or_more(std::string_view name, const std::function<void(Fields&)>& read);
  /// An array of objects, one call each with its place.
  void objects(std::string_view name, const std::function<void(Fields&, std::size_t place, std::size_t count)>& read);

  void require(std::initializer_list<std::string_view> names) const;
  /// Complains about the first field that nobody has asked for.
  void refuse_others() const;
  /// Throws "WHERE: PATH.NAME PROBLEM".
  [[noreturn]] void complain(std::string_view name, std::string_view problem) const;

 private:
  const nlohmann::json* take(std::string_view name);
  [[nodiscard]] std::string path_of(std::string_view name) const;

  const nlohmann::json& object_;
  std::string where_;
  std::string path_;
  std::vector<std::string> taken_;
};

}  // namespace sonde::records
