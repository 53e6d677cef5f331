// What CUDA reads on an NVIDIA device, to hold beside a run of Sonde in the same minutes: latency of a pointer chase,
// bandwidth of reading, copies from pinned memory. No part of the build:
//   nvcc -O3 -arch=native -o cuda_reference tests/benchmark/cuda_reference.cu && ./cuda_reference
// Prints one line a point: quantity, bytes, median of seven, lowest, highest, unit.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t line_bytes = 128;
constexpr int repetitions = 7;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

/// Every line points to another, all in one cycle, in random order.
__global__ void walk(void** first, std::uint32_t steps, void** last, long long* cycles) {
  void** here = first;
  const long long start = clock64();
  for (std::uint32_t step = 0; step < steps; ++step) here = static_cast<void**>(*here);
  *cycles = clock64() - start;
  *last = here;
}

__global__ void read(const float4* values, std::size_t count, float* sum) {
  float4 all{};
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t index = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += stride) {
    const float4 one = values[index];
    all.x += one.x, all.y += one.y, all.z += one.z, all.w += one.w;
  }
  if (all.x + all.y + all.z + all.w == 0.123F) *sum = all.x;
}

/// Milliseconds by the device's events, one value a repetition.
std::vector<double> timed(const std::function<void()>& work) {
  cudaEvent_t start{};
  cudaEvent_t end{};
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&end));
  std::vector<double> found;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    check(cudaEventRecord(start));
    work();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, end));
    found.push_back(milliseconds);
  }
  return found;
}

void say(const char* quantity, std::size_t bytes, std::vector<double> values, const char* unit) {
  std::ranges::sort(values);
  std::printf("%-12s %12zu %10.2f %10.2f %10.2f %s\n", quantity, bytes, values[values.size() / 2], values.front(),
              values.back(), unit);
}

void latency(std::size_t bytes) {
  const std::size_t lines = bytes / line_bytes;
  std::vector<std::uint32_t> order(lines);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  char* memory = nullptr;
  check(cudaMalloc(&memory, bytes));
  std::vector<void*> content(bytes / sizeof(void*));
  for (std::size_t index = 0; index < lines; ++index)
    content[order[index] * (line_bytes / sizeof(void*))] = memory + order[(index + 1) % lines] * line_bytes;
  check(cudaMemcpy(memory, content.data(), bytes, cudaMemcpyHostToDevice));
  void** last = nullptr;
  long long* cycles = nullptr;
  check(cudaMalloc(&last, sizeof(void*)));
  check(cudaMalloc(&cycles, sizeof(long long)));
  // A lap warms the caches; where there are more lines than any cache has, part of one touches as many new ones.
  const auto steps =
      static_cast<std::uint32_t>(std::min<std::size_t>(std::max<std::size_t>(lines, 100'000), 1'000'000));
  walk<<<1, 1>>>(reinterpret_cast<void**>(memory), steps, last, cycles);
  check(cudaDeviceSynchronize());
  const auto milliseconds = timed([&] { walk<<<1, 1>>>(reinterpret_cast<void**>(memory), steps, last, cycles); });
  std::vector<double> ns;
  for (const double one : milliseconds) ns.push_back(one * 1e6 / steps);
  say("latency", bytes, ns, "ns");
  long long counted = 0;
  check(cudaMemcpy(&counted, cycles, sizeof(counted), cudaMemcpyDeviceToHost));
  say("latency", bytes, {static_cast<double>(counted) / steps}, "cycles");
  check(cudaFree(memory));
  check(cudaFree(last));
  check(cudaFree(cycles));
}

void bandwidth(std::size_t bytes, int processors) {
  float4* memory = nullptr;
  float* sum = nullptr;
  check(cudaMalloc(&memory, bytes));
  check(cudaMalloc(&sum, sizeof(float)));
  check(cudaMemset(memory, 0x3b, bytes));
  const int passes = static_cast<int>(std::max<std::size_t>(1, (std::size_t{4} << 30) / bytes));
  const auto work = [&] {
    for (int pass = 0; pass < passes; ++pass) read<<<processors * 8, 256>>>(memory, bytes / sizeof(float4), sum);
  };
  work();
  std::vector<double> rates;
  for (const double milliseconds : timed(work)) rates.push_back(double(bytes) * passes / milliseconds / 1e6);
  say("read", bytes, rates, "GB/s");
  check(cudaFree(memory));
  check(cudaFree(sum));
}

void copies(std::size_t bytes) {
  void* host = nullptr;
  void* device = nullptr;
  check(cudaMallocHost(&host, bytes));
  check(cudaMalloc(&device, bytes));
  for (const auto& [name, kind] :
       {std::pair{"to-device", cudaMemcpyHostToDevice}, std::pair{"to-host", cudaMemcpyDeviceToHost}}) {
    const bool to_device = kind == cudaMemcpyHostToDevice;
    std::vector<double> rates;
    for (const double milliseconds :
         timed([&] { check(cudaMemcpyAsync(to_device ? device : host, to_device ? host : device, bytes, kind)); }))
      rates.push_back(double(bytes) / milliseconds / 1e6);
    say(name, bytes, rates, "GB/s");
  }
  check(cudaFreeHost(host));
  check(cudaFree(device));
}

}  // namespace

int main() {
  int processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  for (std::size_t bytes : {16UL << 10, 64UL << 10, 128UL << 10, 192UL << 10, 1UL << 20, 8UL << 20, 20UL << 20,
                            30UL << 20, 40UL << 20, 64UL << 20, 128UL << 20, 512UL << 20, 2UL << 30})
    latency(bytes);
  for (std::size_t bytes : {1UL << 20, 4UL << 20, 8UL << 20, 16UL << 20, 24UL << 20, 40UL << 20, 96UL << 20, 1UL << 30})
    bandwidth(bytes, processors);
  copies(std::size_t{256} << 20);
}
