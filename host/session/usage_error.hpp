#pragma once

#include <stdexcept>

namespace sonde::session {

/// The request or an input file was wrong; one clear sentence for the user. The program ends with status 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace sonde::session
