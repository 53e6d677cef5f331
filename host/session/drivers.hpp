#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "records/device_record.hpp"

namespace sonde::session {

/// The time that all drivers together have to list their devices, unless a user allows more.
inline constexpr std::chrono::seconds usual_listing_time{5};

/// What a process said that lists the devices of one driver, or of all where only the loader knows which there are.
struct ListedDriver {
  device::Api api = device::Api::opencl;
  records::DriverChoice choice = {};
  std::vector<device::DeviceInfo> devices = {};
  std::string library = {};  ///< the file of it that was loaded; empty where it is not known
  std::string failure = {};  ///< why it could not be asked, by its own fault
  std::string remark = {};   ///< why it shows no device, though nobody is to blame; or what was left out
  bool is_sound = false;     ///< it could be asked, though it may show no device
  std::string printed = {};
  std::string with_layers = {};  ///< the failure, where it could be asked without the loader's layers alone
  std::string repeats = {};      ///< the file that named the same library before, where there is one
};

/// Every driver of this machine, and the processor itself, asked in a process of its own that sees it alone, all side
/// by side: one that crashes, or is silent for longer than `limit`, costs itself alone.
std::vector<ListedDriver> list_drivers(std::chrono::milliseconds limit);

/// Takes the devices of a driver that another file of the same API has named before.
void leave_out_repeated(std::vector<ListedDriver>& drivers);

/// Why devices may be missing in an API: every driver that failed, else why there is none, and which of what drivers
/// need is `missing` from this process. Empty where nothing is wrong.
std::string problem_of(device::Api api, std::span<const ListedDriver> drivers, std::span<const std::string> missing);

/// Sentences about what an API has too much of: layers with which its drivers fail, and drivers that are named twice.
std::vector<std::string> superfluous(device::Api api, std::span<const ListedDriver> drivers);

/// A driver's file as a person is told it.
std::string spoken_file(const ListedDriver& driver);

}  // namespace sonde::session
