#include "measure/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <set>
#include <type_traits>
#include <utility>

namespace sonde::measure {
namespace {

/// Calls `visit` with each key and the fields that some words have under it.
template <typename Visit, typename... AnyWords>
void for_each_word(Visit visit, AnyWords&... words) {
  visit("beside", words.beside...);
  visit("bytes-counted", words.bytes_counted...);
  visit("chain", words.chain...);
  visit("core", words.core...);
  visit("counted", words.counted...);
  visit("direction", words.direction...);
  visit("engine", words.engine...);
  visit("exchange", words.exchange...);
  visit("fabric", words.fabric...);
  visit("host", words.host...);
  visit("level", words.level...);
  visit("line", words.line...);
  visit("memory", words.memory...);
  visit("method", words.method...);
  visit("operation", words.operation...);
  visit("order", words.order...);
  visit("pages", words.pages...);
  visit("path", words.path...);
  visit("pattern", words.pattern...);
  visit("pinning", words.pinning...);
  visit("placement", words.placement...);
  visit("role", words.role...);
  visit("sharing", words.sharing...);
  visit("side", words.side...);
  visit("state", words.state...);
  visit("stores", words.stores...);
  visit("stride", words.stride_bytes...);
  visit("type", words.type...);
  visit("writer", words.writer...);
}

/// Calls `visit` with each key and the numbers that some coordinates have under it.
template <typename Visit, typename... AnyCoordinates>
void for_each_field(Visit visit, AnyCoordinates&... x) {
  visit("address", x.address...);
  visit("bytes", x.bytes...);
  visit("cpu_threads", x.cpu_threads...);
  visit("delay", x.delay...);
  visit("from", x.from...);
  visit("gpu_gbps", x.gpu_gbps...);
  visit("groups", x.groups...);
  visit("height", x.height...);
  visit("hops", x.hops...);
  visit("load", x.load...);
  visit("node", x.node...);
  visit("operations_per_byte", x.operations_per_byte...);
  visit("queues", x.queues...);
  visit("seconds", x.seconds...);
  visit("to", x.to...);
  visit("width", x.width...);
}

std::string text_of(const Name& name) { return name.str(); }

/// "64K": strides are powers of two from 1 KiB on.
std::string text_of(std::optional<std::uint32_t> stride_bytes) {
  if (!stride_bytes) return "";
  return *stride_bytes % (1 << 20) == 0 ? fmt::format("{}M", *stride_bytes >> 20)
                                        : fmt::format("{}K", *stride_bytes >> 10);
}

template <typename Word>
std::string text_of(const std::optional<Word>& word) {
  return word ? std::string(word_of(*word)) : "";
}

bool parse(const std::string& text, Name& name) {
  name = text;
  return true;
}

bool parse(const std::string& text, std::optional<std::uint32_t>& stride_bytes) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const std::uint64_t bytes = static_cast<std::uint64_t>(number) << (unit == "M" ? 20 : 10);
  const bool known = error == std::errc{} && (unit == "K" || unit == "M") && bytes > 0 && bytes <= UINT32_MAX;
  if (known) stride_bytes = static_cast<std::uint32_t>(bytes);
  return known;
}

template <typename Word>
bool parse(const std::string& text, std::optional<Word>& word) {
  constexpr auto all = spellings(Word{});
  for (std::size_t index = 0; index < all.size(); ++index) {
    if (all[index] == text) word = static_cast<Word>(index);
  }
  return word.has_value();
}

bool is_absent(const Name& name) { return name.empty(); }
template <typename Word>
bool is_absent(const std::optional<Word>& word) {
  return !word;
}

/// The word that versions before `beside` called `fabric` in every probe: docs/records.md has the table.
std::optional<Beside> beside_of_old(std::string_view probe, const std::map<std::string, std::string>& series) {
  if (probe == "latency" || probe == "host-memory") return std::nullopt;
  if (series.at("fabric") == "idle") return Beside::nothing;
  if (probe == "copy") return Beside::kernel;
  if (probe == "contention") return Beside::gpu_load;
  if (probe == "core-to-core") return series.contains("placement") ? Beside::pairs : Beside::split_locks;
  return std::nullopt;
}

}  // namespace

Name::Name(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> kept;
  const std::lock_guard lock(mutex);
  text_ = *kept.insert(text).first;
}

Words with(Words words, const Words& more) {
  const auto replace = [](const char*, auto& word, const auto& added) {
    if (!is_absent(added)) word = added;
  };
  for_each_word(replace, words, more);
  return words;
}

Coordinates with(Coordinates x, const Coordinates& more) {
  const auto replace = [](const char*, std::optional<double>& number, const std::optional<double>& added) {
    if (added) number = added;
  };
  for_each_field(replace, x, more);
  return x;
}

std::map<std::string, std::string> written(const Words& words) {
  std::map<std::string, std::string> series;
  for_each_word(
      [&](const char* key, const auto& word) {
        if (!is_absent(word)) series[key] = text_of(word);
      },
      words);
  for (std::string_view left = words.unknown.text(); !left.empty();) {
    const std::string_view pair = left.substr(0, left.find('\n'));
    series.emplace(pair.substr(0, pair.find('=')), pair.substr(pair.find('=') + 1));
    left.remove_prefix(std::min(left.size(), pair.size() + 1));
  }
  return series;
}

std::map<std::string, double> written(const Coordinates& x) {
  std::map<std::string, double> numbers;
  for_each_field(
      [&](const char* key, const std::optional<double>& number) {
        if (number) numbers[key] = *number;
      },
      x);
  return numbers;
}

Words parse_words(std::string_view probe, const std::map<std::string, std::string>& series) {
  Words words;
  std::map<std::string, std::string> unread = series;
  if (const auto fabric = series.find("fabric"); fabric != series.end()) {
    words.beside = beside_of_old(probe, series);
    if (words.beside) unread.erase("fabric");
  }
  for_each_word(
      [&](const char* key, auto& word) {
        const auto found = unread.find(key);
        if (found != unread.end() && parse(found->second, word)) unread.erase(found);
      },
      words);
  std::string unknown;
  for (const auto& [key, word] : unread) unknown += (unknown.empty() ? "" : "\n") + key + "=" + word;
  if (!unknown.empty()) words.unknown = unknown;
  return words;
}

Coordinates parse_coordinates(const std::map<std::string, double>& numbers) {
  Coordinates x;
  for_each_field(
      [&](const char* key, std::optional<double>& number) {
        if (const auto found = numbers.find(key); found != numbers.end()) number = found->second;
      },
      x);
  return x;
}

bool is_word_key(std::string_view wanted) {
  bool found = false;
  const Words words;
  for_each_word([&](const char* key, const auto&) { found = found || wanted == key; }, words);
  return found;
}

bool is_coordinate_key(std::string_view wanted) {
  bool found = false;
  const Coordinates x;
  for_each_field([&](const char* key, const auto&) { found = found || wanted == key; }, x);
  return found;
}

std::optional<std::string> word_at(const Words& words, std::string_view wanted) {
  std::optional<std::string> found;
  for_each_word(
      [&](const char* key, const auto& word) {
        if (wanted == key && !is_absent(word)) found = text_of(word);
      },
      words);
  return found;
}

std::optional<double> number_at(const Coordinates& x, std::string_view wanted) {
  std::optional<double> found;
  for_each_field(
      [&](const char* key, const std::optional<double>& number) {
        if (wanted == key) found = number;
      },
      x);
  return found;
}

}  // namespace sonde::measure
