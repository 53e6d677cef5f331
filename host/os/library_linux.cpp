#include <dlfcn.h>

#include "os/library.hpp"

namespace sonde::os {

Library::Library(const std::string& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_) return;
  why_not_ = dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps it for each thread
  // glibc names the file that it did not find, which may be one that this one needs.
  is_missing_ = why_not_.starts_with(file + ": cannot open shared object file: No such file");
}

void* Library::symbol(const char* name) const { return handle_ ? dlsym(handle_.get(), name) : nullptr; }

void Library::Close::operator()(void* library) const { dlclose(library); }

}  // namespace sonde::os
