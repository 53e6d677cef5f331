#pragma once

#include <string>

namespace sonde::analysis {

/// A number with so many significant digits, without zeros behind them and without an exponent: "29400", "0.75".
std::string number_text(double value, int digits = 3);

/// A share as "0.3 %", "42 %": one digit below ten percent, three from a hundred on.
std::string percent_text(double share);

}  // namespace sonde::analysis
