# Writes the C++ file that holds the built-in model devices; called at build time with FOLDER, NAMES (separated by
# commas) and OUTPUT.
string(REPLACE "," ";" names "${NAMES}")
set(elements "")
foreach(name IN LISTS names)
  file(READ ${FOLDER}/${name}.json text)
  string(APPEND elements "    {\"${name}\", R\"MODEL(${text})MODEL\"},\n")
endforeach()
file(WRITE ${OUTPUT}
"#include \"built_in_models.hpp\"

namespace sonde::records {
namespace {

constexpr BuiltInModel models[] = {
${elements}};

}  // namespace

const std::span<const BuiltInModel> built_in_models(models);
}  // namespace sonde::records
")
