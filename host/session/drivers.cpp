#include "session/drivers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <system_error>

#include "os/this_process.hpp"
#include "records/lines.hpp"
#include "session/worker.hpp"

namespace sonde::session {
namespace {

using Clock = os::RunningClock;

/// The share of the time after which a driver that has not answered is asked beside that without layers: a layer that
/// hangs would otherwise leave no time for it.
constexpr double share_of_patience = 0.6;

/// A process that lists the devices of a driver.
class Listing {
 public:
  Listing(device::Api api, records::DriverChoice choice, std::chrono::milliseconds limit)
      : driver_{.api = api, .choice = std::move(choice)} {
    try {
      worker_.emplace(
          measure::WorkerCommand{.program = os::running_program(),
                                 .arguments = {"worker"},
                                 .task = records::task_text(records::ListTask{api, driver_.choice})},
          measure::WorkerHandlers{.line = [this](std::string_view text) { take(text); },
                                  .tick = {},
                                  .diagnostics = [this](std::string_view text) { driver_.printed += text; }},
          limit, os::interrupted());
      worker_->send_no_more();
    } catch (const std::system_error& error) {
      driver_.failure = error.what();
    }
  }

  /// Whether it has answered by then, or has failed.
  bool has_answered_by(Clock::time_point latest) {
    if (worker_ && worker_->wait([&] { return answered_ || Clock::now() > latest; })) return answered_;
    note_end();
    return true;
  }
  /// Waits for its end.
  void wait() {
    if (worker_) worker_->wait([] { return false; });
    note_end();
  }

  [[nodiscard]] bool failed() const { return !driver_.failure.empty(); }
  ListedDriver& driver() { return driver_; }

 private:
  void take(std::string_view text) {
    auto line = records::parse_line(text);
    if (!line) return;
    if (auto* const found = std::get_if<records::InfoLine>(&*line)) {
      driver_.devices.push_back(std::move(found->info));
      driver_.library = found->library;
    } else if (auto* const answer = std::get_if<records::AnswerLine>(&*line)) {
      answered_ = true;
      (answer->end == measure::Answer::End::failed ? driver_.failure : driver_.remark) = answer->reason;
      driver_.is_sound = answer->end == measure::Answer::End::measured;
      // What is wrong with a file begins with its name, which is told anyway.
      const std::string file = driver_.choice.file + ": ";
      if (driver_.failure.starts_with(file)) driver_.failure.erase(0, file.size());
    }
  }
  void note_end() {
    if (!worker_) return;
    const measure::WorkerEnd end = worker_->end();
    worker_.reset();
    if (end.reason.empty()) return;
    driver_.failure = "while it listed its devices, " + end.reason;
    if (!end.last_words.empty()) driver_.failure += "; its last words: " + end.last_words;
  }

