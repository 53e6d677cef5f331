#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/model/description.hpp"
#include "records/invalid_file.hpp"

namespace sonde::records {

/// Reads a model device's file; docs/model-devices.md says what is in it. Throws InvalidFile.
[[nodiscard]] gpu::model::Description read_model_file(const std::filesystem::path& path);

/// The same for text that came from `where`, which the errors name.
[[nodiscard]] gpu::model::Description parse_model(std::string_view text, std::string_view where);

/// A model device that is part of the program; an unknown name throws InvalidFile, which lists the known
/// ones.
[[nodiscard]] gpu::model::Description built_in_model(std::string_view name);
[[nodiscard]] std::vector<std::string> built_in_model_names();

}  // namespace sonde::records
