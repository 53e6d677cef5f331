#pragma once

#include <concepts>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "records/input_files.hpp"
#include "records/lines.hpp"

// One description a type: `fields(visitor, value)` names each field once, and a JsonWriter makes JSON of it, a
// JsonReader takes JSON apart. For the sources of this folder alone.
namespace sonde::records {

class JsonReader;
class JsonWriter;

/// A value, constant or not, of a type or of one that is derived from it.
template <typename Value, typename Type>
concept Of = std::derived_from<std::remove_const_t<Value>, Type>;

template <typename Type>
concept Described = requires(JsonWriter& writer, const Type& value) { fields(writer, value); };

template <typename Visitor>
inline constexpr bool reads = std::is_same_v<std::remove_cvref_t<Visitor>, JsonReader>;

constexpr device::Api last_of(device::Api) { return device::Api::cpu; }
constexpr device::DeviceType last_of(device::DeviceType) { return device::DeviceType::model; }
constexpr measure::Look last_of(measure::Look) { return measure::Look::closest; }
constexpr measure::Answer::End last_of(measure::Answer::End) { return measure::Answer::End::lost; }

/// JSON on one line. Driver strings are not always UTF-8; a bad byte is replaced rather than losing the record.
inline std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// Whole numbers without a decimal point, as bytes are bytes; others with six digits.
nlohmann::ordered_json number_json(double value);

/// Makes an object of what a description names.
class JsonWriter {
 public:
  using Json = nlohmann::ordered_json;
  explicit JsonWriter(Json& object) : object_(object) {}

  void field(const char* key, const auto& value) { object_[key] = json_of(value); }
  /// A field that is for other readers than this program.
  void unread(const char* key, const auto& value) { field(key, value); }
  /// A number with all its digits.
  void exact(const char* key, double value) { object_[key] = value; }
  /// A field that is absent where its value is nothing.
  void if_any(const char* key, const auto& value) {
    if (!is_nothing(value)) field(key, value);
  }
  /// A field that is null where its value is not known.
  void or_null(const char* key, const auto& value) {
    object_[key] = is_nothing(value) ? Json(nullptr) : json_of(value);
  }

  template <typename Value>
  static Json json_of(const Value& value) {
    if constexpr (std::is_same_v<Value, double>) {
      return measure::six_digits(value);
    } else if constexpr (std::is_enum_v<Value>) {
      return static_cast<int>(value);
    } else if constexpr (Described<Value>) {
      Json object = Json::object();
      JsonWriter writer(object);
      fields(writer, value);
      return object;
    } else {
      return converted(value);
    }
  }

 private:
  static Json converted(const auto& value) { return value; }
  template <typename Value>
  static Json converted(const std::optional<Value>& value) {
    return value ? json_of(*value) : Json(nullptr);
  }
  template <typename Value>
  static Json converted(const std::vector<Value>& values) {
    Json array = Json::array();
    for (const Value& value : values) array.push_back(json_of(value));
    return array;
  }
  static Json converted(const std::map<std::string, double>& numbers) {
    Json object = Json::object();
    for (const auto& [key, value] : numbers) object[key] = number_json(value);
    return object;
  }
  template <Described Value>
  static Json converted(const std::map<std::string, Value>& values) {
    Json object = Json::object();
    for (const auto& [key, value] : values) object[key] = json_of(value);
    return object;
  }

  template <typename Value>
  static bool is_nothing(const Value& value) {
    if constexpr (requires { value.has_value(); }) {
      return !value.has_value();
    } else if constexpr (requires { value.empty(); }) {
      return value.empty();
    } else {
      return value == Value{};
    }
  }

  Json& object_;
};

/// Takes an object apart. A field that is absent or null leaves its value as it was; one of another type than its
/// value's is an InvalidFile that names it.
class JsonReader {
 public:
  using Json = nlohmann::json;
  explicit JsonReader(const Json& object) : object_(object) {}

  template <typename Value>
  void field(const char* key, Value& value) const {
    if (!object_.is_object()) throw InvalidFile("where " + std::string(key) + " belongs there is no object");
    const auto found = object_.find(key);
    if (found != object_.end() && !found->is_null()) take(*found, key, value);
  }
  void exact(const char* key, double& value) const { field(key, value); }
  void if_any(const char* key, auto& value) const { field(key, value); }
  void or_null(const char* key, auto& value) const { field(key, value); }
  void unread(const char*, const auto&) const {}
  [[nodiscard]] bool has(const char* key) const { return object_.contains(key); }

