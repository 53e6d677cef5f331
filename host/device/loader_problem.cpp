#include "device/loader_problem.hpp"

namespace sonde::device {

std::string loader_problem(const std::string& api, const std::string& package, const os::Library& loader) {
  const std::string where = os::who_has_loader(package);
  if (loader.is_missing()) return "no " + api + " loader; install one " + where;
  return "the " + api + " loader is there, and cannot be loaded; install it again, for this kind of processor " +
         where + (loader.why_not().empty() ? "" : ". The system says: " + loader.why_not());
}

}  // namespace sonde::device
