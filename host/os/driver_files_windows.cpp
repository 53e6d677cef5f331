#include "os/driver_files.hpp"

namespace sonde::os {

DriverFiles driver_files(Loader) { return {}; }

void show_driver_alone(Loader, const std::string&, const std::string&) {}

void hide_layers(Loader) {}

}  // namespace sonde::os
