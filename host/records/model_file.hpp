#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "device/model/description.hpp"
#include "records/invalid_file.hpp"
#include "records/json_text.hpp"

namespace sonde::records {

using ModelText = JsonText;

/// The text of a model device's file, and of one that is part of the program. Both throw InvalidFile; the latter lists
/// the known names.
[[nodiscard]] ModelText read_model_text(const std::filesystem::path& path);
[[nodiscard]] ModelText built_in_model_text(std::string_view name);

/// What the text says; docs/model-devices.md tells what may be in it. Throws InvalidFile.
[[nodiscard]] device::model::Description parse_model(const ModelText& model);

[[nodiscard]] std::vector<std::string> built_in_model_names();

}  // namespace sonde::records
