#include "stream.h"
// The reading of kernels/stream_read.cl through the texture unit: one texel of a linear image is a vector of 16 bytes.
#define CLEAR(k) vector sum##k = 0;
#define ADD(k) sum##k += read_imageui(a, (int)(at + k * VECTOR_STEP));
#define FOLD(k) all += sum##k;

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void stream_image(read_only image1d_buffer_t a, global uint* restrict sums, WALK_ARGUMENTS) {
  EACH(CLEAR)
  uint position = FIRST_POSITION;
  for (uint trip = 0; trip < trips; ++trip) {
    const uint at = VECTOR_AT(position);
    EACH(ADD)
    position = AFTER(position);
  }
  vector all = 0;
  EACH(FOLD)
  sums[get_global_id(0)] = all.x + all.y + all.z + all.w;
}
