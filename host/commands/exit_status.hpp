#pragma once

namespace sonde::commands {

enum class ExitStatus : int {
  done = 0,
  something_failed = 1,  ///< it finished, but something that was asked failed
  wrong_request = 2,     ///< nothing was measured
  interrupted = 130,     ///< what was measured is in the file
};

}  // namespace sonde::commands
