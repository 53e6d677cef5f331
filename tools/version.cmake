# Writes version.hpp with the project's version and the commit it was built from, only when either changed. Without a
# repository the commit is what git archive wrote into tools/commit. A repository around it would be another program's.
cmake_policy(VERSION 3.25)
find_package(Git QUIET)
set(commit unknown)
file(STRINGS ${SOURCE}/tools/commit archived LIMIT_COUNT 1)
if(EXISTS ${SOURCE}/.git)
  if(GIT_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(described)
      set(commit ${described})
    endif()
  endif()
elseif(archived MATCHES "^[0-9a-f]+$")
  string(SUBSTRING ${archived} 0 12 commit)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"#pragma once

namespace sonde {
inline constexpr const char* version = \"@VERSION@\";
inline constexpr const char* commit = \"@commit@\";
}  // namespace sonde
")
