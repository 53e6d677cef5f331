#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace sonde::test {

/// Ends the program where a promise is not kept; the fuzzer then saves what led there.
inline void require(bool kept, std::string_view promise, std::string_view found = "") {
  if (kept) return;
  std::fprintf(stderr, "not kept: %.*s: %.*s\n", static_cast<int>(promise.size()), promise.data(),
               static_cast<int>(found.size()), found.data());
  std::abort();
}

/// What every refusal of a file is: one sentence that a terminal can show, with the file's name first.
inline void require_sentence(std::string_view said, std::string_view file) {
  constexpr std::size_t longest = 240;
  require(said.starts_with(file), "a refusal names its file", said);
  require(said.find('\n') == std::string_view::npos, "a refusal is one line", said);
  require(said.size() <= longest, "a refusal is short", said);
}

}  // namespace sonde::test
