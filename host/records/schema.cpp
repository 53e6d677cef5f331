#include "records/schema.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "built_in_docs.hpp"
#include "records/input_files.hpp"

namespace sonde::records {
namespace {

using Json = nlohmann::json;

/// No reader takes a number that is larger.
constexpr double largest_number = 1e300;

const Json& definitions() {
  static const auto* const schema = &*std::ranges::find(built_in_docs, "records.schema", &BuiltInSchema::name);
  static const Json all = Json::parse(schema->text).at("$defs");
  return all;
}

/// A part of a definition, empty where it has none.
const Json& part_of(const Json& type, const char* key) {
  static const Json none;
  const auto found = type.find(key);
  return found == type.end() ? none : *found;
}

/// The definition of a kind of record; null where there is none.
const Json* definition_of(const std::string& kind) {
  static const auto by_kind = [] {
    std::map<std::string, const Json*> all;
    for (const Json& type : definitions()) {
      const Json& record = part_of(type.at("properties"), "record");
      if (!record.is_null()) all[record.at("enum").front()] = &type;
    }
    return all;
  }();
  const auto found = by_kind.find(kind);
  return found == by_kind.end() ? nullptr : found->second;
}

[[noreturn]] void refuse(const std::string& place, const std::string& wanted) {
  throw InvalidFile(place + " must be " + wanted);
}

bool is_of_type(const Json& value, std::string_view type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number() && std::abs(value.get<double>()) <= largest_number;
  return type == "string"    ? value.is_string()
         : type == "boolean" ? value.is_boolean()
         : type == "array"   ? value.is_array()
         : type == "object"  ? value.is_object()
                             : value.is_null();
}

void check_type(const Json& value, const Json& types, const std::string& place) {
  const auto fits = [&value](const Json& type) { return is_of_type(value, type.get_ref<const std::string&>()); };
  if (types.is_array() ? std::ranges::any_of(types, fits) : fits(types)) return;
  const auto wanted = (types.is_array() ? types.front() : types).get<std::string>();
  refuse(place, wanted == "string"    ? "a text"
                : wanted == "integer" ? "a whole number"
                : wanted == "boolean" ? "true or false"
                : wanted == "number"  ? "a number"
                                      : "an " + wanted);
}

void check_limits(const Json& value, const Json& type, const std::string& place) {
  const auto limit = [&type](const char* key, double otherwise) { return type.value(key, otherwise); };
  const bool has_size = value.is_string() || value.is_array() || value.is_object();
  const auto number = value.is_number() ? value.get<double>() : 0;
  if (value.is_number() && (number < limit("minimum", -largest_number) || number > limit("maximum", largest_number) ||
                            number <= limit("exclusiveMinimum", -INFINITY)))
    refuse(place, "a number within its limits");
  const char* const least = value.is_string() ? "minLength" : "minItems";
  const char* const most = value.is_string() ? "maxLength" : value.is_array() ? "maxItems" : "maxProperties";
  // A letter has up to four bytes, of which all but the first begin with the same two bits.
  const auto is_a_first = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) != 0x80u; };
  const auto size =
      value.is_string()
          ? static_cast<std::size_t>(std::ranges::count_if(value.get_ref<const std::string&>(), is_a_first))
          : value.size();
  if (has_size && (static_cast<double>(size) < limit(least, 0) || static_cast<double>(size) > limit(most, INFINITY)))
    refuse(place, static_cast<double>(size) < limit(least, 0) ? size == 0 ? "of some length" : "longer" : "shorter");
}

void check(const Json& value, const Json& type, const std::string& place);

void check_parts(const Json& value, const Json& type, const std::string& place) {
  const std::string before = place.empty() ? "" : place + ".";
  for (const Json& field : part_of(type, "readers_need")) {
    const auto& name = field.get_ref<const std::string&>();
    if (!value.contains(name) || value.at(name).is_null()) throw InvalidFile(before + name + " is missing");
  }
  const Json& properties = part_of(type, "properties");
  for (const auto& part : value.items()) {
    const std::string name = before + part.key();
    if (properties.contains(part.key())) check(part.value(), properties.at(part.key()), name);
    if (type.contains("propertyNames")) check_limits(Json(part.key()), type.at("propertyNames"), "a name in " + place);
    if (type.contains("additionalProperties")) check(part.value(), type.at("additionalProperties"), name);
  }
}

void check(const Json& value, const Json& type, const std::string& place) {
  if (type.contains("anyOf")) {
    // One of two is null.
    if (!value.is_null()) check(value, type.at("anyOf").front(), place);
    return;
  }
  if (type.contains("$ref")) {
    const auto reference = type.at("$ref").get<std::string>();
    check(value, definitions().at(reference.substr(reference.rfind('/') + 1)), place);
    return;
  }
  if (type.contains("type")) check_type(value, type.at("type"), place);
  check_limits(value, type, place);
  if (value.is_object()) check_parts(value, type, place);
  if (!value.is_array() || !type.contains("items")) return;
  for (std::size_t at = 0; at < value.size(); ++at)
    check(value[at], type.at("items"), place + "[" + std::to_string(at) + "]");
}

}  // namespace

bool is_kind_of_file(const Json& record) {
  if (!record.contains("record")) throw InvalidFile("record is missing");
  const Json& kind = record.at("record");
  if (!kind.is_string()) refuse("record", "a text");
  return definition_of(kind.get<std::string>()) != nullptr;
}

void check_by_schema(const Json& record) { check(record, *definition_of(record.at("record").get<std::string>()), ""); }

}  // namespace sonde::records
