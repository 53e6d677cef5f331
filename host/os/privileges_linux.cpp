#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "os/privileges.hpp"

namespace sonde::os {
namespace {

using Capabilities = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

/// By the system's calls, which the C library has no function for: to have none needs no library.
__user_cap_header_struct header() { return {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0}; }

void have_only(const Capabilities& capabilities) {
  __user_cap_header_struct about = header();
  if (syscall(SYS_capset, &about, capabilities.data()) == 0) return;
  std::perror("sonde: capabilities cannot be given up");
  std::abort();
}

}  // namespace

void give_up_capabilities() {
  if (geteuid() == 0) return;  // root's are the user's own, and some systems let only root reach a device
  have_only({});
}

void keep_the_right_to_count() {
  if (geteuid() == 0) return;
  __user_cap_header_struct about = header();
  Capabilities held{};
  if (syscall(SYS_capget, &about, held.data()) != 0) return have_only({});
  Capabilities kept{};
  constexpr unsigned bits = 32;
  const std::uint32_t right = 1u << (CAP_PERFMON % bits);
  kept[CAP_PERFMON / bits].permitted = held[CAP_PERFMON / bits].permitted & right;
  kept[CAP_PERFMON / bits].effective = kept[CAP_PERFMON / bits].permitted;
  have_only(kept);
}

}  // namespace sonde::os
