// The device contract, memory: reads return what was written, in whatever pieces.

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "driver/device_test.hpp"

namespace sonde::device {
namespace {

/// The largest piece in which data goes through the drivers.
constexpr std::size_t staging_bytes = 4u << 20;

class DeviceBuffer : public test::DeviceTest {};

std::vector<std::byte> pattern(std::size_t bytes, std::uint32_t seed) {
  std::vector<std::byte> values(bytes);
  for (std::byte& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<std::byte>(seed >> 24);
  }
  return values;
}

std::vector<std::byte> content(Buffer& buffer) {
  std::vector<std::byte> bytes(buffer.size_bytes());
  buffer.read(0, bytes);
  return bytes;
}

TEST_P(DeviceBuffer, HasTheSizeAskedFor) {
  for (const std::uint64_t bytes : {8u, 1000u, 4096u, 65600u}) {
    EXPECT_EQ(device->make_buffer(bytes)->size_bytes(), bytes);
  }
}

TEST_P(DeviceBuffer, ContentComesBackFromOddOffsets) {
  std::vector<std::byte> expected = pattern(10000, 1);
  const auto buffer = device->make_buffer(expected.size());
  buffer->write(0, expected);
  for (const auto& [offset, bytes] : {std::pair<std::size_t, std::size_t>{1, 3}, {4093, 7}, {9999, 1}, {63, 130}}) {
    const auto piece = pattern(bytes, static_cast<std::uint32_t>(offset));
    buffer->write(offset, piece);
    std::copy(piece.begin(), piece.end(), expected.begin() + static_cast<std::ptrdiff_t>(offset));
    std::vector<std::byte> found(bytes);
    buffer->read(offset, found);
    EXPECT_EQ(found, piece) << bytes << " at " << offset;
  }
  EXPECT_EQ(content(*buffer), expected);
}

TEST_P(DeviceBuffer, ContentComesBackAcrossStagingPieces) {
  const auto expected = pattern(2 * staging_bytes + 12345, 2);
  const auto buffer = device->make_buffer(expected.size());
  buffer->write(0, std::span(expected).first(777));
  buffer->write(777, std::span(expected).subspan(777));
  EXPECT_TRUE(content(*buffer) == expected);
  std::vector<std::byte> middle(staging_bytes + 2);
  buffer->read(staging_bytes - 1, middle);
  EXPECT_TRUE(std::equal(middle.begin(), middle.end(), expected.begin() + staging_bytes - 1));
}

TEST_P(DeviceBuffer, BuffersAreIndependent) {
  const auto first_content = pattern(5000, 3);
  const auto second_content = pattern(5000, 4);
  const auto first = device->make_buffer(5000);
  const auto second = device->make_buffer(5000);
  first->write(0, first_content);
  second->write(0, second_content);
  EXPECT_EQ(content(*first), first_content);
  EXPECT_EQ(content(*second), second_content);
}

TEST_P(DeviceBuffer, BytesBeyondTheEndAreAnErrorAndChangeNothing) {
  const auto expected = pattern(1000, 5);
  const auto buffer = device->make_buffer(1000);
  buffer->write(0, expected);
  std::vector<std::byte> four(4);
  for (const std::uint64_t offset : {std::uint64_t{997}, std::uint64_t{1000}, std::uint64_t{5000}, ~std::uint64_t{2}}) {
    EXPECT_THROW(buffer->write(offset, four), Error) << offset;
    EXPECT_THROW(buffer->read(offset, four), Error) << offset;
  }
  EXPECT_EQ(content(*buffer), expected);
}

TEST_P(DeviceBuffer, OneThatIsTooLargeIsUnsupportedAndNamesTheLimit) {
  const DeviceInfo& info = device->info();
  ASSERT_GT(info.largest_buffer_bytes, 0u);
  try {
    (void)device->make_buffer(info.largest_buffer_bytes + 1);
    ADD_FAILURE() << "it was allocated";
  } catch (const Unsupported& reason) {
    EXPECT_NE(std::string(reason.what()).find(info.largest_buffer_reason), std::string::npos) << reason.what();
  } catch (const Error& error) {
    ADD_FAILURE() << "an Error, so the sweep fails instead of ending here: " << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(, DeviceBuffer, test::every_device, test::name_of_device);

}  // namespace
}  // namespace sonde::device
