// The walk of kernels/chase.cl along the path for addresses that are the same for all work-items: the start is an
// argument, so every compiler can prove it, and all items walk alike. One item writes where the walk ended.
#define HOP at = next[at];
#define HOPS_4 HOP HOP HOP HOP
#define HOPS_16 HOPS_4 HOPS_4 HOPS_4 HOPS_4
#define HOPS_64 HOPS_16 HOPS_16 HOPS_16 HOPS_16

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void chase_scalar(global const uint* restrict next, global uint* restrict cursor, uint trips, uint start) {
  uint at = start;
  uint trip = 0;
  for (; trip < trips; ++trip) {
    HOPS_64
  }
  if (get_global_id(0) != 0) return;
  cursor[0] = at;
  cursor[1] = trip;
}
