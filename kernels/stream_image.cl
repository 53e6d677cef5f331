#include "stream.h"
// The reading of kernels/stream_read.cl through the texture unit: one texel of a linear image is a vector of 16 bytes.
#define READ(at) read_imageui(a, (int)(at))

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void stream_image(read_only image1d_buffer_t a, global uint* restrict sums, WALK_ARGUMENTS) {
  ADD_UP_ALL_TRIPS(VECTOR_AT)
}
