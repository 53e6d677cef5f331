#pragma once

#include <string>

namespace sonde::analysis {

/// A number with so many significant digits, without zeros behind them and without an exponent: "29400", "0.75".
std::string number_text(double value, int digits = 3);

/// A share with two digits at least: "0.3 %", "42 %".
std::string percent_text(double share);

}  // namespace sonde::analysis
