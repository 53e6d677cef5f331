#include "counters/state/sources.hpp"

// The parts of NVIDIA's management library that are used are declared here, so that neither its header nor the library
// is needed to build.
// Source: NVML API reference guide, docs.nvidia.com/deploy/nvml-api.
namespace sonde::counters {
namespace {

using NvmlDevice = void*;
constexpr int success = 0;
constexpr int graphics_clock = 0;
constexpr int memory_clock = 2;
constexpr int die_temperature = 0;
constexpr unsigned present_power = 186;  // NVML_FI_DEV_POWER_INSTANT
constexpr int value_is_unsigned = 1;     // NVML_VALUE_TYPE_UNSIGNED_INT

/// nvmlFieldValue_t
struct FieldValue {
  unsigned field = 0;
  unsigned scope = 0;
  long long timestamp = 0;
  long long latency_microseconds = 0;
  int type = 0;
  int result = 0;
  union {
    unsigned as_unsigned;
    double as_double;
    unsigned long long as_unsigned_long;
  } value{};
};
static_assert(sizeof(FieldValue) == 40);

/// Other bits stand for an idle GPU, clocks that the user has set or a display's clock, none of which throttles; later
/// libraries may have more.
std::set<std::string> reasons_of(unsigned long long bits) {
  std::set<std::string> reasons;
  if (bits & 0x84) reasons.insert("power");        // software power cap 0x4, power brake 0x80
  if (bits & 0x60) reasons.insert("temperature");  // by software 0x20, by hardware 0x40
  // A slowdown by hardware (0x8) comes with its reason, except on old cards; 0x10 is that of another GPU of a group.
  if ((bits & 0x10) || ((bits & 0x8) && reasons.empty())) reasons.insert("other");
  return reasons;
}

class Nvml {
 public:
  Nvml(const std::string& pci, const std::string& file) : library_(file) {
    if (!library_) return;
    int (*init)() = nullptr;
    int (*device_at)(const char*, NvmlDevice*) = nullptr;
    library_.find("nvmlInit_v2", init);
    library_.find("nvmlDeviceGetHandleByPciBusId_v2", device_at);
    library_.find("nvmlShutdown", shutdown_);
    library_.find("nvmlDeviceGetClockInfo", clock_);
    library_.find("nvmlDeviceGetMaxClockInfo", highest_clock_);
    library_.find("nvmlDeviceGetMemoryBusWidth", bus_width_);
    library_.find("nvmlDeviceGetTemperature", temperature_);
    library_.find("nvmlDeviceGetPowerUsage", power_);
    library_.find("nvmlDeviceGetFieldValues", fields_);
    library_.find("nvmlDeviceGetCurrentClocksEventReasons", reasons_);
    if (reasons_ == nullptr)
      library_.find("nvmlDeviceGetCurrentClocksThrottleReasons", reasons_);  // its name before R535
    if (init == nullptr || device_at == nullptr) return;
    initialised_ = init() == success;
    if (!initialised_ || device_at(pci.c_str(), &device_) != success) device_ = nullptr;
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() {
    if (initialised_ && shutdown_ != nullptr) shutdown_();
  }

  [[nodiscard]] bool has_device() const { return device_ != nullptr; }

  void read(DeviceState& reading) const {
    reading.gpu_clock_mhz = asked(clock_, graphics_clock);
    reading.memory_clock_mhz = asked(clock_, memory_clock);
    reading.memory_peak_gbps = memory_peak_gbps();
    reading.temperature_celsius = asked(temperature_, die_temperature);
    reading.power_watts = watts();
    if (const auto bits = asked<unsigned long long>(reasons_)) reading.throttle_reasons = reasons_of(*bits);
  }

 private:
  /// The number that a function of the library tells; nothing where it fails or is not there.
  template <typename Number = unsigned, typename Function, typename... Which>
  [[nodiscard]] std::optional<Number> asked(Function function, Which... which) const {
    Number number = 0;
    if (function == nullptr || function(device_, which..., &number) != success) return std::nullopt;
    return number;
  }

  /// NVML counts every kind of memory's clock so that there are two transfers a clock.
  [[nodiscard]] std::optional<double> memory_peak_gbps() const {
    constexpr double transfers_per_clock = 2;
    const double mhz = asked(highest_clock_, memory_clock).value_or(0);
    const double bits = asked(bus_width_).value_or(0);
    return mhz > 0 && bits > 0 ? std::optional(transfers_per_clock * mhz * bits / 8 / 1e3) : std::nullopt;
  }

  /// Prefers the present power: since Ampere nvmlDeviceGetPowerUsage is an average over a second, which is longer than
  /// a point takes.
  [[nodiscard]] std::optional<double> watts() const {
    FieldValue field{.field = present_power};
    if (fields_ != nullptr && fields_(device_, 1, &field) == success && field.result == success &&
        field.type == value_is_unsigned) {
      return field.value.as_unsigned * 1e-3;
    }
    const auto milliwatts = asked(power_);
    return milliwatts ? std::optional(*milliwatts * 1e-3) : std::nullopt;
  }

  os::Library library_;
  bool initialised_ = false;
  NvmlDevice device_ = nullptr;
  int (*shutdown_)() = nullptr;
  int (*clock_)(NvmlDevice, int, unsigned*) = nullptr;
  int (*highest_clock_)(NvmlDevice, int, unsigned*) = nullptr;
  int (*bus_width_)(NvmlDevice, unsigned*) = nullptr;
  int (*temperature_)(NvmlDevice, int, unsigned*) = nullptr;
  int (*power_)(NvmlDevice, unsigned*) = nullptr;
  int (*fields_)(NvmlDevice, int, FieldValue*) = nullptr;
  int (*reasons_)(NvmlDevice, unsigned long long*) = nullptr;
};

}  // namespace

Source nvml_source(const std::string& pci, const std::string& library) {
  const auto nvml = std::make_shared<Nvml>(pci, library);
  if (!nvml->has_device()) return {};
  return [nvml](DeviceState& reading) { nvml->read(reading); };
}

}  // namespace sonde::counters
