#include "probes/cpu_bandwidth/team.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

#include "cpu/clock.hpp"
#include "cpu/pinned.hpp"
#include "gpu/error.hpp"
#include "os/cpu_time.hpp"

namespace sonde::probes {
namespace {

using cpu::Stream;
using gpu::Nanoseconds;

constexpr std::size_t page_elements = 4096 / sizeof(double);
/// Between arrays: no element of one lies at the same place in a page as that of another.
constexpr std::size_t apart_elements = 1088 / sizeof(double);
/// In place of what is to be written; no stream writes it.
constexpr double overwritten = -1;
constexpr double scale_factor = 3;
/// By how much threads may begin one after the other: what a line takes to all of them, and a share of a run.
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
  }
  return filled_b(index);
}

bool writes_anew(Stream stream) { return stream != Stream::read && stream != Stream::read_modify_write; }

/// One in every page, at another place in each, and the last.
template <typename Look>
void look_at_some(std::size_t count, Look look) {
  for (std::size_t page = 0; page * page_elements < count; ++page) {
    look(std::min(count - 1, page * page_elements + page * 61 % page_elements));
  }
  look(count - 1);
}

}  // namespace

StreamTeam::StreamTeam(const std::vector<const cpu::Core*>& cores, const cpu::StreamKernels& kernels, Stream stream,
                       cpu::Stores stores, int arrays, std::size_t count, const std::vector<int>& memory_nodes)
    : kernels_(kernels),
      stream_(stream),
      stores_(stores),
      arrays_(arrays),
      count_(count),
      pages_(cpu::has_huge_pages() ? cpu::Pages::huge : cpu::Pages::small),
      members_(cores.size()) {
  if (kernels_.run[static_cast<int>(stream)][static_cast<int>(stores)] == nullptr) {
    throw gpu::Unsupported("Sonde knows no stores past the caches for this kind of processor");
  }
  for (std::size_t index = 0; index < cores.size(); ++index) {
    members_[index].cpu = cores[index]->cpu;
    if (!memory_nodes.empty()) members_[index].node = memory_nodes.at(index);
    threads_.emplace_back([this, index](const std::stop_token& stop) { work(members_[index], stop); });
  }
  wait_for_all(0);
  for (const Member& member : members_) {
    if (member.failure.empty()) continue;
    dismiss();  // they wait for a run, and no destructor will tell them that there is none
    throw gpu::Unsupported(member.failure);
  }
}

StreamTeam::~StreamTeam() { dismiss(); }

void StreamTeam::dismiss() {
  for (std::jthread& thread : threads_) thread.request_stop();
  ++round_;
  round_.notify_all();
}

void StreamTeam::wait_for_all(int round) {
  const int all = static_cast<int>(members_.size()) * (round + 1);
  for (int done = done_; done < all; done = done_) done_.wait(done);
}

Nanoseconds StreamTeam::run(std::uint64_t passes) {
  passes_ = passes;
  const int round = ++round_;
  round_.notify_all();
  wait_for_all(round);
  const Nanoseconds first = std::ranges::min(members_, {}, &Member::begin).begin;
  const Nanoseconds last = std::ranges::max(members_, {}, &Member::begin).begin;
  const Nanoseconds time = std::ranges::max(members_, {}, &Member::end).end - first;
  // One that had lost its core when the others left the barrier had it for all of what it then did.
  began_apart_ = last - first > two_lines + tolerated_share * time;
  return time;
}

std::optional<std::string> StreamTeam::flaw() const {
  if (std::ranges::all_of(members_, &Member::proved)) return std::nullopt;
  return "a thread did not find in its memory what its stream reads or writes, so memory lost or changed a word";
}

bool StreamTeam::interrupted() const { return began_apart_ || std::ranges::any_of(members_, &Member::interrupted); }
bool StreamTeam::pinned() const { return std::ranges::all_of(members_, &Member::pinned); }

void StreamTeam::work(Member& member, const std::stop_token& stop) {
  const auto done = [this] {
    ++done_;
    done_.notify_all();
  };
  const cpu::Pinned pinned(member.cpu);
  member.pinned = pinned.holds();
  std::optional<cpu::Region> memory;
  cpu::StreamArrays arrays{.count = count_};
  try {
    // Written first by the thread that streams it, so that it stands on its node where no other is named.
    memory.emplace((count_ + apart_elements) * sizeof(double) * static_cast<std::size_t>(arrays_), pages_, member.node);
    auto* const first = reinterpret_cast<double*>(memory->data());
    const auto part = [&](int array) { return first + static_cast<std::size_t>(array) * (count_ + apart_elements); };
    arrays.a = part(0);
    double* const b = part(std::min(1, arrays_ - 1));
    double* const c = part(std::min(2, arrays_ - 1));
    for (std::size_t index = 0; index < count_; ++index) c[index] = filled_c(index);
    for (std::size_t index = 0; index < count_; ++index) b[index] = filled_b(index);
    for (std::size_t index = 0; index < count_; ++index) {
      arrays.a[index] = filled_b(index);
      member.sum += std::bit_cast<std::uint64_t>(arrays.a[index]);
    }
    arrays.b = b;
    arrays.c = c;
  } catch (const gpu::Unsupported& reason) {
    member.failure = reason.what();
  }
  done();
  for (int round = 0;;) {
    round_.wait(round);
    if (stop.stop_requested()) return;
    ++round;
    turn(member, arrays, passes_);
    done();
  }
}

void StreamTeam::turn(Member& member, const cpu::StreamArrays& arrays, std::uint64_t passes) {
  const auto kernel = kernels_.run[static_cast<int>(stream_)][static_cast<int>(stores_)];
  if (writes_anew(stream_)) look_at_some(count_, [&](std::size_t index) { arrays.a[index] = overwritten; });
  const double scalar = stream_ == Stream::read_modify_write ? 1 : scale_factor;
  // All wait for the last one without sleep, as each would wake at another moment.
  const int all = static_cast<int>(members_.size());
  const int everybody = (arrived_++ / all + 1) * all;
  while (arrived_ < everybody) {
  }
  const os::CpuTime own_before = os::cpu_time_of_this_thread();
  member.begin = cpu::steady_now();
  const std::uint64_t sum = kernel(arrays, scalar, passes);
  member.end = cpu::steady_now();
  const double seconds = (member.end - member.begin).count() * 1e-9;
  member.interrupted = os::was_interrupted(own_before, os::cpu_time_of_this_thread(), seconds);
  if (stream_ == Stream::read_modify_write) member.added += static_cast<double>(passes);
  member.proved = stream_ != Stream::read || sum == passes * member.sum;
  look_at_some(count_, [&](std::size_t index) {
    member.proved = member.proved && arrays.a[index] == expected(stream_, index, member.added);
  });
}

}  // namespace sonde::probes
