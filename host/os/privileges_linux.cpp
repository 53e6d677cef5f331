#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "os/privileges.hpp"

namespace sonde::os {

void give_up_capabilities() {
  if (geteuid() == 0) return;  // root's are the user's own, and some systems let only root reach a device
  // By the system's call, which the C library has no function for: to have none needs no library.
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  if (syscall(SYS_capset, &header, none.data()) == 0) return;
  std::perror("sonde: capabilities cannot be given up");
  std::abort();
}

}  // namespace sonde::os
