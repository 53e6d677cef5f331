// Is memory that CPU and GPU are said to share really shared, or copied behind the program's back?
// docs/method/zero-copy.md explains it.

#include <cstring>
#include <set>

#include "device/copy_engines.hpp"
#include "measure/asked_sizes.hpp"
#include "measure/visits.hpp"
#include "probes/catalog.hpp"
#include "probes/zero_copy/zero_copy.hpp"
#include "workloads/stream/memory_kinds.hpp"

namespace sonde::probes {
namespace zero_copy_probe {
namespace {

constexpr std::array curves{&round, &read_again, &kernel_alone, &explicit_copy};
constexpr std::array finding_kinds{&shared_without_copy, &copies, &cache_maintenance, &migrates, &unclear,
                                   &unsupported};

/// Words of the rounds that a point begins with: one word changes, and the CPU finds it.
constexpr Words first_round{.direction = Direction::to_host, .order = Order::independent};

constexpr int whole_copies = 3;

constexpr double kib = 1 << 10;

constexpr double mib = 1 << 20;
/// The kernel's loops and its 32-bit words reach no further.
constexpr double most_round_bytes = 1 << 30;

/// Three sizes that lie far from each other are enough for a verdict, and the first look has them.
constexpr std::array sizes_by_worth{32 * mib, 64 * kib, 2 * mib,  256 * mib, 16 * mib,
                                    1 * mib,  4 * mib,  64 * mib, 256 * kib, most_round_bytes};
constexpr std::size_t sizes_for_a_verdict = 3;

std::vector<Point> rounds_over(const device::DeviceInfo& device, const std::vector<double>& sizes) {
  std::vector<Point> points;
  for (const double bytes : sizes) {
    for (const device::MemoryKind& kind : device.memory_kinds) {
      const bool is_shared = workloads::why_not_shared(kind).empty();
      if (!is_shared && bytes != sizes.front()) continue;  // to be skipped, once
      points.push_back(point_on(round, {.bytes = bytes}, with(first_round, {.memory = kind.name}),
                                0.03 + 1.4e-9 * bytes, measure::usual_visits));
    }
  }
  return points;
}

/// Rounds in every kind of memory over more and more sizes, and further visits to the kinds about which the visits so
/// far disagree.
std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  std::vector<double> sizes = asked_sizes(request, {sizes_by_worth.begin(), sizes_by_worth.end()}, page_bytes);
  std::erase_if(sizes, [](double bytes) { return bytes > most_round_bytes; });
  std::vector<Point> points = measure::first_new_points(
      request, known,
      [&] {
        return at_first(request, [&] { return rounds_over(device, measure::first_of(sizes, sizes_for_a_verdict)); });
      },
      [&] { return rounds_over(device, sizes_at_look(request, sizes, 4, 7)); });
  std::set<measure::Name> open;
  for (const SharingVerdict& one : sharing_verdicts(known)) {
    if (one.is_open) open.insert(one.finding.words.memory);
  }
  std::ranges::move(measure::more_visits(known,
                                         [&](const Measurement& one) {
                                           const Words& words = one.point.words;
                                           return words == with(first_round, {.memory = words.memory}) &&
                                                  open.contains(words.memory);
                                         }),
                    std::back_inserter(points));
  return points;
}

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  Conclusion conclusion;
  for (const SharingVerdict& one : sharing_verdicts(measurements)) conclusion.findings.push_back(one.finding);
  return conclusion;
}

/// Kinds of memory that the driver itself says are not shared.
std::vector<Finding> stated(const device::DeviceInfo& device, std::span<const Measurement>) {
  std::vector<Finding> findings;
  for (const device::MemoryKind& kind : device.memory_kinds) {
    const std::string reason = workloads::why_not_shared(kind);
    if (reason.empty()) continue;
    findings.push_back(
        {.kind = &unsupported, .words = {.memory = kind.name}, .evidence = "Not measured: " + reason + "."});
  }
  return findings;
}

/// `copy` returns how long it took.
ExtraValues timed(Direction direction, HostMemory host, const std::function<device::Nanoseconds()>& copy,
                  const std::function<void()>& alive) {
  ExtraValues made{.curve = &explicit_copy, .varied = {.direction = direction, .host = host}};
  for (int i = 0; i < whole_copies; ++i) {
    made.values.push_back(copy().count() / 1e3);
    alive();
  }
  return made;
}

std::vector<std::byte> noise(std::uint64_t bytes, std::mt19937_64& random) {
  std::vector<std::byte> all(bytes);
  for (std::uint64_t offset = 0; offset + sizeof(std::uint64_t) <= bytes; offset += sizeof(std::uint64_t)) {
    const std::uint64_t number = random();
    std::memcpy(all.data() + offset, &number, sizeof number);
  }
  return all;
}

void check_copied(std::span<const std::byte> found, std::span<const std::byte> source) {
  if (!std::ranges::equal(found, source))
    throw device::Error("memory that was copied to does not hold what was copied; please report the driver");
}

ExtraValues pageable_copies(device::Device& device, device::Buffer& buffer, Direction direction,
                            const std::vector<std::byte>& source, const std::function<void()>& alive) {
  const bool to_host = direction == Direction::to_host;
  std::vector<std::byte> bytes = to_host ? std::vector<std::byte>(source.size()) : source;
  if (to_host) buffer.write(0, source);
  const auto copy = [&] {
    const device::Nanoseconds begin = device.host_time();
    to_host ? buffer.read(0, bytes) : buffer.write(0, bytes);
    return device.host_time() - begin;
  };
  ExtraValues made = timed(direction, HostMemory::pageable, copy, alive);
  if (!to_host) buffer.read(0, bytes);
  check_copied(bytes, source);
  return made;
}

/// Copies from and to pinned memory: a driver copies behind the program's back as fast as its own memory allows, often
/// much faster than from pageable memory. Nothing where the device has no such copies.
std::optional<ExtraValues> pinned_copies(device::Device& device, Direction direction,
                                         const std::vector<std::byte>& source, const std::function<void()>& alive) {
  const bool to_host = direction == Direction::to_host;
  try {
    device::CopyEngines& engines = device.copy_engines();
    const std::unique_ptr<device::HostBlock> host = engines.make_host_memory(device::HostKind::pinned, source.size());
    const std::unique_ptr<device::Buffer> buffer = device.make_buffer(source.size(), device::Use::storage);
    if (to_host) buffer->write(0, source);
    if (!to_host) std::ranges::copy(source, host->bytes().begin());
    const device::CopyEndpoint in_device{.buffer = buffer.get()};
    const device::CopyEndpoint in_host{.host = host.get()};
    const std::array list{
        device::CopyList{{to_host ? in_device : in_host, to_host ? in_host : in_device, source.size()}}};
    const auto copy = [&] { return engines.run(device::CopyEngine::driver, list).all; };
    (void)copy();  // the first touches the pages
    ExtraValues made = timed(direction, HostMemory::pinned, copy, alive);
    std::vector<std::byte> found(source.size());
    if (to_host) std::ranges::copy(host->bytes().first(found.size()), found.begin());
    if (!to_host) buffer->read(0, found);
    check_copied(found, source);
    return made;
  } catch (const device::Unsupported&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<ExtraValues> explicit_copies(device::Device& device, device::Buffer& buffer, Direction direction,
                                         std::mt19937_64& random, const std::function<void()>& alive) {
  std::vector<ExtraValues> made{pageable_copies(device, buffer, direction, noise(buffer.size_bytes(), random), alive)};
  const auto pinned = pinned_copies(device, direction, noise(buffer.size_bytes(), random), alive);
  if (pinned) made.push_back(*pinned);
  return made;
}

}  // namespace zero_copy_probe

const Probe zero_copy{
    .name = "zero-copy",
    .question = "Is memory that CPU and GPU are said to share really shared, or copied behind the program's back?",
    .curves = zero_copy_probe::curves,
    .finding_kinds = zero_copy_probe::finding_kinds,
    .obstacle = workloads::without_memory_kinds,
    .next = zero_copy_probe::next,
    .conclude = zero_copy_probe::conclude,
    .stated = zero_copy_probe::stated};

}  // namespace sonde::probes
