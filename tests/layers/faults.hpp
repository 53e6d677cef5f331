#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

// The fault-injecting layers share this file. The script in SONDE_FAULTS names calls of a driver and their effects:
//   CALL@N=EFFECT          at the N-th call of this function in this process
//   CALL@N+=EFFECT         from the N-th on
//   CALL@N/OTHER@M=EFFECT  the N-th since the M-th call of OTHER
// Entries are separated by blanks; a layer ignores functions of other APIs. Every function has these effects:
//   -5, 2 …     the call does nothing and returns this number; a wait that fails waits nonetheless
//   crash       the process ends by SIGABRT (drivers catch others)
//   exit        the process ends by exit(0)
//   hang, slow  the call never returns, or a minute later than it would
//   log         the function's name is added to the file SONDE_FAULTS_LOG
// Each layer documents its further effects. SONDE_FAULTS_TURNS is the beginning of names of files (TURNS.opencl.0 …)
// that the processes make which load a layer: the first process then has the script before the first semicolon, and so
// on.
namespace faults {

struct Fault {
  std::string function;
  std::uint64_t first = 1;
  bool from_then_on = false;
  std::string other;  // empty where calls are counted from the start
  std::uint64_t others_first = 0;
  std::string effect;
  std::uint64_t seen = 0;
};

/// The number of this process among those that load the layer.
inline std::size_t turn_of(std::string_view layer) {
  const char* const turns = std::getenv("SONDE_FAULTS_TURNS");
  if (turns == nullptr) return 0;
  std::size_t turn = 0;
  const std::string name = std::string(turns) + "." + std::string(layer) + ".";
  while (open((name + std::to_string(turn)).c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600) < 0 && errno == EEXIST) ++turn;
  return turn;
}

inline std::string script_of(std::string_view layer) {
  const char* const text = std::getenv("SONDE_FAULTS");
  std::istringstream scripts(text != nullptr ? text : "");
  std::string script;
  for (std::size_t turn = turn_of(layer) + 1; turn > 0; --turn) {
    if (!std::getline(scripts, script, ';')) return "";
  }
  return script;
}

inline bool is_number(std::string_view effect) {
  return !effect.empty() && effect.find_first_not_of("-0123456789") == std::string_view::npos;
}

/// Whether the effect exists: a misspelt script must not pass for one without faults.
inline bool is_known(std::string_view effect) {
  constexpr std::array words{"addition", "longer", "crash",     "exit", "hang",   "slow",      "log",
                             "garble",   "still",  "backwards", "wrap", "copies", "arithmetic"};
  return is_number(effect) || std::find(words.begin(), words.end(), effect) != words.end();
}

inline std::vector<Fault> read(std::string_view layer) {
  std::vector<Fault> faults;
  std::istringstream words(script_of(layer));
  const auto counted = [](const std::string& call, std::string& function) {
    const std::size_t at = call.find('@');
    if (at == std::string::npos) std::abort();
    function = call.substr(0, at);
    return std::stoull(call.substr(at + 1));
  };
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) std::abort();
    Fault fault;
    fault.effect = word.substr(equals + 1);
    if (!is_known(fault.effect)) std::abort();
    const std::string calls = word.substr(0, equals);
    const std::string call = calls.substr(0, calls.find('/'));
    fault.first = counted(call, fault.function);
    fault.from_then_on = call.ends_with('+');
    if (call.size() < calls.size()) fault.others_first = counted(calls.substr(call.size() + 1), fault.other);
    faults.push_back(fault);
  }
  return faults;
}

inline std::vector<Fault> script;

/// Reads the script. Layers call it when they are loaded, so that each process takes its turn whatever it calls.
inline void begin(std::string_view layer) { script = read(layer); }

/// The effect of this call, empty where it has none.
inline std::string effect_now(std::string_view function) {
  static std::mutex one_at_a_time;
  static std::map<std::string, std::uint64_t, std::less<>> calls;
  const std::scoped_lock lock(one_at_a_time);
  ++calls[std::string(function)];
  std::string effect;
  for (Fault& fault : script) {
    if (fault.function != function || (!fault.other.empty() && calls[fault.other] < fault.others_first)) continue;
    ++fault.seen;
    if (fault.from_then_on ? fault.seen >= fault.first : fault.seen == fault.first) effect = fault.effect;
  }
  return effect;
}

inline void log(std::string_view function) {
  const char* const file = std::getenv("SONDE_FAULTS_LOG");
  const int open_file = file != nullptr ? open(file, O_CREAT | O_APPEND | O_WRONLY, 0600) : -1;
  const std::string line = std::string(function) + "\n";
  if (write(open_file, line.data(), line.size()) < 0) std::abort();
  close(open_file);
}

/// Applies the effects that every function has.
inline void apply_general(std::string_view function, std::string_view effect) {
  if (effect == "crash") std::abort();
  if (effect == "exit") std::exit(0);
  if (effect == "slow") std::this_thread::sleep_for(std::chrono::minutes(1));
  while (effect == "hang") pause();
  if (effect == "log") log(function);
}

/// Whether the function waits for the device to finish its work.
inline bool waits(std::string_view function) {
  constexpr std::array all{"clFinish", "clWaitForEvents", "vkWaitForFences", "vkWaitSemaphores"};
  return std::find(all.begin(), all.end(), function) != all.end();
}

/// The device's time under a fault of its clock.
inline std::uint64_t wrong_time(std::string_view effect, std::uint64_t time) {
  if (effect == "still") return 1'000'000;
  if (effect == "backwards") return ~time >> 1u;
  if (effect == "wrap") return time & 0xffffffffu;
  return time;
}

/// The byte begins a line: what lies between the words of a walk is read by nobody.
inline void garble(void* bytes, std::size_t count) {
  constexpr std::size_t line = 64;
  if (count > 0) static_cast<unsigned char*>(bytes)[count / 2 / line * line] ^= 0x10u;
}

/// Actions to run once the program has waited for the device.
class AfterWait {
 public:
  void add(std::function<void()> action) {
    const std::scoped_lock lock(one_at_a_time_);
    actions_.push_back(std::move(action));
  }
  void run() {
    const std::scoped_lock lock(one_at_a_time_);
    for (const auto& action : actions_) action();
    actions_.clear();
  }

 private:
  std::mutex one_at_a_time_;
  std::vector<std::function<void()>> actions_;
};

}  // namespace faults
