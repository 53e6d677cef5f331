#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/model/description.hpp"
#include "records/invalid_file.hpp"

namespace sonde::records {

/// What describes a model device, and where it stands, which the errors name.
struct ModelText {
  std::string text;
  std::string where;
};

/// The text of a model device's file, and of one that is part of the program. Both throw InvalidFile; the latter lists
/// the known names.
[[nodiscard]] ModelText read_model_text(const std::filesystem::path& path);
[[nodiscard]] ModelText built_in_model_text(std::string_view name);

/// Reads a model device's file; docs/model-devices.md says what is in it. Throws InvalidFile.
[[nodiscard]] gpu::model::Description read_model_file(const std::filesystem::path& path);

/// The same for text that came from `where`, which the errors name.
[[nodiscard]] gpu::model::Description parse_model(std::string_view text, std::string_view where);

/// A model device that is part of the program; an unknown name throws InvalidFile, which lists the known
/// ones.
[[nodiscard]] gpu::model::Description built_in_model(std::string_view name);
[[nodiscard]] std::vector<std::string> built_in_model_names();

}  // namespace sonde::records