  /// The value of a field by itself; a default one where it is absent.
  template <typename Value>
  [[nodiscard]] Value get(const char* key) const {
    Value value{};
    field(key, value);
    return value;
  }
  /// An object within this one, empty where it is absent.
  [[nodiscard]] Json part(const char* key) const {
    const Json found = get<Json>(key);
    if (!found.is_null() && !found.is_object()) throw InvalidFile(std::string(key) + " must be an object");
    return found.is_null() ? Json::object() : found;
  }

 private:
  [[noreturn]] static void refuse(const char* key, const char* wanted) {
    throw InvalidFile(std::string(key) + " must be " + wanted);
  }

  /// Takes a value of exactly such a type: the library would make a number of a truth value, and wrap one that is too
  /// large.
  template <typename Value>
  static void take(const Json& json, const char* key, Value& value) {
    if constexpr (std::is_same_v<Value, bool>) {
      if (!json.is_boolean()) refuse(key, "true or false");
    } else if constexpr (std::is_integral_v<Value>) {
      if (!json.is_number_integer()) refuse(key, "a whole number");
      const bool negative = !json.is_number_unsigned() && json.get<std::int64_t>() < 0;
      if (negative && (std::is_unsigned_v<Value> || !std::in_range<Value>(json.get<std::int64_t>())))
        refuse(key, "a larger number");
      if (!negative && !std::in_range<Value>(json.get<std::uint64_t>())) refuse(key, "a smaller number");
    } else if constexpr (std::is_enum_v<Value>) {
      int number = -1;
      take(json, key, number);
      if (number < 0 || number > static_cast<int>(last_of(value))) refuse(key, "a number of this program's");
      value = static_cast<Value>(number);
    } else if constexpr (std::is_same_v<Value, double>) {
      if (!json.is_number()) refuse(key, "a number");
    } else if constexpr (std::is_same_v<Value, std::string>) {
      if (!json.is_string()) refuse(key, "a text");
    } else if constexpr (Described<Value>) {
      if (!json.is_object()) refuse(key, "an object");
      JsonReader reader(json);
      fields(reader, value);
    }
    if constexpr (!std::is_enum_v<Value> && !Described<Value>) convert(json, key, value);
  }
  template <typename Value>
  static void convert(const Json& json, const char* key, Value& value) {
    try {
      value = json.get<Value>();
    } catch (const Json::exception&) {
      refuse(key, "an array or an object of other values");
    }
  }
  template <typename Value>
  static void convert(const Json& json, const char* key, std::optional<Value>& value) {
    if (json.is_object() && json.empty()) return;
    Value found{};
    take(json, key, found);
    value = std::move(found);
  }
  template <typename Value>
    requires Described<Value>
  static void convert(const Json& json, const char* key, std::vector<Value>& values) {
    if (!json.is_array()) refuse(key, "an array");
    values.clear();
    for (const Json& one : json) take(one, key, values.emplace_back());
  }
  template <typename Value>
    requires Described<Value>
  static void convert(const Json& json, const char* key, std::map<std::string, Value>& values) {
    if (!json.is_object()) refuse(key, "an object");
    values.clear();
    for (const auto& one : json.items()) take(one.value(), key, values[one.key()]);
  }

