# Writes the C++ file that holds the built-in model devices, frames, or the schema of records; called at build time with FOLDER, NAMES (separated
# by commas), KIND, VARIABLE and OUTPUT.
string(REPLACE "," ";" names "${NAMES}")
set(elements "")
foreach(name IN LISTS names)
  file(READ ${FOLDER}/${name}.json text)
  string(APPEND elements "    {\"${name}\", R\"MODEL(${text})MODEL\"},\n")
endforeach()
file(WRITE ${OUTPUT}
"#include \"${VARIABLE}.hpp\"

namespace sonde::records {
namespace {

constexpr ${KIND} all[] = {
${elements}};

}  // namespace

const std::span<const ${KIND}> ${VARIABLE}(all);
}  // namespace sonde::records
")
