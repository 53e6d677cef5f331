#include <algorithm>
#include <array>
#include <random>

#include "kernels.hpp"
#include "probes/frames/frames.hpp"
#include "workloads/stream/memory_kinds.hpp"
#include "workloads/stream/stream_walk.hpp"
#include "workloads/walk/single_item.hpp"

namespace sonde::probes::frames_probe {
namespace {

constexpr std::uint32_t items_of_a_group = 64;
/// This is below the 65,535 groups that some devices have at most.
constexpr std::uint32_t most_groups_of_a_pass = 32768;
constexpr std::size_t inputs_of_the_kernel = 3;
/// One run has no more frames: more would only keep the host from seeing that it goes on.
constexpr std::uint64_t most_frames = 1 << 12;
constexpr std::uint32_t items_proved = 4;

using Vector = std::array<std::uint32_t, 4>;

void check_memory(device::Device& device, const Frame& frame, const Resolution& resolution) {
  const std::uint64_t needed = surface_bytes(frame, resolution);
  const std::uint64_t available = device.available_bytes();
  if (needed <= available) return;
  throw device::Unsupported("the textures and targets of a frame of " + text_of(resolution) + " take " +
                            size_text(static_cast<double>(needed)) + ", and " +
                            size_text(static_cast<double>(available)) +
                            " can be taken now; close other programs, or describe a smaller frame with --frame");
}

struct Renderer {
  device::Device& device;
  Frame frame;
  Resolution resolution;
  std::vector<PassWork> passes;
  std::uint32_t group_size;
  std::unique_ptr<device::Kernel> kernel;
  std::vector<workloads::Noise> noises;  ///< of each surface; only textures begin as noise
  std::vector<std::unique_ptr<device::Buffer>> surfaces;
  workloads::Noise salts;
  std::uint64_t frames_begun = 0;
  std::mt19937_64 random;

  Renderer(device::Device& on, const Frame& what, const Resolution& of, std::uint64_t seed)
      : device(on),
        frame(what),
        resolution(of),
        passes(passes_of(what, of)),
        group_size(std::min(items_of_a_group, on.info().largest_group_size)),
        salts(seed),
        random(seed) {
    check_memory(on, what, of);
    std::uint64_t largest = 0;
    for (const Surface& surface : frame.surfaces) largest = std::max(largest, vectors_of(surface, resolution));
    const device::Use use = workloads::use_for(on.info(), largest * pass_vector_bytes);
    kernel = on.make_kernel(kernels::frame_pass, group_size);
    for (const Surface& surface : frame.surfaces) {
      const std::uint64_t vectors = vectors_of(surface, resolution);
      noises.emplace_back(seed + surfaces.size() + 1);
      surfaces.push_back(on.make_buffer(vectors * pass_vector_bytes, use));
      // Every resolution has a whole number of such blocks.
      const auto block_words = static_cast<std::uint32_t>(vectors * 4 / (resolution.pixels() / 256));
      if (surface.is_texture) (void)workloads::write_noise(*surfaces.back(), noises.back(), block_words);
    }
  }

  /// The vector at which a frame's part of a surface begins.
  std::uint32_t start(std::size_t surface, std::uint64_t number) const {
    const Surface& one = frame.surfaces[surface];
    return static_cast<std::uint32_t>(number % one.frames * part_vectors_of(one, resolution));
  }
  std::uint32_t salt(std::size_t pass, std::uint64_t number) const { return salts(number * passes.size() + pass); }

  device::Launch launch_of(std::size_t pass) const {
    const PassWork& work = passes[pass];
    device::Launch launch{.buffers = {}, .scalars = {work.items, salt(pass, frames_begun), work.rows}, .groups = 1};
    for (std::size_t place = 0; place < inputs_of_the_kernel; ++place) {
      if (place >= work.inputs.size()) {
        // This buffer is never read from, but there has to be one.
        launch.buffers.push_back(surfaces[work.inputs.empty() ? work.target : work.inputs.front().surface].get());
        launch.scalars.insert(launch.scalars.end(), {0, 0, 0, 0, 0});
        continue;
      }
      const PassInput& input = work.inputs[place];
      const auto vectors = static_cast<std::uint32_t>(vectors_of(frame.surfaces[input.surface], resolution));
      launch.buffers.push_back(surfaces[input.surface].get());
      launch.scalars.insert(launch.scalars.end(),
                            {input.rows, input.times, input.step, start(input.surface, frames_begun), vectors});
    }
    launch.buffers.push_back(surfaces[work.target].get());
    launch.groups = std::clamp((work.items + group_size - 1) / group_size, 1u, most_groups_of_a_pass);
    return launch;
  }

