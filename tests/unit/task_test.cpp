#include "records/lines.hpp"

#include <gtest/gtest.h>

#include "records/input_files.hpp"

namespace sonde::records {
namespace {

TEST(Task, ToListDevicesSaysOfWhichApiAndDriver) {
  const auto read = parse_task(task_text(ListTask{device::Api::vulkan, {.file = "/a/b.json", .layers = false}}));
  ASSERT_TRUE(read && std::holds_alternative<ListTask>(*read));
  EXPECT_EQ(std::get<ListTask>(*read).api, device::Api::vulkan);
  EXPECT_EQ(std::get<ListTask>(*read).driver.file, "/a/b.json");
  EXPECT_FALSE(std::get<ListTask>(*read).driver.layers);
}

TEST(Task, ToMeasureComesOverWhole) {
  const MeasureTask task{.api = device::Api::cpu,
                         .device = "gpu-0000:03:00.0",
                         .driver = {.file = "/etc/a.icd", .layers = false},
                         .index = 3,
                         .pci = "0000:03:00.0",
                         .model = "{\"name\": \"a\nmodel\"}",
                         .noise = 7,
                         .request = {.look = measure::Look::closest,
                                     .smallest_bytes = std::nullopt,
                                     .largest_bytes = 1ull << 40,
                                     .seed = ~0ull,
                                     .line_bytes = 256,
                                     .stated_cache_bytes = 12345,
                                     .stated_memory_side_bytes = 123456789,
                                     .frame = parse_frame(built_in_frame_text())},
                         .run_start = std::chrono::steady_clock::now(),
                         .needs_host_core = true,
                         .opens_counters = true,
                         .counts_traffic = true,
                         .sysfs_root = "/a tree"};
  const auto read = parse_task(task_text(task));
  ASSERT_TRUE(read && std::holds_alternative<MeasureTask>(*read));
  const auto& came = std::get<MeasureTask>(*read);
  EXPECT_EQ(came.api, task.api);
  EXPECT_EQ(came.device, task.device);
  EXPECT_EQ(came.driver.file, task.driver.file);
  EXPECT_EQ(came.driver.layers, task.driver.layers);
  EXPECT_EQ(came.index, task.index);
  EXPECT_EQ(came.pci, task.pci);
  EXPECT_EQ(came.model, task.model);
  EXPECT_EQ(came.noise, task.noise);
  EXPECT_EQ(came.request.look, task.request.look);
  EXPECT_EQ(came.request.smallest_bytes, task.request.smallest_bytes);
  EXPECT_EQ(came.request.largest_bytes, task.request.largest_bytes);
  EXPECT_EQ(came.request.seed, task.request.seed);
  EXPECT_EQ(came.request.line_bytes, task.request.line_bytes);
  EXPECT_EQ(came.request.stated_cache_bytes, task.request.stated_cache_bytes);
  EXPECT_EQ(came.request.stated_memory_side_bytes, task.request.stated_memory_side_bytes);
  EXPECT_EQ(came.request.frame, task.request.frame);
  EXPECT_EQ(came.run_start, task.run_start);
  EXPECT_TRUE(came.needs_host_core);
  EXPECT_TRUE(came.opens_counters);
  EXPECT_TRUE(came.counts_traffic);
  EXPECT_EQ(came.sysfs_root, task.sysfs_root);
}

TEST(Task, AnyOtherTextIsNone) {
  for (const char* text : {"", "{}", "[]", "17", "{\"measure\": 0}", "{\"list\": \"opencl\"}", "{\"list\": 9}"}) {
    EXPECT_FALSE(parse_task(text)) << text;
  }
}

}  // namespace
}  // namespace sonde::records
