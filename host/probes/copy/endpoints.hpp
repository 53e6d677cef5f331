#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "device/copy_engines.hpp"
#include "probes/copy/contents.hpp"
#include "probes/copy/route.hpp"

namespace sonde::probes {

/// Host memory of so many bytes, of whatever kind the copies are to be measured with.
using MakeHost = std::function<std::unique_ptr<device::HostMemory>(std::uint64_t size_bytes)>;

/// Memory of the device; of the ordinary kind where a way to copy wants no other.
using MakeBuffer = std::function<std::unique_ptr<device::Buffer>(std::uint64_t size_bytes, device::Use use)>;

/// A row of copies, one after the other, with a place of its own for each.
struct Row {
  std::uint64_t bytes = 0;  ///< of a copy: whole pages
  std::uint32_t copies = 1;
  std::uint64_t step_bytes =
      proof_block_bytes;  ///< whole pages by which every other row begins further into the source
};

/// Memory at both ends of the copies that one queue makes, and what proves them: rows take turns in where
/// they begin, so that every byte that is written changes every time.
class CopyEndpoints {
 public:
  CopyEndpoints(device::Device& device, Direction direction, const Row& row, const MakeHost& make_host,
                std::uint64_t seed, const MakeBuffer& make_buffer = {});

  /// The next row.
  device::CopyList next();
  /// Why memory does not hold what the last row copied; empty when it does.
  std::optional<std::string> flaw();
  const Row& row() const { return row_; }
  std::uint64_t row_bytes() const { return row_.bytes * row_.copies; }

 private:
  Row row_;
  std::uint64_t rows_ = 0;
  BlockSums source_;
  std::unique_ptr<device::Buffer> from_;  ///< host_ where it is empty
  std::unique_ptr<device::Buffer> to_;    ///< host_ where it is empty
  std::unique_ptr<device::HostMemory> host_;
  std::optional<DeviceProof> proof_;  ///< of to_
};

}  // namespace sonde::probes
