#pragma once

#include <cstddef>
#include <string>

#include "cubcal/io/logits_file.h"
#include "cubcal/io/npy.h"

/// What every format asks of logits and of what stands beside them.
namespace cubcal {

/// Checks the head of the logits and gives an [N,K] array its axis of passes. A leading axis of
/// length 1 changes the place of no element, in C or in Fortran order. Throws DataError.
void check_logits(NpyHeader& header, const std::string& where, const LogitsReading& reading);

/// One entry for each sample or class: [length] or [length,1]. Throws DataError.
void check_length(const NpyHeader& header, std::size_t length, const char* axis,
                  const std::string& where);

/// Throws the DataError that says how, where as many labels as an [N,S,K] array has samples stand
/// beside the logits. `swap` is what makes it [S,N,K].
void refuse_swapped_axes(const NpyHeader& header, const std::string& where, std::size_t labels,
                         const char* swap);

/// Throws DataError where columns are asked of a file that holds an array alone.
void refuse_columns(const LogitsReading& reading, const std::string& where);

/// What the arrays of columns are called: "column_sex".
inline const std::string kColumnPrefix = "column_";
/// The array with the hash of the weights that logits were drawn from.
inline constexpr const char* kWeightsHashArray = "weights_hash";

}  // namespace cubcal