  const Json& object_;
};

void fields(auto& visit, Of<analysis::Bracket> auto& bracket) {
  visit.field("low", bracket.low);
  visit.field("value", bracket.value);
  visit.field("high", bracket.high);
}

void fields(auto& visit, Of<device::StatedCache> auto& cache) {
  visit.or_null("level", cache.level);
  visit.field("bytes", cache.bytes);
  visit.field("source", cache.source);
}

void fields(auto& visit, Of<device::MemoryKind> auto& kind) {
  visit.field("name", kind.name);
  visit.field("missing", kind.missing);
  visit.field("seen_by_cpu", kind.seen_by_cpu);
  visit.field("maps_freely", kind.maps_freely);
}

void fields(auto& visit, Of<device::MissingType> auto& type) {
  visit.field("reason", type.reason);
  visit.field("worth_a_try", type.worth_a_try);
}

void fields(auto& visit, Of<device::DeviceInfo> auto& info) {
  visit.field("api", info.api);
  visit.field("type", info.type);
  visit.field("name", info.name);
  visit.field("platform", info.platform);
  visit.field("driver", info.driver);
  visit.field("driver_version", info.driver_version);
  visit.field("api_version", info.api_version);
  visit.field("uuid", info.uuid);
  visit.field("pci", info.pci);
  visit.field("compute_units", info.compute_units);
  visit.field("memory_bytes", info.memory_bytes);
  visit.field("largest_buffer_bytes", info.largest_buffer_bytes);
  visit.field("largest_buffer_reason", info.largest_buffer_reason);
  visit.field("unified_memory", info.unified_memory);
  visit.field("line_bytes", info.line_bytes);
  visit.field("stated_caches", info.stated_caches);
  visit.field("largest_group_size", info.largest_group_size);
  visit.field("constant_bytes", info.constant_bytes);
  visit.field("texel_bytes", info.texel_bytes);
  visit.field("local_bytes", info.local_bytes);
  visit.field("bound_bytes", info.bound_bytes);
  visit.field("most_trips", info.most_trips);
  visit.field("widest_load_bytes", info.widest_load_bytes);
  visit.exact("timer_step_ns", info.timer_step_ns);
  visit.exact("clock_mhz", info.clock_mhz);
  visit.field("core_clock", info.core_clock);
  visit.field("missing_types", info.missing_types);
  visit.field("emulated_types", info.emulated_types);
  visit.field("memory_kinds", info.memory_kinds);
}

void fields(auto& visit, Of<measure::State> auto& state) {
  visit.field("foreign_cpu", state.foreign_cpu);
  visit.field("steal", state.steal);
  visit.field("smt_interference", state.smt_interference);
  visit.field("disturbed", state.disturbed);
  visit.field("clock_settled", state.clock_settled);
  visit.field("laps_settling", state.laps_settling);
  visit.field("steps", state.steps);
  visit.field("launch_ns", state.launch_ns);
  visit.field("involuntary_switches", state.involuntary_switches);
  visit.if_any("interrupted", state.interrupted);
  visit.if_any("instruction", state.instruction);
  // NOLINTNEXTLINE(misc-const-correctness): a reader changes it
  std::optional<double> mhz = state.core_clock ? std::optional(state.core_clock->mhz) : std::nullopt;
  // NOLINTNEXTLINE(misc-const-correctness): a reader changes it
  std::string source = state.core_clock ? state.core_clock->source : "";
  visit.if_any("clock_mhz", mhz);
  visit.if_any("clock_source", source);
  if constexpr (reads<decltype(visit)>) {
    if (mhz) state.core_clock = measure::CoreClock{.mhz = *mhz, .source = source};
  }
  visit.if_any("gpu_clock_mhz", state.device_state.gpu_clock_mhz);
  visit.if_any("memory_clock_mhz", state.device_state.memory_clock_mhz);
  visit.if_any("memory_peak_gbps", state.device_state.memory_peak_gbps);
  visit.if_any("temperature_celsius", state.device_state.temperature_celsius);
  visit.if_any("power_watts", state.device_state.power_watts);
  visit.if_any("throttle_reasons", state.device_state.throttle_reasons);
  visit.if_any("cpu_clock_mhz", state.device_state.cpu_clock_mhz);
  visit.if_any("shape", state.shape);
}

void fields(auto& visit, Of<Origin> auto& origin) {
  visit.field("device", origin.device);
  visit.field("api", origin.api);
  visit.field("probe", origin.probe);
}

/// The words of a record's `series`; the probe tells what those of earlier versions mean.
void series(auto& visit, const Origin& origin, auto& words) {
  // NOLINTNEXTLINE(misc-const-correctness): a reader changes it
  auto by_key = measure::written(words);
  visit.field("series", by_key);
  if constexpr (reads<decltype(visit)>) words = measure::parse_words(origin.probe, by_key);
}

/// The place of a record on its curves.
void place(auto& visit, const Origin& origin, auto& point) {
  series(visit, origin, point.words);
  // NOLINTNEXTLINE(misc-const-correctness): a reader changes it
  auto by_key = measure::written(point.x);
  visit.field("x", by_key);
  if constexpr (reads<decltype(visit)>) point.x = measure::parse_coordinates(by_key);
}

/// The record that an object is. Throws InvalidFile with what is wrong, "attempts must be a whole number".
Line line_of(const nlohmann::json& json);

/// The fields that say which point something belongs to, for a line that is written otherwise: "device":"cpu",…
std::string fields_of(const Origin& origin, const measure::Point& point);
void fields(const JsonReader& reader, CounterLine& counter);

}  // namespace sonde::records
