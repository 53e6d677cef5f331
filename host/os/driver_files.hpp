#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sonde::os {

/// The library through which a program reaches the drivers of an API.
enum class Loader { opencl, vulkan };

/// What a loader loads of its own accord, in the order in which it looks for it.
struct DriverFiles {
  std::vector<std::string> drivers;  ///< files, each of which names a driver, and drivers' own libraries
  std::vector<std::string> layers;   ///< files, libraries and names of layers between a program and every driver
};

/// Nothing where the loader alone knows: on Windows, which has them in its registry, and in a program whose file gives
/// it rights, in which loaders heed no environment.
DriverFiles driver_files(Loader loader);

/// What drivers need that this process has not got, with the way to it, as parts of a sentence: /proc, /sys, a folder
/// for caches, the right to open a GPU's device file. Nothing where nothing is known to be missing. `root` holds the
/// system's files.
std::vector<std::string> missing_for_drivers(const std::filesystem::path& root = "/");

/// Has a loader that this process loads later see one of those drivers alone. `library` is what the file names.
void show_driver_alone(Loader loader, const std::string& file, const std::string& library);

/// Has a loader that this process loads later load no layer.
void hide_layers(Loader loader);

}  // namespace sonde::os
