#include "records/read_file.hpp"

#include <fstream>
#include <sstream>
#include <utility>

#include "records/invalid_file.hpp"

namespace sonde::records {

std::vector<Line> read_file(const std::filesystem::path& path, std::string& note) {
  const std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) throw InvalidFile(path.string() + ": the file cannot be read");
  std::ostringstream all;
  all << file.rdbuf();
  const std::string text = std::move(all).str();

  std::vector<Line> lines;
  std::size_t number = 0;
  for (std::size_t start = 0; start < text.size();) {
    ++number;
    const std::size_t end = text.find('\n', start);
    const bool finished = end != std::string::npos;
    const std::string_view one = std::string_view(text).substr(start, finished ? end - start : std::string::npos);
    start = finished ? end + 1 : text.size();
    if (one.empty()) continue;
    const auto line = parse_line(one);
    const std::string where = path.string() + ", line " + std::to_string(number);
    if (!line && !finished) {
      note = where + ": unfinished and skipped; the run was killed while it wrote it";
      break;
    }
    if (!line) throw InvalidFile(where + ": this is no record");
    const auto* const run = std::get_if<RunLine>(&*line);
    if (lines.empty() && run == nullptr) throw InvalidFile(where + ": a record file begins with a run record");
    if (run != nullptr && run->schema != schema_version) {
      throw InvalidFile(where + ": this file has schema " + std::to_string(run->schema) + ", this program reads " +
                        std::to_string(schema_version));
    }
    if (!std::holds_alternative<UnknownLine>(*line)) lines.push_back(*line);
  }
  if (lines.empty()) throw InvalidFile(path.string() + ": there are no records in this file");
  return lines;
}

}  // namespace sonde::records
