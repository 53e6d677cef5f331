#include <nlohmann/json.hpp>

#include "os/file.hpp"
#include "records/input_files.hpp"

namespace sonde::records {
namespace {

constexpr std::string_view driver_file_kind = "driver's manifest";

/// The library in a manifest of Vulkan. One with a folder is relative to the manifest's own.
std::string library_in(const JsonText& manifest) {
  const nlohmann::json json = parsed(manifest);
  const auto* const icd = json.is_object() && json.contains("ICD") ? &json["ICD"] : nullptr;
  const bool names_one = icd != nullptr && icd->is_object() && icd->contains("library_path");
  if (!names_one || !(*icd)["library_path"].is_string())
    throw InvalidFile(manifest.where + ": it names no library (ICD.library_path)");
  auto library = (*icd)["library_path"].get<std::string>();
  if (library.find('/') == std::string::npos) return library;
  return (os::path_of(manifest.where).parent_path() / library).lexically_normal().string();
}

}  // namespace

std::string driver_library(const std::string& file) {
  if (file.ends_with(".json")) return library_in(read_json_text(os::path_of(file), driver_file_kind));
  if (!file.ends_with(".icd")) return file;
  const std::string text = read_json_text(os::path_of(file), driver_file_kind).text;
  std::string library = text.substr(0, text.find_first_of("\r\n"));
  if (library.empty()) throw InvalidFile(file + ": it names no library");
  return library;
}

}  // namespace sonde::records
