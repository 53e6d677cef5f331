// Any word after --sizes is a range of bytes or refused in one sentence.

#include <algorithm>
#include <cstdint>
#include <string>

#include "commands/commands.hpp"
#include "require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace sonde;
  // An argument ends at its first zero byte.
  const std::string text(bytes, std::find(bytes, bytes + size, 0));
  try {
    const auto [least, most] = commands::parse_size_range(text);
    test::require(least > 0 && least <= most, "a range begins above 0 and ends no earlier", text);
    // Bytes without a unit are exact, so whatever was understood can be said again.
    const std::string again = std::to_string(least) + ":" + std::to_string(most);
    const bool exact = most < std::uint64_t{1} << 53;  // beyond, the numbers of a text are no longer each byte's
    if (exact) test::require(commands::parse_size_range(again) == std::pair(least, most), "a range is itself", again);
  } catch (const session::UsageError& refusal) {
    const std::string_view said = refusal.what();
    test::require(said.find(text.substr(0, text.find(':'))) != std::string_view::npos ||
                      said.find(text.substr(text.find(':') + 1)) != std::string_view::npos,
                  "a refusal repeats what is wrong", said);
    test::require(said.size() <= size + 240, "a refusal is short beside the word that it repeats", said);
  }
  return 0;
}
