#include "probes/cpu_bandwidth/team.hpp"

#include <bit>

#include "cpu/instructions.hpp"
#include "cpu/pinned.hpp"

namespace sonde::probes {
namespace {

using cpu::Stream;
using device::Nanoseconds;

constexpr std::size_t page_elements = 4096 / sizeof(double);
/// The space between small arrays, so that no element of one lies at the same place in a page as that of another.
constexpr std::size_t apart_elements = 1088 / sizeof(double);
/// Large arrays all begin at huge pages. Where they begin anywhere in these, memory's banks get in each other's way,
/// which cost stores past the caches up to a tenth.
constexpr std::size_t huge_page_elements = (2 << 20) / sizeof(double);

/// Elements between the beginning of an array and that of the next.
std::size_t stride_of(std::size_t count) {
  if (count < huge_page_elements) return count + apart_elements;
  return (count + huge_page_elements - 1) / huge_page_elements * huge_page_elements;
}

/// The number that takes the place of what is to be written; no stream writes it.
constexpr double overwritten = -1;
constexpr double scale_factor = 3;
/// Threads may begin so much one after the other: what a line takes to reach all of them, and a share of a run.
constexpr Nanoseconds two_lines{2e3};
constexpr double tolerated_share = 0.01;

/// Small whole numbers, of which sums and triple products are exact.
double filled_b(std::size_t index) { return static_cast<double>(index % 1021 + 1); }
double filled_c(std::size_t index) { return static_cast<double>(index % 509 + 2); }

double expected(Stream stream, std::size_t index, double added) {
  switch (stream) {
    case Stream::read: break;
    case Stream::write: return scale_factor;
    case Stream::copy: return filled_b(index);
    case Stream::scale: return scale_factor * filled_b(index);
    case Stream::add: return filled_b(index) + filled_c(index);
    case Stream::triad: return filled_b(index) + scale_factor * filled_c(index);
    case Stream::read_modify_write: return filled_b(index) + added;
    case Stream::read_2_write_1: return filled_b(index) + added * filled_b(index);
    case Stream::read_3_write_1: return filled_b(index) + added * (filled_b(index) + filled_c(index));
  }
  return filled_b(index);
}

/// The other streams write nothing, or add to what is in the array, so that every pass leaves something else.
bool writes_anew(Stream stream) {
  return stream == Stream::write || stream == Stream::copy || stream == Stream::scale || stream == Stream::add ||
         stream == Stream::triad;
}

/// Looks at one element in every page of a range, at another place in each, and at the last.
template <typename Look>
void look_at_some(std::size_t begin, std::size_t end, Look look) {
  for (std::size_t page = begin / page_elements; page * page_elements < end; ++page) {
    look(std::clamp(page * page_elements + page * 61 % page_elements, begin, end - 1));
  }
  look(end - 1);
}

std::uint64_t sum_of_words(const double* begin, const double* end) {
  std::uint64_t sum = 0;
  for (; begin < end; ++begin) sum += std::bit_cast<std::uint64_t>(*begin);
  return sum;
}

}  // namespace

StreamTeam::StreamTeam(const std::vector<const cpu::Core*>& cores, const cpu::StreamKernels& kernels, Stream stream,
                       cpu::StoreKind stores, int arrays, std::size_t count, const std::vector<int>& memory_nodes)
    : kernels_(&kernels), stream_(stream), stores_(stores), arrays_(arrays), count_(count), members_(cores.size()) {
  if (kernels.run[static_cast<int>(stream)][static_cast<int>(stores)] == nullptr) {
    throw device::Unsupported("Sonde knows no stores past the caches for this kind of processor");
  }
  for (std::size_t index = 0; index < cores.size(); ++index) {
    members_[index].cpu = cores[index]->cpu;
    if (!memory_nodes.empty()) members_[index].node = memory_nodes.at(index);
    threads_.emplace_back([this, index](const std::stop_token& stop) { work(members_[index], stop); });
  }
  wait_for_all(0);
  for (const StreamingThread& member : members_) {
    if (member.failure.empty()) continue;
    dismiss();  // they wait for a run, and no destructor will tell them that there is none
    throw device::Unsupported(member.failure);
  }
}

StreamTeam::~StreamTeam() { dismiss(); }

void StreamTeam::dismiss() {
  for (std::jthread& thread : threads_) thread.request_stop();
  round_.add(1);
}

void StreamTeam::wait_for_all(int round) {
  const int all = static_cast<int>(members_.size()) * (round + 1);
  done_.wait_until([all](int done) { return done >= all; });
}

void StreamTeam::divide(std::size_t sections) {
  sections_ = std::min(sections, count_ / cpu::stream_step);
  section_ = sections_ - 1;  // so that the next one is the first
}

std::size_t StreamTeam::begin_of(std::size_t section) const {
  return count_ / cpu::stream_step * section / sections_ * cpu::stream_step;
}

double StreamTeam::passes_made() const {
  const auto elements = static_cast<double>(begin_of(section_ + 1) - begin_of(section_));
  return static_cast<double>(passes_) * elements / static_cast<double>(count_);
}

Nanoseconds StreamTeam::run(std::uint64_t passes) {
  passes_ = sections_ == 1 ? passes : 1;
  section_ = (section_ + 1) % sections_;
  wait_for_all(round_.add(1));
  const Nanoseconds first = std::ranges::min(members_, {}, &StreamingThread::begin).begin;
  const Nanoseconds last = std::ranges::max(members_, {}, &StreamingThread::begin).begin;
  const Nanoseconds time = std::ranges::max(members_, {}, &StreamingThread::end).end - first;
  // A thread that had lost its core when the others left the barrier had it for all of what it then did, and so was
  // interrupted without knowing.
  began_apart_ = last - first > two_lines + tolerated_share * time;
  return time;
}

std::optional<std::string> StreamTeam::proof_failure() const {
  if (std::ranges::all_of(members_, &StreamingThread::proved)) return std::nullopt;
  return "a thread did not find in its memory what its stream reads or writes, so memory lost or changed a word";
}

bool StreamTeam::interrupted() const {
  return began_apart_ || std::ranges::any_of(members_, &StreamingThread::interrupted);
}
bool StreamTeam::pinned() const { return std::ranges::all_of(members_, &StreamingThread::pinned); }

void StreamTeam::work(StreamingThread& member, const std::stop_token& stop) {
  const cpu::Pinned pinned(member.cpu);
  member.pinned = pinned.holds();
  std::optional<cpu::Region> memory;
  cpu::StreamArrays arrays{.count = count_};
  try {
    // The thread that streams it writes it first, so that it stands on the thread's node where no other is named.
    memory.emplace(stride_of(count_) * sizeof(double) * static_cast<std::size_t>(arrays_), cpu::widest_pages(),
                   member.node);
    auto* const first = reinterpret_cast<double*>(memory->data());
    const auto part = [&](int array) { return first + static_cast<std::size_t>(array) * stride_of(count_); };
    arrays.a = part(0);
    double* const b = part(std::min(1, arrays_ - 1));
    double* const c = part(std::min(2, arrays_ - 1));
    for (std::size_t index = 0; index < count_; ++index) c[index] = filled_c(index);
    for (std::size_t index = 0; index < count_; ++index) b[index] = filled_b(index);
    for (std::size_t index = 0; index < count_; ++index) arrays.a[index] = filled_b(index);
    arrays.b = b;
    arrays.c = c;
  } catch (const device::Unsupported& reason) {
    member.failure = reason.what();
  }
  done_.add(1);
  for (int round = 0;;) {
    round_.wait_until([round](int asked_for) { return asked_for > round; });
    if (stop.stop_requested()) return;
    ++round;
    turn(member, arrays);
    done_.add(1);
  }
}

void StreamTeam::turn(StreamingThread& member, const cpu::StreamArrays& arrays) {
  const auto kernel = kernels_->run[static_cast<int>(stream_)][static_cast<int>(stores_)];
  const std::uint64_t passes = passes_;
  const std::size_t begin = begin_of(section_);
  const std::size_t end = begin_of(section_ + 1);
  const cpu::StreamArrays part{arrays.a + begin, arrays.b + begin, arrays.c + begin, end - begin};
  if (stream_ == Stream::read && member.sums.size() != sections_) {
    member.sums.clear();
    for (std::size_t section = 0; section < sections_; ++section) {
      member.sums.push_back(sum_of_words(arrays.a + begin_of(section), arrays.a + begin_of(section + 1)));
    }
  }
  const double scalar = stream_ == Stream::read_modify_write ? 1 : scale_factor;
  // The first of several short passes is not timed: whatever had this core since the last run left its own lines in the
  // caches.
  if (passes > 1) {
    static_cast<void>(kernel(part, scalar, 1));
    member.added += 1;
  }
  // A store past the caches would have to take out a line that a look has brought there.
  const auto forget = [this](double* element) {
    if (stores_ == cpu::StoreKind::non_temporal && cpu::can_flush) cpu::flush(element);
  };
  // This is not done before every section, as the translations of its pages would then be known already.
  if (writes_anew(stream_) && section_ == 0) {
    for (std::size_t section = 0; section < sections_; ++section) {
      look_at_some(begin_of(section), begin_of(section + 1), [&](std::size_t index) {
        arrays.a[index] = overwritten;
        forget(arrays.a + index);
      });
    }
  }
  // All wait for the last one without sleep, as each would wake at another moment.
  const int all = static_cast<int>(members_.size());
  const int everybody = (arrived_++ / all + 1) * all;
  while (arrived_ < everybody) {
  }
  const os::CpuTime own_before = os::cpu_time_of_this_thread();
  member.begin = cpu::steady_now();
  const std::uint64_t sum = kernel(part, scalar, passes);
  member.end = cpu::steady_now();
  const double seconds = (member.end - member.begin).count() * 1e-9;
  member.interrupted = os::was_interrupted(own_before, os::cpu_time_of_this_thread(), seconds);
  const double added = member.added + static_cast<double>(passes);
  member.proved = stream_ != Stream::read || sum == passes * member.sums.at(section_);
  look_at_some(begin, end, [&](std::size_t index) {
    member.proved = member.proved && arrays.a[index] == expected(stream_, index, added);
    forget(arrays.a + index);
  });
  if (section_ + 1 == sections_) member.added = added;  // to all of the arrays
}

}  // namespace sonde::probes
