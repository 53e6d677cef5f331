# Writes the C++ file that holds one kernel pair; called at build time with NAME, OPENCL_C and OUTPUT.
# What an OpenCL text includes stands in its place: the program carries no files.
file(READ ${OPENCL_C} text)
get_filename_component(folder ${OPENCL_C} DIRECTORY)
file(READ ${folder}/steps.h steps)
string(REPLACE "#include \"steps.h\"\n" "${steps}" text "${text}")
file(WRITE ${OUTPUT}
"#include \"kernels.hpp\"

#include \"${NAME}_addresses.spv.h\"
#include \"${NAME}_descriptors.spv.h\"

namespace sonde::kernels {
const gpu::KernelSource ${NAME}{
    .name = \"${NAME}\", .opencl_c = R\"OPENCL(${text})OPENCL\",
    .spirv_addresses = ${NAME}_addresses, .spirv_descriptors = ${NAME}_descriptors};
}  // namespace sonde::kernels
")
