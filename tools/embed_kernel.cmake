# Writes the C++ file that holds one kernel pair; called at build time with NAME, OPENCL_C and OUTPUT.
file(READ ${OPENCL_C} text)
# A driver's compiler is given text, no files: what a kernel includes is put in its place.
while(text MATCHES "#include \"([a-z_]+\\.h)\"")
  get_filename_component(folder ${OPENCL_C} DIRECTORY)
  file(READ ${folder}/${CMAKE_MATCH_1} included)
  string(REPLACE "${CMAKE_MATCH_0}\n" "${included}" text "${text}")
endwhile()
file(WRITE ${OUTPUT}
"#include \"kernels.hpp\"

#include \"${NAME}_addresses.spv.h\"
#include \"${NAME}_descriptors.spv.h\"

namespace sonde::kernels {
const device::KernelSource ${NAME}{
    .name = \"${NAME}\", .opencl_c = R\"OPENCL(${text})OPENCL\",
    .spirv_addresses = ${NAME}_addresses, .spirv_descriptors = ${NAME}_descriptors};
}  // namespace sonde::kernels
")
