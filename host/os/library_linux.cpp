#include <dlfcn.h>

#include "os/library.hpp"

namespace sonde::os {

Library::Library(const std::string& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!handle_) why_not_ = dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps it for each thread
}

void* Library::symbol(const char* name) const { return handle_ ? dlsym(handle_.get(), name) : nullptr; }

void Library::Close::operator()(void* library) const { dlclose(library); }

}  // namespace sonde::os
