#include "os/driver_files.hpp"

namespace sonde::os {

DriverFiles driver_files(Loader) { return {}; }

std::vector<std::string> missing_for_drivers(const std::filesystem::path&) { return {}; }

void show_driver_alone(Loader, const std::string&, const std::string&) {}

void hide_layers(Loader) {}

}  // namespace sonde::os
