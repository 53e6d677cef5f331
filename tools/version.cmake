# Writes version.hpp with the project's version and the commit it was built from, only when either changed.
cmake_policy(VERSION 3.25)
find_package(Git QUIET)
set(commit unknown)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(described)
    set(commit ${described})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"#pragma once

namespace sonde {
inline constexpr const char* version = \"@VERSION@\";
inline constexpr const char* commit = \"@commit@\";
}  // namespace sonde
")
