#pragma once

#include <cstddef>
#include <string>

#include "cubcal/core/error.h"

/// The vocabulary of argument checks. Each throws ArgumentError with a sentence of the form
/// "<name> must be <accepted>, not <value>".
namespace cubcal {

/// Shortest decimal text that reads back as the same double.
std::string to_text(double value);
/// With so many decimals; never "-0.00".
std::string fixed(double value, int decimals);
/// "84.2" of 0.842, for columns that say so, and "84.2%".
std::string in_percent(double share, int decimals = 1);
std::string percent(double share, int decimals = 1);
/// To so many significant digits, with an exponent where that is shorter.
std::string significant(double value, int digits);

void check_finite(const char* name, double value);
void check_positive(const char* name, double value);
void check_at_least(const char* name, double value, double lower);
/// lower <= value <= upper, and not NaN.
void check_in_closed(const char* name, double value, double lower, double upper);
/// lower < value < upper, and not NaN.
void check_in_open(const char* name, double value, double lower, double upper);
/// At least two classes: with one there is nothing to be uncertain about.
void check_classes(std::size_t classes);
void check_same_size(const char* name, std::size_t size, const char* other_name,
                     std::size_t other_size);

}  // namespace cubcal
