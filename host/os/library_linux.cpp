#include <dlfcn.h>
#include <link.h>

#include <filesystem>

#include "os/library.hpp"

namespace sonde::os {

const char* const opencl_loader = "libOpenCL.so.1";
const char* const vulkan_loader = "libvulkan.so.1";
const char* const nvidia_management = "libnvidia-ml.so.1";

std::string loader_package(const std::string& debian_package) { return "(Debian and Ubuntu: " + debian_package + ")"; }

// Drivers are known to lack functions that nobody calls.
Library::Library(const std::string& file) : handle_(dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
  if (handle_) return;
  why_not_ = dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps it for each thread
  // glibc names the file that it did not find, which may be a library that this one needs.
  is_missing_ = why_not_.starts_with(file + ": cannot open shared object file: No such file");
}

std::string Library::file() const {
  link_map* loaded = nullptr;
  if (!handle_ || dlinfo(handle_.get(), RTLD_DI_LINKMAP, &loaded) != 0) return "";
  std::error_code ignored;
  return std::filesystem::canonical(loaded->l_name, ignored);
}

void* Library::symbol(const char* name) const { return handle_ ? dlsym(handle_.get(), name) : nullptr; }

void Library::Close::operator()(void* library) const { dlclose(library); }

}  // namespace sonde::os
