# embed_texts(FOLDER KIND): every FOLDER/NAME.json becomes an element of records::built_in_FOLDER, in
# generated/built_in_FOLDER.cpp.
function(embed_texts folder kind)
  set(generated ${CMAKE_BINARY_DIR}/generated)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.json)
  list(SORT files)
  set(names "")
  foreach(file IN LISTS files)
    cmake_path(GET file STEM LAST_ONLY name)
    list(APPEND names ${name})
  endforeach()
  list(JOIN names "," names)
  set(script ${CMAKE_SOURCE_DIR}/tools/embed_models.cmake)
  add_custom_command(
    OUTPUT ${generated}/built_in_${folder}.cpp
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_SOURCE_DIR}/${folder} -DNAMES=${names} -DKIND=${kind}
            -DVARIABLE=built_in_${folder} -DOUTPUT=${generated}/built_in_${folder}.cpp -P ${script}
    DEPENDS ${files} ${script}
    VERBATIM)
  file(CONFIGURE OUTPUT ${generated}/built_in_${folder}.hpp @ONLY CONTENT
"#pragma once

#include <span>
#include <string_view>

namespace sonde::records {

/// What is compiled into the program, as its file ${folder}/NAME.json has it.
struct ${kind} {
  std::string_view name;
  std::string_view text;
};

extern const std::span<const ${kind}> built_in_${folder};

}  // namespace sonde::records
")
endfunction()

# embed_models(): the model devices, the frame and the schema of records that are built in, as the library sonde_models.
function(embed_models)
  set(generated ${CMAKE_BINARY_DIR}/generated)
  embed_texts(models BuiltInModel)
  embed_texts(frames BuiltInFrame)
  embed_texts(docs BuiltInSchema)
  add_library(sonde_models STATIC ${generated}/built_in_models.cpp ${generated}/built_in_frames.cpp
                                  ${generated}/built_in_docs.cpp)
  target_link_libraries(sonde_models PUBLIC sonde_options)
endfunction()
