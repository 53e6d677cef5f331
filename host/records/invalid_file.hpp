#pragma once

#include <stdexcept>

namespace sonde::records {

/// An input file is wrong; the text is one sentence that names the file and the place in it.
struct InvalidFile : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace sonde::records
