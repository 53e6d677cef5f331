# embed_models(): every models/NAME.json becomes an element of records::built_in_models, in the library
# sonde_models.
function(embed_models)
  set(generated ${CMAKE_BINARY_DIR}/generated)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/models/*.json)
  list(SORT files)
  set(names "")
  foreach(file IN LISTS files)
    cmake_path(GET file STEM LAST_ONLY name)
    list(APPEND names ${name})
  endforeach()
  list(JOIN names "," names)
  set(script ${CMAKE_SOURCE_DIR}/tools/embed_models.cmake)
  add_custom_command(
    OUTPUT ${generated}/built_in_models.cpp
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_SOURCE_DIR}/models -DNAMES=${names}
            -DOUTPUT=${generated}/built_in_models.cpp -P ${script}
    DEPENDS ${files} ${script}
    VERBATIM)
  file(CONFIGURE OUTPUT ${generated}/built_in_models.hpp @ONLY CONTENT
"#pragma once

#include <span>
#include <string_view>

namespace sonde::records {

/// A model device that is compiled into the program, as its file models/NAME.json has it.
struct BuiltInModel {
  std::string_view name;
  std::string_view text;
};

extern const std::span<const BuiltInModel> built_in_models;

}  // namespace sonde::records
")
  add_library(sonde_models STATIC ${generated}/built_in_models.cpp)
  target_link_libraries(sonde_models PUBLIC sonde_options)
endfunction()
