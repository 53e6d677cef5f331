#include "records/input_files.hpp"

#include <bit>
#include <cctype>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>

#include "os/file.hpp"

namespace sonde::records {
namespace {

using Document = nlohmann::json;

constexpr std::uint64_t largest_input_bytes = 16 << 20;

/// Accepts everything and remembers where reading stopped: the library's own exceptions do not always have the place.
struct Stop : nlohmann::json_sax<Document> {
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
  bool parse_error(std::size_t position, const std::string&, const Document::exception&) override {
    at = position;
    return false;
  }
};

std::string not_json(std::string_view text, std::string_view where) {
  Stop stop;
  Document::sax_parse(text, &stop);
  const std::string_view read = text.substr(0, stop.at > 0 ? stop.at - 1 : 0);
  const auto line = 1 + std::count(read.begin(), read.end(), '\n');
  return std::string(where) + ": line " + std::to_string(line) + " is not valid JSON";
}

/// No text may be longer: reports take no longer names.
constexpr std::size_t longest_text = 1000;

std::string shown_bound(double bound) {
  const bool is_short = bound == std::floor(bound) && std::abs(bound) < 1e15;
  return is_short ? std::to_string(static_cast<std::int64_t>(bound)) : Document(bound).dump();
}

/// The name of a field in an error message, in quotes only where it has blanks or signs.
std::string shown_name(const std::string& name) {
  const bool is_plain = name.size() <= 40 && !name.empty() && std::ranges::all_of(name, [](unsigned char letter) {
                          return std::isalnum(letter) != 0 || letter == '_' || letter == '-';
                        });
  return is_plain ? name : shown(Document(name));
}

}  // namespace

JsonText read_json_text(const std::filesystem::path& path, std::string_view what) {
  // A pipe or a device might never end, and so might what the system calls a file, which is why reading does not wait.
  std::error_code problem;
  std::optional<std::string> text;
  if (std::filesystem::is_regular_file(path, problem)) text = os::read_bytes(path, largest_input_bytes + 1);
  if (!text) throw InvalidFile(path.string() + ": the file cannot be read");
  if (text->size() > largest_input_bytes)
    throw InvalidFile(path.string() + ": the file is larger than any " + std::string(what));
  return {.text = *std::move(text), .where = path.string()};
}

Document parsed(const JsonText& file) {
  try {
    return Document::parse(file.text);
  } catch (const Document::exception&) {
    throw InvalidFile(not_json(file.text, file.where));
  }
}

std::string shown(const Document& value) {
  constexpr std::size_t longest = 60;
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  std::string text = value.dump(-1, ' ', false, Document::error_handler_t::replace);
  if (text.size() <= longest) return text;
  std::size_t end = longest - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;  // no letter is cut in two
  return text.substr(0, end) + "...";
}

Fields::Fields(const Document& object, std::string_view where, std::string path)
    : object_(object), where_(where), path_(std::move(path)) {
  if (!object.is_object()) {
    throw InvalidFile(where_ + ": " + (path_.empty() ? "the file" : path_) + " must be an object, not " +
                      shown(object));
  }
}

bool Fields::has(std::string_view name) const { return object_.contains(name); }

void Fields::text(std::string_view name, std::string& into) {
  const Document* const value = take(name);
  if (value == nullptr) return;
  if (!value->is_string()) complain(name, "must be a text, not " + shown(*value));
  const auto& text = value->get_ref<const std::string&>();
  if (text.empty()) complain(name, "must not be empty");
  if (text.size() > longest_text) complain(name, "must be at most " + std::to_string(longest_text) + " bytes long");
  into = text;
}

void Fields::flag(std::string_view name, bool& into) {
  const Document* const value = take(name);
  if (value == nullptr) return;
  if (!value->is_boolean()) complain(name, "must be true or false, not " + shown(*value));
  into = *value;
}

void Fields::number(std::string_view name, double& into, Range range) {
  const Document* const value = take(name);
  if (value == nullptr) return;
  if (!value->is_number()) complain(name, "must be a number, not " + shown(*value));
  const double number = *value;
  if (range.excludes_least && !(number > range.least)) {
    complain(name, "must be more than " + shown_bound(range.least) + ", not " + shown(*value));
  }
  if (!(number >= range.least))
    complain(name, "must be at least " + shown_bound(range.least) + ", not " + shown(*value));
  if (!(number <= range.most)) complain(name, "must be at most " + shown_bound(range.most) + ", not " + shown(*value));
  into = number;
}

void Fields::whole(std::string_view name, std::uint64_t& into, std::uint64_t least, std::uint64_t most) {
  const Document* const value = take(name);
  if (value == nullptr) return;
  if (!value->is_number()) complain(name, "must be a whole number, not " + shown(*value));
  const bool is_whole = value->is_number_integer() || std::floor(value->get<double>()) == value->get<double>();
  if (!is_whole) complain(name, "must be a whole number, not " + shown(*value));
  if (value->get<double>() < static_cast<double>(least)) {
    complain(name, "must be at least " + std::to_string(least) + ", not " + shown(*value));
  }
  // 2^64 as a floating-point number would not survive the conversion that is to test it.
  const bool fits = value->is_number_integer() || value->get<double>() < 0x1p64;
  if (!fits || value->get<std::uint64_t>() > most) {
    complain(name, "must be at most " + std::to_string(most) + ", not " + shown(*value));
  }
  into = value->get<std::uint64_t>();
}

void Fields::whole(std::string_view name, std::uint32_t& into, std::uint64_t least, std::uint64_t most) {
  std::uint64_t wide = into;
  whole(name, wide, least, std::min<std::uint64_t>(most, std::numeric_limits<std::uint32_t>::max()));
  into = static_cast<std::uint32_t>(wide);
}

void Fields::power_of_two(std::string_view name, std::uint64_t& into, std::uint64_t most) {
  whole(name, into, 1, most);
  if (!std::has_single_bit(into)) complain(name, "must be a power of two, not " + std::to_string(into));
}

std::size_t Fields::word(std::string_view name, std::initializer_list<std::string_view> words, std::size_t otherwise) {
  const Document* const value = take(name);
  if (value == nullptr) return otherwise;
  if (value->is_string()) {
    const auto* const found = std::find(words.begin(), words.end(), value->get_ref<const std::string&>());
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  }
  std::string choice;
  for (const auto* each = words.begin(); each != words.end(); ++each) {
    if (each != words.begin()) choice += each + 1 == words.end() ? " or " : ", ";
    choice += *each;
  }
  complain(name, "must be " + choice + ", not " + shown(*value));
}

void Fields::texts(std::string_view name, std::vector<std::string>& into) {
  const Document* const value = take(name);
  if (value == nullptr) return;
  if (!value->is_array()) complain(name, "must be an array of texts, not " + shown(*value));
  into.clear();
  for (const Document& each : *value) {
    if (!each.is_string()) complain(name, "must be an array of texts, and one of them is " + shown(each));
    into.push_back(each);
  }
}

void Fields::object(std::string_view name, const std::function<void(Fields&)>& read) {
  const Document* const value = take(name);
  if (value == nullptr) return;
  Fields fields(*value, where_, path_of(name));
  read(fields);
  fields.refuse_others();
}

void Fields::one_or_more(std::string_view name, const std::function<void(Fields&)>& read) {
  const auto value = object_.find(name);
  if (value == object_.end() || !value->is_array()) return object(name, read);
  objects(name, [&read](Fields& each, std::size_t, std::size_t) { read(each); });
}

void Fields::objects(std::string_view name, const std::function<void(Fields&, std::size_t, std::size_t)>& read) {
  const Document* const value = take(name);
  if (value == nullptr) return;
  if (!value->is_array()) complain(name, "must be an array, not " + shown(*value));
  if (value->empty()) complain(name, "must not be empty");
  for (std::size_t place = 0; place < value->size(); ++place) {
    Fields fields((*value)[place], where_, path_of(name) + "[" + std::to_string(place) + "]");
    read(fields, place, value->size());
    fields.refuse_others();
  }
}

void Fields::require(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (!has(name)) complain(name, "is missing");
  }
}

void Fields::refuse_others() const {
  for (const auto& field : object_.items()) {
    if (std::find(taken_.begin(), taken_.end(), field.key()) == taken_.end()) {
      complain(shown_name(field.key()), "is not a field that is known here");
    }
  }
}

void Fields::complain(std::string_view name, std::string_view problem) const {
  throw InvalidFile(where_ + ": " + path_of(name) + " " + std::string(problem));
}

const Document* Fields::take(std::string_view name) {
  taken_.emplace_back(name);
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

std::string Fields::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
}

}  // namespace sonde::records
