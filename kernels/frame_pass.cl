// One pass of a frame. An item makes out_rows vectors of the target of what stands in its rows of up to three inputs, and
// of the salt, another in every pass and frame. A block is GROUP_SIZE items and their vectors of each surface lie side by
// side, row by row; the last block may have fewer. A read is done `times` over, `step` vectors further on each time,
// around the end. `start` is where the frame's part of a texture begins. Groups take blocks in turn, as some devices have
// no more than 65,535 groups.
#define BASE(rows) (block * GROUP_SIZE * (rows) + local_item)

#define TAKE_IN(surface, rows, times, step, start, vectors)     \
  for (uint time = 0; time < times; ++time) {                   \
    uint at = BASE(rows) + start + time * step;                 \
    for (uint row = 0; row < rows; ++row, at += width) {        \
      made = made * 0x85EBCA6Bu + surface[at < vectors ? at : at - vectors]; \
    }                                                           \
  }

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void frame_pass(global const uint4* restrict a, global const uint4* restrict b, global const uint4* restrict c,
                       global uint4* restrict target, uint items, uint salt, uint out_rows,
                       uint a_rows, uint a_times, uint a_step, uint a_start, uint a_vectors,
                       uint b_rows, uint b_times, uint b_step, uint b_start, uint b_vectors,
                       uint c_rows, uint c_times, uint c_step, uint c_start, uint c_vectors) {
  const uint local_item = (uint)get_local_id(0);
  const uint blocks = (items + GROUP_SIZE - 1) / GROUP_SIZE;
  for (uint block = (uint)get_group_id(0); block < blocks; block += (uint)get_num_groups(0)) {
    const uint width = min((uint)GROUP_SIZE, items - block * GROUP_SIZE);
    if (local_item >= width) break;
    uint4 made = ((block * GROUP_SIZE + local_item) * 4 + (uint4)(0, 1, 2, 3)) * 0x9E3779B9u + salt;
    TAKE_IN(a, a_rows, a_times, a_step, a_start, a_vectors)
    TAKE_IN(b, b_rows, b_times, b_step, b_start, b_vectors)
    TAKE_IN(c, c_rows, c_times, c_step, c_start, c_vectors)
    uint at = BASE(out_rows);
    for (uint row = 0; row < out_rows; ++row, at += width) {
      target[at] = made;
      made += 0xC2B2AE35u;
    }
  }
}
