#pragma once

namespace sonde::os {

/// Gives up the capabilities that the program's file gave to a user who is not root: nothing here needs one, and
/// drivers that are loaded later must not have them. Ends the process where the system refuses.
void give_up_capabilities();

/// The same for all but CAP_PERFMON, the right to count: for a command that loads no driver, until its counters are
/// open.
void keep_the_right_to_count();

}  // namespace sonde::os
