#pragma once

#include <string>

namespace sonde::analysis {

/// How a number is written: in a sentence without zeros behind it, "0.75" and "29400"; in a table with all of its
/// digits, "0.750"; on a screen with its thousands apart too, "29,400".
enum class Written { in_a_sentence, in_a_table, on_a_screen };

/// A number with so many significant digits, never with an exponent.
std::string number_text(double value, int digits = 3, Written how = Written::in_a_sentence);

/// The digits after the point of a number with so many significant ones; negative where some before it are not.
int decimals_of(double value, int digits = 3);

/// A number rounded to so many decimals, which may be negative; what is rounded to zero has no sign.
std::string rounded_text(double value, int decimals, Written how);

/// A share as "0.3 %", "42 %": one digit below ten percent, three from a hundred on.
std::string percent_text(double share);

}  // namespace sonde::analysis
