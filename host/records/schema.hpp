#pragma once

#include <nlohmann/json.hpp>

// The types of docs/records.schema.json, to which the readers of `sonde report` and `sonde compare` hold every record
// too. For the sources of this folder alone.
namespace sonde::records {

/// Whether a file's records may be of this kind.
bool is_kind_of_file(const nlohmann::json& record);

/// Throws InvalidFile with the field and what it must be where a record is none of its kind.
void check_by_schema(const nlohmann::json& record);

}  // namespace sonde::records
