#pragma once

namespace sonde::os {

/// Gives up the capabilities that the program's file gave to a user who is not root: nothing here needs one, and
/// drivers that are loaded later must not have them. Ends the process where the system refuses.
void give_up_capabilities();

}  // namespace sonde::os
