// How a shader reaches its buffers. With DESCRIPTORS buffer n is binding n of set 0; without, it is a 64-bit
// address at the front of the push constants, in the same order. Scalars follow in argument order.
#ifdef DESCRIPTORS
#define BUFFER(index, Block, name, element) \
  layout(set = 0, binding = index, std430) buffer Block { element data[]; } name;
#define BUFFER_ARGUMENT(Block, name)
#else
#extension GL_EXT_buffer_reference : require
#define BUFFER(index, Block, name, element) \
  layout(buffer_reference, std430, buffer_reference_align = 4) buffer Block { element data[]; };
#define BUFFER_ARGUMENT(Block, name) Block name;
#endif

layout(local_size_x_id = 0) in;
