// The walk of kernels/chase.cl through constant memory.
#define HOP at = next[at];
#define HOPS_4 HOP HOP HOP HOP
#define HOPS_16 HOPS_4 HOPS_4 HOPS_4 HOPS_4
#define HOPS_64 HOPS_16 HOPS_16 HOPS_16 HOPS_16

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void chase_constant(constant uint* restrict next, global uint* restrict cursor, uint trips) {
  const uint item = get_global_id(0);
  if (item != 0) return;
  uint at = cursor[item];
  uint trip = 0;
  for (; trip < trips; ++trip) {
    HOPS_64
  }
  cursor[item] = at;
  cursor[item + 1] = trip;
}
