#include "summary/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "analysis/number_text.hpp"
#include "records/device_record.hpp"

namespace sonde::summary {
namespace {

constexpr std::size_t indent_of_tables = 2;
constexpr std::size_t between_columns = 2;
/// Text is not wrapped into fewer columns.
constexpr std::size_t least_wrapped = 16;
/// Heads of numbers that are wider have several lines: a curve's title takes more room than its values.
constexpr std::size_t widest_head = 20;

struct Word {
  std::string text;
  std::size_t blanks_before = 0;
};

/// A word without the sign that ends it: "ns" of "ns,".
std::string_view without_sign(std::string_view word) {
  const bool signed_word = word.size() > 1 && std::ispunct(static_cast<unsigned char>(word.back())) != 0;
  return signed_word ? word.substr(0, word.size() - 1) : word;
}

/// No line begins with a unit, as it belongs to the number before.
bool is_unit(std::string_view word) {
  constexpr std::array<std::string_view, 13> units{"s",   "µs",  "ns",  "us",  "ms",  "GB/s", "B",
                                                   "KiB", "MiB", "GiB", "TiB", "MHz", "%"};
  return std::ranges::find(units, word) != units.end() || std::ranges::find(units, without_sign(word)) != units.end();
}

std::vector<Word> split_words(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t begin = std::min(text.find_first_not_of(' ', start), text.size());
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string word(text.substr(begin, end - begin));
    const bool after_number = !words.empty() && std::isdigit(static_cast<unsigned char>(words.back().text.back())) != 0;
    const bool after_sign = !words.empty() && words.back().text.ends_with("±");
    if ((after_number && is_unit(word)) || (after_sign && !word.empty()) || (word == "·" && !words.empty())) {
      if (without_sign(word) == "us") word.replace(0, 1, "µ");
      words.back().text += " " + word;
    } else if (!word.empty()) {
      words.push_back({word, begin - start});
    }
    start = end;
  }
  return words;
}

/// The words of a text in lines, each of at most so many columns where no word is wider.
std::vector<std::string> lines_of(std::string_view text, std::size_t first_columns, std::size_t further_columns) {
  std::vector<std::string> lines(1);
  for (const auto& [word, blanks] : split_words(text)) {
    const std::size_t room = lines.size() == 1 ? first_columns : further_columns;
    if (lines.back().empty()) {
      lines.back() = word;
    } else if (width_of(lines.back()) + blanks + width_of(word) <= room) {
      lines.back() += std::string(blanks, ' ') + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

/// Those of three digits; beyond hundredths there is nothing but scatter.
int decimals_in_a_table(double value) {
  constexpr int most = 2;
  return value == 0 ? most : std::min(analysis::decimals_of(value), most);
}

bool is_marked(const std::string& cell) { return cell.ends_with(" *"); }

/// The columns of a table that are shown, with their widths.
struct Block {
  const std::vector<Column>* columns;
  std::vector<std::size_t> shown;
  std::vector<std::size_t> widths;  ///< widths of all columns

  std::size_t width() const {
    std::size_t sum = indent_of_tables + between_columns * (shown.size() - 1);
    for (const std::size_t column : shown) sum += widths[column];
    return sum;
  }
  std::string line(const std::vector<std::string>& cells) const {
    std::string text(indent_of_tables, ' ');
    for (const std::size_t column : shown) {
      if (column != shown.front()) text.append(between_columns, ' ');
      const std::string blanks(widths[column] - std::min(widths[column], width_of(cells[column])), ' ');
      text += (*columns)[column].left ? cells[column] + blanks : blanks + cells[column];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  }
};

/// The heads of a table in as many rows as the longest takes, each down to the last row.
std::vector<std::vector<std::string>> head_rows(const std::vector<Column>& columns) {
  std::vector<std::vector<std::string>> heads;
  std::size_t most = 0;
  for (const Column& column : columns) {
    heads.push_back(column.left ? std::vector{column.head} : lines_of(column.head, widest_head, widest_head));
    most = std::max(most, heads.back().size());
  }
  std::vector rows(most, std::vector<std::string>(columns.size()));
  for (std::size_t column = 0; column < heads.size(); ++column) {
    const std::size_t empty_rows = most - heads[column].size();
    for (std::size_t line = 0; line < heads[column].size(); ++line)
      rows[empty_rows + line][column] = heads[column][line];
  }
  return rows;
}

/// Leaves out spare columns until the others fit.
void leave_out_spare(Block& block, std::size_t room) {
  const auto spare = [&block](std::size_t column) { return (*block.columns)[column].spare; };
  while (block.width() > room) {
    const auto most = std::ranges::max_element(block.shown, {}, spare);
    if (spare(*most) == 0) return;
    block.shown.erase(most);
  }
}

/// The fewest columns into which a column's cells can be wrapped: no word of theirs is wider.
std::size_t least_width(const std::vector<std::vector<std::string>>& rows, std::size_t column) {
  std::size_t least = least_wrapped;
  for (const auto& cells : rows) {
    for (const Word& word : split_words(cells[column])) least = std::max(least, width_of(word.text));
  }
  return least;
}

/// The rows of a block whose last column is wrapped into the room that the others leave.
std::string wrapped_rows(Block block, std::vector<std::vector<std::string>> rows, std::size_t room) {
  const std::size_t last = block.shown.back();
  block.widths[last] -= block.width() - room;
  std::string text;
  for (std::vector<std::string>& cells : rows) {
    for (const std::string& line : lines_of(cells[last], block.widths[last], block.widths[last])) {
      cells[last] = line;
      text += block.line(cells);
      std::ranges::fill(cells, "");
    }
  }
  return text;
}

}  // namespace

std::size_t width_of(std::string_view text) {
  // The later bytes of a letter begin with the bits 10.
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) != 0x80u; }));
}

