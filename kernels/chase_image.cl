// The walk of kernels/chase.cl through the texture unit: one texel of a linear image is one word.
#include "steps.h"
#define STEP at = read_imageui(next, (int)at).x;

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void chase_image(read_only image1d_buffer_t next, global uint* restrict cursor, uint trips) {
  const uint item = get_global_id(0);
  LEAVE_UNLESS_FIRST
  uint at = cursor[item];
  MAKE_WALK_TRIPS
  cursor[item] = at;
  cursor[item + 1] = trip;
}