  device::Nanoseconds run(std::uint64_t count) {
    device::Nanoseconds time{0};
    for (std::uint64_t one = 0; one < count; ++one, ++frames_begun) {
      for (std::size_t pass = 0; pass < passes.size(); ++pass) time += device.run(*kernel, launch_of(pass));
    }
    return time;
  }

  /// Says which pass did not do its work. Each target was written by one pass, after all that the pass reads: so what
  /// it made is checked against what stands in memory now, and that against the pass which made it, back to the
  /// textures.
  std::optional<std::string> proof_failure() {
    for (std::size_t pass = 0; pass < passes.size(); ++pass) {
      for (std::uint32_t sample = 0; sample < items_proved; ++sample) {
        const std::uint32_t items = passes[pass].items;
        // The last item is among them: a driver that leaves out groups leaves out the last ones.
        const auto item = sample == 0 ? items - 1 : static_cast<std::uint32_t>(random() % items);
        if (!is_made(pass, item)) {
          return "the pass '" + frame.passes[pass].name + "' of a frame of " + text_of(resolution) +
                 " did not leave what it makes of what it reads; please report the driver";
        }
      }
    }
    return std::nullopt;
  }

  bool is_made(std::size_t pass, std::uint32_t item) {
    const PassWork& work = passes[pass];
    const std::uint64_t number = frames_begun - 1;
    const std::uint32_t first_item = item / group_size * group_size;
    const std::uint32_t width = std::min(group_size, work.items - first_item);
    const auto place_of = [&](std::uint32_t rows) { return std::uint64_t{first_item} * rows + (item - first_item); };
    Vector made{};
    for (std::uint32_t word = 0; word < made.size(); ++word)
      made[word] = (item * 4 + word) * 0x9E3779B9u + salt(pass, number);
    for (const PassInput& input : work.inputs) {
      for (std::uint32_t time = 0; time < input.times; ++time) {
        const std::uint64_t first =
            place_of(input.rows) + start(input.surface, number) + std::uint64_t{time} * input.step;
        for (const Vector& found : rows_in(input.surface, first, input.rows, width)) {
          for (std::size_t word = 0; word < made.size(); ++word) made[word] = made[word] * 0x85EBCA6Bu + found[word];
        }
      }
    }
    for (const Vector& found : rows_in(work.target, place_of(work.rows), work.rows, width)) {
      if (found != made) return false;
      for (std::uint32_t& word : made) word += 0xC2B2AE35u;
    }
    return true;
  }

  /// Reads vectors `width` apart, around the end. What a texture holds is known without reading it.
  std::vector<Vector> rows_in(std::size_t surface, std::uint64_t first, std::uint32_t rows, std::uint32_t width) {
    const bool is_texture = frame.surfaces[surface].is_texture;
    const std::uint64_t vectors = vectors_of(frame.surfaces[surface], resolution);
    std::vector<Vector> found(rows);
    // One read does where it does not reach around the end: reading from a device takes long whatever its size.
    const std::uint64_t stretch = std::uint64_t{rows - 1} * width + 1;
    const std::uint64_t begin = first % vectors;
    if (!is_texture && begin + stretch <= vectors) {
      std::vector<Vector> all(stretch);
      surfaces[surface]->read(begin * pass_vector_bytes, std::as_writable_bytes(std::span(all)));
      for (std::uint32_t row = 0; row < rows; ++row) found[row] = all[std::size_t{row} * width];
      return found;
    }
    for (std::uint32_t row = 0; row < rows; ++row) {
      const std::uint64_t at = (first + std::uint64_t{row} * width) % vectors;
      if (is_texture) {
        for (std::size_t word = 0; word < 4; ++word) found[row][word] = noises[surface](at * 4 + word);
      } else {
        surfaces[surface]->read(at * pass_vector_bytes, std::as_writable_bytes(std::span(found[row])));
      }
    }
    return found;
  }
};

}  // namespace

Workload frames_of(device::Device& device, const Frame& frame, const Resolution& resolution, std::uint64_t seed) {
  const auto work = std::make_shared<Renderer>(device, frame, resolution, seed);
  const auto bytes = static_cast<double>(moved_bytes(frame, resolution));
  const SteppedWork steps =
      workloads::stepped(work, {.most = most_frames,
                                // Then all of every texture was read.
                                .lap = std::ranges::max(frame.surfaces, {}, &Surface::frames).frames,
                                .value = [](double nanoseconds) { return nanoseconds / 1e6; },
                                .derived = {{.curve = &bandwidth, .value = workloads::rate(bytes)},
                                            {.curve = &moved, .value = [bytes](double) { return bytes; }}}});
  return {.work = steps,
          .bytes_per_step = bytes,
          .shape = {{"passes", static_cast<double>(frame.passes.size())},
                    {"group_size", work->group_size},
                    {"surface_bytes", static_cast<double>(surface_bytes(frame, resolution))}}};
}

}  // namespace sonde::probes::frames_probe
