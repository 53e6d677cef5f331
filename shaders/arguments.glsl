// How a shader reaches its buffers. With DESCRIPTORS buffer n is binding n of set 0; without, it is a 64-bit
// address at the front of the push constants, in the same order. Scalars follow in argument order. A buffer of constants
// or of texels is a descriptor either way, and takes part in neither order.
#define CONSTANT_BINDING 4
#define TEXELS_BINDING 5
#ifdef DESCRIPTORS
#define BUFFER(index, Block, name, element) \
  layout(set = 0, binding = index, std430) buffer Block { element data[]; } name;
#define READ_ONLY_BUFFER(index, Block, name, element) \
  layout(set = 0, binding = index, std430) restrict readonly buffer Block { element data[]; } name;
#define BUFFER_ARGUMENT(Block, name)
#define READ_ONLY_VECTORS(index, Block, name) \
  layout(set = 0, binding = index, std430) restrict readonly buffer Block { uvec4 data[]; } name;
#define WRITTEN_VECTORS(index, Block, name) \
  layout(set = 0, binding = index, std430) restrict writeonly buffer Block { uvec4 data[]; } name;
#else
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#define BUFFER(index, Block, name, element) \
  layout(buffer_reference, std430, buffer_reference_align = 4) buffer Block { element data[]; };
#define READ_ONLY_BUFFER(index, Block, name, element) \
  layout(buffer_reference, std430, buffer_reference_align = 4) restrict readonly buffer Block { element data[]; };
#define BUFFER_ARGUMENT(Block, name) Block name;
// Aligned as vectors are: with less a compiler may load word by word.
#define READ_ONLY_VECTORS(index, Block, name) \
  layout(buffer_reference, std430, buffer_reference_align = 16) restrict readonly buffer Block { uvec4 data[]; };
#define WRITTEN_VECTORS(index, Block, name) \
  layout(buffer_reference, std430, buffer_reference_align = 16) restrict writeonly buffer Block { uvec4 data[]; };
#endif

layout(local_size_x_id = 0) in;
