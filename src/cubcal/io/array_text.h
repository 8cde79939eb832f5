#pragma once

#include <string>
#include <vector>

#include "cubcal/core/nd_array.h"
#include "cubcal/io/npz.h"

namespace cubcal {

/// Each element as text: integers in decimal, numbers in their shortest form, NaN as an empty
/// field, bools as "true" and "false".
std::vector<std::string> texts_of(const NdArray& array);

/// The elements of an array of text or of numbers, as text.
std::vector<std::string> read_as_text(const NpzReader& npz, const std::string& name);

}  // namespace cubcal
