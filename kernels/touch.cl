// Looks at words that lie `step` apart, beginning with `first`, or writes them: what the CPU changed the device has to
// find, and the other way round. Item n takes `each` of them, n * item_step and every loop_step further, so that items
// stand side by side on a GPU and each has a stretch of its own on a CPU. sums[n] is the proof: the sum of what it found,
// each word times an odd number of its own, or how many it wrote. Word i is written as value + i * growth.
__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void touch(global uint* restrict words, global uint* restrict sums, uint first, uint step, uint count, uint each,
                  uint item_step, uint loop_step, uint value, uint stores) {
  const uint growth = 0x9E3779B9u;
  const uint item = (uint)get_global_id(0);
  uint sum = 0;
  for (uint turn = 0; turn < each; ++turn) {
    const uint i = item * item_step + turn * loop_step;
    if (i >= count) break;
    const uint at = first + i * step;
    if (stores != 0) {
      words[at] = value + i * growth;
      sum += 1;
    } else {
      sum += words[at] * (2 * i + 1);
    }
  }
  sums[item] = sum;
}