std::string wrapped(std::string_view text, int columns, std::size_t indent) {
  constexpr std::size_t hanging = 2;
  const auto room = static_cast<std::size_t>(std::max(columns, 20)) - indent;
  std::string all;
  for (const std::string& line : lines_of(records::visible(text), room, room - hanging))
    all += std::string(all.empty() ? indent : indent + hanging, ' ') + line + "\n";
  return all;
}

std::string heading(std::string_view what, device::Api api, std::string_view more, int columns) {
  std::string text(what);
  if (api == device::Api::model) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    text = "Simulated " + text;
  } else {
    text += driver_api(records::api_name(api), " through ", "");
  }
  return "\n" + wrapped(text + std::string(more), columns);
}

std::string driver_api(const std::string& record_name, const char* before, const char* after) {
  for (const device::Api api : {device::Api::opencl, device::Api::vulkan}) {
    if (record_name == records::api_name(api)) return before + records::spoken_name(api) + after;
  }
  return "";
}

std::string three_digits(double value) {
  return analysis::rounded_text(value, decimals_in_a_table(value), analysis::Written::in_a_table);
}

std::string three_digits(double value, double half_width) {
  return three_digits(value) + " ± " +
         analysis::rounded_text(half_width, decimals_in_a_table(value), analysis::Written::in_a_table);
}

void TextTable::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  std::ranges::transform(cells, cells.begin(), [](const std::string& cell) { return records::visible(cell); });
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(int columns) const {
  std::vector<std::vector<std::string>> rows = head_rows(columns_);
  rows.insert(rows.end(), rows_.begin(), rows_.end());
  Block block{.columns = &columns_, .shown = {}, .widths = std::vector<std::size_t>(columns_.size())};
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const auto has_cell = [column](const auto& cells) { return !cells[column].empty(); };
    if (column > 0 && std::ranges::none_of(rows_, has_cell)) continue;
    block.shown.push_back(column);
    const bool marked = std::ranges::any_of(rows_, [column](const auto& cells) { return is_marked(cells[column]); });
    for (auto& cells : rows) {
      if (marked && !columns_[column].left && !is_marked(cells[column])) cells[column] += "  ";
      block.widths[column] = std::max(block.widths[column], width_of(cells[column]));
    }
  }
  const auto room = static_cast<std::size_t>(std::max(columns, 20));
  leave_out_spare(block, room);
  const std::size_t last = block.shown.back();
  const bool can_wrap = columns_[last].left && block.width() - block.widths[last] + least_width(rows, last) <= room;
  if (block.width() > room && can_wrap) return wrapped_rows(block, rows, room);

  std::string text;
  if (block.width() <= room) {
    for (const auto& cells : rows) text += block.line(cells);
    return text;
  }
  const std::vector<std::size_t> all = block.shown;
  // The columns that name a row are the words before its numbers.
  const auto number = std::ranges::find_if(all, [this](std::size_t column) { return !columns_[column].left; });
  const std::ptrdiff_t keys = number != all.begin() && number != all.end() ? number - all.begin() : 1;
  for (auto next = static_cast<std::size_t>(keys); next < all.size();) {
    block.shown.assign(all.begin(), all.begin() + keys);
    do {
      block.shown.push_back(all[next++]);
    } while (next < all.size() && block.width() + between_columns + block.widths[all[next]] <= room);
    for (const auto& cells : rows) {
      const auto has_cell = [&cells](std::size_t column) {
        return cells[column].find_first_not_of(' ') != cells[column].npos;
      };
      if (std::any_of(block.shown.begin() + keys, block.shown.end(), has_cell)) text += block.line(cells);
    }
  }
  return text;
}

}  // namespace sonde::summary