  ListedDriver driver_;
  bool answered_ = false;
  std::optional<measure::Worker> worker_;
};

struct AskedDriver {
  std::unique_ptr<Listing> first;
  std::unique_ptr<Listing> without_layers = nullptr;
};

std::vector<AskedDriver> ask_all(std::chrono::milliseconds limit) {
  std::vector<AskedDriver> asked;
  for (const device::Api api : {device::Api::opencl, device::Api::vulkan, device::Api::cpu}) {
    std::vector<std::string> files;
    if (api != device::Api::cpu) files = os::driver_files(loader_of(api)).drivers;
    if (files.empty()) files.emplace_back();
    for (const std::string& file : files)
      asked.push_back({std::make_unique<Listing>(api, records::DriverChoice{.file = file}, limit)});
  }
  return asked;
}

bool has_layers(device::Api api) { return api != device::Api::cpu && !os::driver_files(loader_of(api)).layers.empty(); }

/// "FILE, FILE: REASON", once for each reason.
std::string failures_of(device::Api api, std::span<const ListedDriver> drivers) {
  std::vector<std::pair<std::string, std::string>> files_by_reason;
  for (const ListedDriver& driver : drivers) {
    if (driver.api != api || driver.failure.empty()) continue;
    const auto same = std::ranges::find(files_by_reason, driver.failure, &std::pair<std::string, std::string>::first);
    if (same != files_by_reason.end()) {
      same->second += ", " + spoken_file(driver);
    } else {
      files_by_reason.emplace_back(driver.failure, spoken_file(driver));
    }
  }
  std::string text;
  for (const auto& [reason, files] : files_by_reason) text += (text.empty() ? "" : "; ") + files + ": " + reason;
  return text;
}

/// Why installed drivers show no device; empty where no driver that is known by its file could be asked.
std::string without_a_device(device::Api api, std::span<const ListedDriver> drivers) {
  std::vector<std::string> files;
  for (const ListedDriver& driver : drivers) {
    if (driver.api == api && driver.is_sound && !driver.choice.file.empty()) files.push_back(driver.choice.file);
  }
  if (files.empty()) return "";
  std::string text = fmt::format(
      "the {} drivers that are installed ({}) show no device here: a GPU's needs its device file (/dev/dri, /dev/kfd, "
      "/dev/nvidia*) and the right to open it",
      records::spoken_name(api), fmt::join(files, ", "));
  const bool is_opencl = api == device::Api::opencl;
  const auto is_for_the_cpu = [&](const std::string& file) {
    return file.find(is_opencl ? "pocl" : "lvp") != std::string::npos;
  };
  if (std::ranges::none_of(files, is_for_the_cpu))
    text += fmt::format(", and {} measures the CPU", is_opencl ? "pocl-opencl-icd" : "lavapipe (mesa-vulkan-drivers)");
  return text;
}

}  // namespace

std::vector<ListedDriver> list_drivers(std::chrono::milliseconds limit) {
  const auto start = Clock::now();
  std::vector<AskedDriver> asked = ask_all(limit);
  for (AskedDriver& one : asked) {
    const auto patience = std::chrono::duration_cast<Clock::duration>(share_of_patience * limit);
    if (one.first->has_answered_by(start + patience) && !one.first->failed()) continue;
    const ListedDriver& driver = one.first->driver();
    if (os::interrupted() || !has_layers(driver.api)) continue;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(start + limit - Clock::now());
    one.without_layers =
        std::make_unique<Listing>(driver.api, records::DriverChoice{.file = driver.choice.file, .layers = false}, left);
  }
  std::vector<ListedDriver> drivers;
  for (AskedDriver& one : asked) {
    one.first->wait();
    drivers.push_back(std::move(one.first->driver()));
    if (drivers.back().failure.empty() || !one.without_layers) continue;
    one.without_layers->wait();
    if (one.without_layers->failed()) continue;
    one.without_layers->driver().with_layers = std::move(drivers.back().failure);
    drivers.back() = std::move(one.without_layers->driver());
  }
  return drivers;
}

void leave_out_repeated(std::vector<ListedDriver>& drivers) {
  for (auto one = drivers.begin(); one != drivers.end(); ++one) {
    if (one->library.empty()) continue;
    const auto before = std::find_if(drivers.begin(), one, [&](const ListedDriver& other) {
      return other.api == one->api && other.library == one->library && !other.devices.empty();
    });
    if (before == one) continue;
    one->devices.clear();
    one->repeats = spoken_file(*before);
  }
}

std::string problem_of(device::Api api, std::span<const ListedDriver> drivers, std::span<const std::string> missing) {
  std::string problem = failures_of(api, drivers);
  const auto shows_some = [api](const ListedDriver& one) { return one.api == api && !one.devices.empty(); };
  if (problem.empty() && std::ranges::any_of(drivers, shows_some)) return "";
  if (problem.empty()) problem = without_a_device(api, drivers);
  if (!problem.empty() && !missing.empty())
    problem += fmt::format("; what drivers may need is missing here: {}", fmt::join(missing, "; "));
  if (!problem.empty()) return problem;
  const auto says_why = [api](const ListedDriver& one) { return one.api == api && !one.remark.empty(); };
  const auto first = std::ranges::find_if(drivers, says_why);
  return first != drivers.end() ? first->remark : "";
}

std::vector<std::string> superfluous(device::Api api, std::span<const ListedDriver> drivers) {
  std::vector<std::string> sentences;
  for (const ListedDriver& driver : drivers) {
    if (driver.api != api) continue;
    if (!driver.devices.empty() && !driver.remark.empty())
      sentences.push_back(spoken_file(driver) + ": " + driver.remark);
    if (!driver.repeats.empty())
      sentences.push_back(fmt::format("{} names the driver of {} once more ({}), which is used once",
                                      spoken_file(driver), driver.repeats, driver.library));
  }
  const auto fails = [api](const ListedDriver& one) { return one.api == api && !one.with_layers.empty(); };
  const auto first = std::ranges::find_if(drivers, fails);
  if (first == drivers.end()) return sentences;
  sentences.push_back(
      fmt::format("its drivers are used without layers, as with these they fail or take too long: {} ({})",
                  fmt::join(os::driver_files(loader_of(api)).layers, ", "), first->with_layers));
  return sentences;
}

std::string spoken_file(const ListedDriver& driver) {
  return driver.choice.file.empty() ? "all drivers that its loader finds" : driver.choice.file;
}

}  // namespace sonde::session
