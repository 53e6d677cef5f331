#include "probes/cpu_loaded_latency/loading_team.hpp"

#include <algorithm>

#include "cpu/pinned.hpp"

namespace sonde::probes {
namespace {

using cpu::Stream;
using device::Nanoseconds;

constexpr std::uint64_t kibibyte_elements = (1 << 10) / sizeof(double);
/// A piece has at most so much, beside which the call of a kernel costs nothing.
constexpr std::uint64_t most_kibibytes = 64;
/// A delay after a piece is at least so many trips, so that the call costs little beside them.
constexpr std::uint64_t least_trips = 256;
constexpr std::size_t elements_a_page = 4096 / sizeof(double);
constexpr std::size_t largest_of_contents = 1021;

/// The time between marks is short beside a window of the walk, and long beside a look at the clock.
constexpr Nanoseconds usual_between_marks{2e4};
/// A point lasts no longer than marks are left.
constexpr std::size_t most_marks = 1 << 17;
/// A mark that comes so many times as late as usual has a time in it in which the thread had no core.
constexpr double times_the_usual = 3;

constexpr std::chrono::seconds longest_start{5};

void wait_trips(std::uint64_t trips) {
  for (; trips > 0; --trips) asm volatile("" : "+r"(trips));
}

double contents_of(std::size_t index) { return static_cast<double>(index % largest_of_contents + 1); }

/// The sum of 1, 2, … count modulo 2^64.
std::uint64_t sum_up_to(std::uint64_t count) {
  return count % 2 == 0 ? count / 2 * (count + 1) : (count + 1) / 2 * count;
}

/// Words that are read count upwards, so that the sum of any beginning is known; numbers that are added to are small,
/// as others would be slow; stores past the caches write the number of the lap, from one, over zeros.
void fill(Stream stream, double* memory, std::size_t count) {
  auto* const words = reinterpret_cast<std::uint64_t*>(memory);
  for (std::size_t index = 0; index < count; ++index) {
    switch (stream) {
      case Stream::read: words[index] = index + 1; break;
      case Stream::read_modify_write: memory[index] = contents_of(index); break;
      default: memory[index] = 0;
    }
  }
}

/// Looks at one element in every page, at another place in each, and at the last.
template <typename Holds>
bool holds_at_some(std::size_t count, Holds holds) {
  for (std::size_t page = 0; page * elements_a_page < count; ++page) {
    if (!holds(std::min(count - 1, page * elements_a_page + page * 61 % elements_a_page))) return false;
  }
  return holds(count - 1);
}

}  // namespace

LoadingTeam::LoadingTeam(const std::vector<const cpu::Core*>& cores, const LoadWork& work, std::byte* memory)
    : kernels_(cpu::usual_stream_kernels()), work_(work), members_(cores.size()) {
  if (kernels_.run[static_cast<int>(work.stream)][static_cast<int>(work.stores)] == nullptr) {
    throw device::Unsupported("Sonde knows no stores past the caches for this kind of processor");
  }
  for (std::size_t index = 0; index < cores.size(); ++index) {
    members_[index].cpu = cores[index]->cpu;
    members_[index].memory = reinterpret_cast<double*>(memory + index * work.thread_bytes);
    threads_.emplace_back([this, index](const std::stop_token& stop) { this->work(members_[index], stop); });
  }
  // A thread that the system has yet to start loads nothing.
  const auto latest = std::chrono::steady_clock::now() + longest_start;
  while (streaming_ < static_cast<int>(members_.size())) {
    if (std::chrono::steady_clock::now() > latest) {
      end();
      throw device::TooShort(
          "the system did not run all threads of the load, because other programs have their cores: "
          "measure again when those are idle");
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

LoadingTeam::~LoadingTeam() { end(); }

void LoadingTeam::end() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

std::optional<std::string> LoadingTeam::proof_failure() const {
  if (std::ranges::all_of(members_, &LoadingThread::proved)) return std::nullopt;
  return "a thread of the load did not find in its memory what it reads or writes, so memory lost or changed a word";
}

/// Short delays are made after several KiB at once: a call for each KiB would cost more than the delay, and leave a gap
/// between no delay and the shortest.
std::uint64_t LoadingTeam::piece_kibibytes() const {
  std::uint64_t kibibytes = 1;
  while (kibibytes < most_kibibytes && kibibytes * work_.delay < least_trips) kibibytes *= 2;
  return kibibytes;
}

std::size_t LoadingTeam::piece_elements() const { return piece_kibibytes() * kibibyte_elements; }

void LoadingTeam::work(LoadingThread& member, const std::stop_token& stop) {
  const cpu::Pinned pinned(member.cpu);
  fill(work_.stream, member.memory, elements());
  member.marks.resize(most_marks);  // written, so that no page of them is missing later
  const auto kernel = kernels_.run[static_cast<int>(work_.stream)][static_cast<int>(work_.stores)];
  const std::size_t count = piece_elements();
  const std::size_t pieces_a_lap = elements() / count;
  const std::uint64_t trips = piece_kibibytes() * work_.delay;
  const bool adds = work_.stream == Stream::read_modify_write;
  std::uint64_t pieces = 0;
  std::uint64_t sum = 0;
  std::uint64_t until_mark = 1;
  std::uint64_t pieces_a_mark = 1;
  double lap = 1;
  std::size_t marked = 0;
  const auto mark = [&](Nanoseconds now) {
    if (marked == most_marks) return;
    member.marks[marked] = {now, pieces};
    member.marked.store(++marked, std::memory_order_release);
  };
  mark(cpu::steady_now());
  ++streaming_;
  for (std::size_t piece = 0; !stop.stop_requested();) {
    double* const begin = member.memory + piece * count;
    sum += kernel({.a = begin, .b = begin, .c = begin, .count = count}, adds ? 1 : lap, 1);
    ++pieces;
    if (++piece == pieces_a_lap) {
      piece = 0;
      ++lap;
    }
    wait_trips(trips);
    if (--until_mark > 0) continue;
    const Nanoseconds now = cpu::steady_now();
    if (now - member.marks[marked - 1].at < usual_between_marks / 2) pieces_a_mark *= 2;
    until_mark = pieces_a_mark;
    mark(now);
  }
  mark(cpu::steady_now());
  member.proved = is_proved(member, pieces, sum);
}

bool LoadingTeam::is_proved(const LoadingThread& member, std::uint64_t pieces, std::uint64_t sum) const {
  const std::uint64_t pieces_a_lap = elements() / piece_elements();
  const std::uint64_t laps = pieces / pieces_a_lap;
  const std::uint64_t further = pieces % pieces_a_lap * piece_elements();
  if (work_.stream == Stream::read) return sum == laps * sum_up_to(elements()) + sum_up_to(further);
  return holds_at_some(elements(), [&](std::size_t index) {
    const double before = work_.stream == Stream::read_modify_write ? contents_of(index) : 0;
    return member.memory[index] == before + static_cast<double>(laps + (index < further ? 1 : 0));
  });
}

void LoadingTeam::look() {
  for (LoadingThread& member : members_) {
    member.seen = std::span(member.marks).first(member.marked.load(std::memory_order_acquire));
    std::vector<double> between;
    for (std::size_t mark = 1; mark < member.seen.size(); ++mark)
      between.push_back((member.seen[mark].at - member.seen[mark - 1].at).count());
    if (between.empty()) continue;
    const auto middle = between.begin() + static_cast<std::ptrdiff_t>(between.size() / 2);
    std::ranges::nth_element(between, middle);
    member.usual = Nanoseconds(*middle);
  }
}

double LoadingTeam::bytes_between(Nanoseconds begin, Nanoseconds end) const {
  const double piece_bytes =
      static_cast<double>(piece_elements() * sizeof(double)) * (work_.stream == Stream::read_modify_write ? 2 : 1);
  double bytes = 0;
  for (const LoadingThread& member : members_) {
    // Between two marks the thread counts as moving at one speed.
    const auto pieces_until = [&member](Nanoseconds moment) {
      const auto after = std::ranges::upper_bound(member.seen, moment, {}, &Mark::at);
      if (after == member.seen.begin()) return 0.0;
      const Mark& last = *(after - 1);
      if (after == member.seen.end()) return static_cast<double>(last.pieces);
      const double share = (moment - last.at) / (after->at - last.at);
      return static_cast<double>(last.pieces) + share * static_cast<double>(after->pieces - last.pieces);
    };
    bytes += piece_bytes * (pieces_until(end) - pieces_until(begin));
  }
  return bytes;
}

double LoadingTeam::absent_between(Nanoseconds begin, Nanoseconds end) const {
  Nanoseconds absent{0};
  for (const LoadingThread& member : members_) {
    const Nanoseconds longest = times_the_usual * std::max(member.usual, usual_between_marks / 2);
    auto mark = std::ranges::upper_bound(member.seen, begin, {}, &Mark::at);
    if (mark == member.seen.begin() || mark == member.seen.end() || member.seen.back().at < end) {
      absent += end - begin;  // nobody knows
      continue;
    }
    for (; mark != member.seen.end() && (mark - 1)->at < end; ++mark) {
      if (mark->at - (mark - 1)->at > longest) absent += std::min(end, mark->at) - std::max(begin, (mark - 1)->at);
    }
  }
  return absent / (end - begin) / static_cast<double>(members_.size());
}

std::byte* memory_for_loads(std::uint64_t bytes, int cpu) {
  static std::optional<cpu::Region> memory;
  if (memory && memory->size_bytes() >= bytes) return memory->data();
  memory.reset();
  const cpu::Pinned on_its_node(cpu);
  memory.emplace(bytes, cpu::widest_pages());
  return memory->data();
}

}  // namespace sonde::probes
