#include "os/privileges.hpp"

// A file cannot give its program rights on Windows, so that there are none to give up.
namespace sonde::os {

void give_up_capabilities() {}

void keep_the_right_to_count() {}

}  // namespace sonde::os
