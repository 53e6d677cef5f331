#pragma once

#include <stdexcept>
#include <string>

namespace sonde::device {

/// A driver call failed. Thrown only in backends, caught only by the runner and by main.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The device, or what this process has of it, will do nothing more: another process may find it working again.
struct Lost : Error {
  using Error::Error;
};

/// This device or machine cannot do what was asked; the text tells the user why and what would help.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What was asked for takes so little that the clock, or what else the machine does, hides its time; other points may
/// fare better.
struct TooShort : Unsupported {
  using Unsupported::Unsupported;
};

}  // namespace sonde::device
