// Each visited word of a chain says how far from its beginning the next one lies, in units of 2^OFFSET_SHIFT bytes. In
// bytes a hop is the load alone: GPUs add 32 bits to a base as they load. In words a chain reaches beyond 4 GiB.
#ifndef OFFSET_SHIFT
#define OFFSET_SHIFT 2
#endif
#define WORD_AT(chain, at) ((global uint*)((global uchar*)chain + ((ulong)(at) << OFFSET_SHIFT)))
