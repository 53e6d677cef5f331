#pragma once

#include <stdexcept>
#include <string>

namespace sonde::device {

/// A driver call failed. Thrown only in backends, caught only by the runner and by main.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The device, or this process's connection to it, will not work any more: another process may find it working again.
struct Lost : Error {
  using Error::Error;
};

/// This device or machine cannot do the request; the text tells the user why and what would help.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The work takes so little time that the clock's resolution or other work on the machine hides it; other points may be
/// measurable.
struct TooShort : Unsupported {
  using Unsupported::Unsupported;
};

}  // namespace sonde::device
