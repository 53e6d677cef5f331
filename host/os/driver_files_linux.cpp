#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <system_error>

#include "os/driver_files.hpp"

// Sources: ocl-icd's libOpenCL(7), the README of Khronos' OpenCL loader, LoaderDriverInterface.md and
// LoaderLayerInterface.md of the Vulkan loader.
namespace sonde::os {
namespace {

using Texts = std::vector<std::string>;

/// A variable's value, empty where it is not set.
std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread changes it
  return value != nullptr ? value : "";
}

/// The first of some variables that is set.
std::string first_variable(std::initializer_list<const char*> names, const std::string& otherwise = "") {
  for (const char* name : names) {
    if (std::string value = variable(name); !value.empty()) return value;
  }
  return otherwise;
}

Texts parts(std::string_view list) {
  Texts found;
  while (!list.empty()) {
    const std::size_t colon = std::min(list.find(':'), list.size());
    if (colon > 0) found.emplace_back(list.substr(0, colon));
    list.remove_prefix(std::min(colon + 1, list.size()));
  }
  return found;
}

Texts& operator+=(Texts& all, Texts more) {
  std::ranges::move(more, std::back_inserter(all));
  return all;
}

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// The files at some places, each once: a place whose name ends so is a file itself, any other a folder of them.
Texts files_at(const Texts& places, std::string_view ending) {
  Texts found;
  const auto add = [&found](const std::filesystem::path& file) {
    std::error_code ignored;
    const std::string name = std::filesystem::absolute(file, ignored).lexically_normal();
    if (std::ranges::find(found, name) == found.end()) found.push_back(name);
  };
  for (const std::string& place : places) {
    if (place.ends_with(ending)) {
      if (is_there(place)) add(place);
      continue;
    }
    std::vector<std::filesystem::path> here;
    std::error_code problem;
    for (std::filesystem::directory_iterator file(place, problem), end; !problem && file != end;
         file.increment(problem)) {
      if (file->path().native().ends_with(ending)) here.push_back(file->path());
    }
    std::ranges::sort(here);
    std::ranges::for_each(here, add);
  }
  return found;
}

/// Where the Vulkan loader looks for manifests of one kind, unless it is told otherwise.
Texts manifest_folders(const std::string& kind) {
  const std::string home = variable("HOME");
  const auto of_user = [&home](const char* name, const char* otherwise) {
    return first_variable({name}, home.empty() ? "" : home + otherwise);
  };
  Texts folders = parts(of_user("XDG_CONFIG_HOME", "/.config"));
  folders += parts(first_variable({"XDG_CONFIG_DIRS"}, "/etc/xdg"));
  folders += {"/etc", "/run/opengl-driver/share"};  // the second is NixOS'
  folders += parts(of_user("XDG_DATA_HOME", "/.local/share"));
  folders += parts(first_variable({"XDG_DATA_DIRS"}, "/usr/local/share:/usr/share"));
  for (std::string& folder : folders) folder += "/vulkan/" + kind + ".d";
  return folders;
}

DriverFiles vulkan_files() {
  Texts drivers = parts(first_variable({"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}));
  if (drivers.empty()) {
    drivers = parts(variable("VK_ADD_DRIVER_FILES"));
    drivers += manifest_folders("icd");
  }
  Texts layers = parts(variable("VK_IMPLICIT_LAYER_PATH"));
  if (layers.empty()) {
    layers = parts(variable("VK_ADD_IMPLICIT_LAYER_PATH"));
    layers += manifest_folders("implicit_layer");
  }
  DriverFiles files{.drivers = files_at(drivers, ".json"), .layers = files_at(layers, ".json")};
  files.layers += parts(variable("VK_INSTANCE_LAYERS"));
  return files;
}

/// A folder, a file in the usual folder or elsewhere, or a library: ocl-icd takes all of them for OCL_ICD_VENDORS.
Texts vendors(const std::string& named, const std::string& usual) {
  std::error_code ignored;
  if (named.empty()) return files_at({usual, "/run/opengl-driver/etc/OpenCL/vendors"}, ".icd");
  if (std::filesystem::is_directory(named, ignored)) return files_at({named + "/"}, ".icd");
  const bool has_folder = named.find('/') != std::string::npos;
  if (!named.ends_with(".icd")) return has_folder && !is_there(named) ? Texts{} : Texts{named};
  const std::string in_usual = usual + "/" + named;
  return files_at({!has_folder && is_there(in_usual) ? in_usual : named}, ".icd");
}

DriverFiles opencl_files() {
  DriverFiles files{.drivers = parts(variable("OCL_ICD_FILENAMES")), .layers = parts(variable("OPENCL_LAYERS"))};
  files.drivers += vendors(variable("OCL_ICD_VENDORS"), first_variable({"OPENCL_VENDOR_PATH"}, "/etc/OpenCL/vendors"));
  files.layers += files_at({first_variable({"OPENCL_LAYER_PATH"}, "/etc/OpenCL/layers") + "/"}, ".lay");
  return files;
}

bool may(const std::filesystem::path& file, int rights) {
  return faccessat(AT_FDCWD, file.c_str(), rights, AT_EACCESS) == 0;
}

/// Whether a folder may be written, or made where it is not there yet.
bool may_be_written(std::filesystem::path folder) {
  while (!is_there(folder) && folder.has_relative_path()) folder = folder.parent_path();
  return may(folder, W_OK | X_OK);
}

/// What is wrong with the folder that drivers keep their caches in. Sources: the XDG Base Directory Specification, and
/// PoCL's pocl_cache.c, which lists no device without one.
Texts missing_cache() {
  if (const std::string own = variable("POCL_CACHE_DIR"); !own.empty() && may_be_written(own)) return {};
  const std::string home = variable("HOME");
  const std::string folder = first_variable({"XDG_CACHE_HOME"}, home.empty() ? "/tmp/pocl" : home + "/.cache");
  if (may_be_written(folder)) return {};
  return {"a folder for caches that may be written, which " + folder + " may not (set XDG_CACHE_HOME to one)"};
}

/// The first device file of a GPU that there is and that this user may not open.
Texts missing_right(const std::filesystem::path& devices) {
  std::vector<std::filesystem::path> files{devices / "kfd", devices / "nvidiactl", devices / "nvidia0"};
  std::error_code problem;
  for (std::filesystem::directory_iterator file(devices / "dri", problem), end; !problem && file != end;
       file.increment(problem)) {
    if (file->path().filename().native().starts_with("renderD")) files.push_back(file->path());
  }
  for (const std::filesystem::path& file : files) {
    if (is_there(file) && !may(file, R_OK | W_OK))
      return {"the right to open " + file.native() + " (join the group that it belongs to, mostly render or video)"};
  }
  return {};
}

void set(const char* name, const std::string& value) {
  setenv(name, value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): before any driver's thread begins
}

void unset(std::initializer_list<const char*> names) {
  for (const char* name : names) unsetenv(name);  // NOLINT(concurrency-mt-unsafe): before any driver's thread begins
}

}  // namespace

DriverFiles driver_files(Loader loader) {
  if (getauxval(AT_SECURE) != 0) return {};
  return loader == Loader::opencl ? opencl_files() : vulkan_files();
}

std::vector<std::string> missing_for_drivers(const std::filesystem::path& root) {
  Texts missing;
  for (const auto& [folder, file, kind] :
       {std::array{"/proc", "proc/self/stat", "proc"}, std::array{"/sys", "sys/devices/system/cpu", "sysfs"}}) {
    if (!is_there(root / file))
      missing.push_back(std::string(folder) + " (as root: mount -t " + kind + " " + kind + " " + folder +
                        "; or have the container show it)");
  }
  missing += missing_cache();
  missing += missing_right(root / "dev");
  return missing;
}

void show_driver_alone(Loader loader, const std::string& file, const std::string& library) {
  if (loader == Loader::vulkan) {
    for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) set(name, file);
    return;
  }
  // Khronos' loader takes the one for a folder, in which it finds nothing, and ocl-icd does not know the other.
  set("OCL_ICD_VENDORS", file);
  set("OCL_ICD_FILENAMES", library);
}

void hide_layers(Loader loader) {
  if (loader == Loader::opencl) {
    unset({"OPENCL_LAYERS"});
    set("OPENCL_LAYER_PATH", "/dev/null");
    return;
  }
  unset({"VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE", "VK_LOADER_LAYERS_ALLOW"});
  set("VK_LOADER_LAYERS_DISABLE", "~all~");
}

}  // namespace sonde::os
