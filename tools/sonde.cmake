# What the CMakeLists.txt files share: flags, layers, and the compilation of kernel pairs into the program.

add_library(sonde_options INTERFACE)
target_include_directories(sonde_options INTERFACE ${CMAKE_SOURCE_DIR}/host ${CMAKE_BINARY_DIR}/generated)
# Designated initialisers leave the rest at zero on purpose; in GCC 12 -Wrestrict misfires on std::string, and
# -Wmaybe-uninitialized on a std::optional without a value (bug 80635). What
# is deprecated GCC tells too; clang, of GCC 12's <algorithm> as well, where it calls its own std::get_temporary_buffer.
target_compile_options(sonde_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                               -Wno-missing-field-initializers
                                               $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-maybe-uninitialized>
                                               $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
                                               $<$<BOOL:${SONDE_WERROR}>:-Werror>)
# A product and a sum rounded once, as x86-64 without extensions cannot, would make other numbers of the same seed elsewhere.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(sonde_options INTERFACE -ffp-contract=off)
endif()
if(WIN32)
  # Windows 10: groups of CPUs, colours by a terminal's sequences and what else has come with them.
  target_compile_definitions(sonde_options INTERFACE _WIN32_WINNT=0x0A00 NOMINMAX WIN32_LEAN_AND_MEAN UNICODE _UNICODE)
endif()
if(SONDE_SANITIZE)
  target_compile_options(sonde_options INTERFACE -fsanitize=${SONDE_SANITIZE} -fno-omit-frame-pointer
                                                 -fno-sanitize-recover=all)
  target_link_options(sonde_options INTERFACE -fsanitize=${SONDE_SANITIZE})
endif()

# add_layer(FOLDER [SOURCES a.cpp …] USES other layers and libraries …): one folder of host/ as the library sonde_FOLDER,
# with _ for /; its sources are all there are, unless some are named. tools/check_layers.py holds the includes to what USES
# allows. In a unity build, names without linkage have to be unique in their folder; tools/tidy compiles files one by one.
# Of the program that tools/run builds, what neither measures nor computes is optimised less: that compiles in less time.
function(add_layer folder)
  cmake_parse_arguments(LAYER "" "" "SOURCES;USES" ${ARGN})
  as_packaged(LAYER_USES)
  if(NOT LAYER_SOURCES)
    file(GLOB LAYER_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/host/${folder}/*.cpp)
  endif()
  string(REPLACE "/" "_" name sonde_${folder})
  add_library(${name} STATIC ${LAYER_SOURCES})
  target_link_libraries(${name} PUBLIC sonde_options ${LAYER_USES})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${SONDE_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 8)
  if(folder MATCHES "^(commands|records|session|summary)$")
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# embed_kernels(a b …): kernels/a.cl and shaders/a.comp become `const device::KernelSource kernels::a`, the
# latter as SPIR-V for buffers by address and by descriptor, both validated.
function(embed_kernels)
  set(generated ${CMAKE_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${generated})
  set(declarations "")
  set(sources "")
  foreach(name IN LISTS ARGN)
    set(shader ${CMAKE_SOURCE_DIR}/shaders/${name}.comp)
    foreach(form addresses descriptors)
      set(defines "")
      if(form STREQUAL descriptors)
        set(defines -DDESCRIPTORS=1)
      endif()
      set(spirv ${generated}/${name}_${form}.spv)
      add_custom_command(
        OUTPUT ${spirv} ${spirv}.h
        COMMAND glslangValidator --quiet -V --target-env vulkan1.2 ${defines} -o ${spirv} ${shader}
        COMMAND spirv-val --target-env vulkan1.2 ${spirv}
        COMMAND glslangValidator --quiet -V --target-env vulkan1.2 ${defines} --vn ${name}_${form} -o ${spirv}.h
                ${shader}
        DEPENDS ${shader} ${CMAKE_SOURCE_DIR}/shaders/arguments.glsl ${CMAKE_SOURCE_DIR}/shaders/offsets.glsl ${CMAKE_SOURCE_DIR}/shaders/stream.glsl
                ${CMAKE_SOURCE_DIR}/kernels/steps.h ${CMAKE_SOURCE_DIR}/kernels/stream_loops.h
                ${CMAKE_SOURCE_DIR}/shaders/arithmetic.glsl ${CMAKE_SOURCE_DIR}/shaders/arithmetic_body.glsl
        VERBATIM)
      list(APPEND sources ${spirv}.h)
    endforeach()
    add_custom_command(
      OUTPUT ${generated}/${name}_kernel.cpp
      COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DOPENCL_C=${CMAKE_SOURCE_DIR}/kernels/${name}.cl
              -DOUTPUT=${generated}/${name}_kernel.cpp -P ${CMAKE_SOURCE_DIR}/tools/embed_kernel.cmake
      DEPENDS ${CMAKE_SOURCE_DIR}/kernels/${name}.cl ${CMAKE_SOURCE_DIR}/kernels/steps.h
              ${CMAKE_SOURCE_DIR}/kernels/offsets.h ${CMAKE_SOURCE_DIR}/kernels/stream.h
              ${CMAKE_SOURCE_DIR}/kernels/stream_loops.h ${CMAKE_SOURCE_DIR}/kernels/arithmetic.h
              ${CMAKE_SOURCE_DIR}/tools/embed_kernel.cmake
      VERBATIM)
    list(APPEND sources ${generated}/${name}_kernel.cpp)
    string(APPEND declarations "extern const device::KernelSource ${name};\n")
  endforeach()
  file(CONFIGURE OUTPUT ${generated}/kernels.hpp @ONLY CONTENT
"#pragma once

#include \"device/device.hpp\"

namespace sonde::kernels {
${declarations}}  // namespace sonde::kernels
")
  add_library(sonde_kernels STATIC ${sources})
  target_link_libraries(sonde_kernels PUBLIC sonde_options)
  set_target_properties(sonde_kernels PROPERTIES UNITY_BUILD ${SONDE_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 0)
endfunction()
