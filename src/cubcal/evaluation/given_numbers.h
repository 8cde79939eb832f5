#pragma once

#include <cstddef>

#include "cubcal/io/logits_file.h"

namespace cubcal {

/// What the numbers of a file are said to be.
struct GivenNumbers {
  bool probabilities = false;  ///< not logits
  bool binary = false;         ///< one for each sample, that of class 1 of two: the file is [S,N,1]
};

/// Makes a file as it was read one of logits [S,N,K], beside their probabilities where these were
/// given. Returns how many rows did not sum to 1, even within 1e-2, and are divided by their sum.
/// Throws DataError, naming the file, for logits that look like probabilities and for probabilities
/// that are none (see as_distribution).
std::size_t take_numbers(LogitsFile& file, const GivenNumbers& given);

}  // namespace cubcal
