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

/// Throws the DataError that says so where labels [N,K] are one-hot or otherwise more than one
/// number for each sample.
void refuse_one_hot(const NpyHeader& header, const std::string& where);

/// What makes logits of another order [S,N,K], in the words of who wrote them.
struct AxisAdvice {
  const char* of_nsk;
  const char* of_nks;
  const char* of_skn;
};
inline constexpr AxisAdvice kNumpyAxes{"np.swapaxes(logits, 0, 1)", "np.moveaxis(logits, 2, 0)",
                                       "np.swapaxes(logits, 1, 2)"};
inline constexpr AxisAdvice kTorchAxes{"logits.transpose(0, 1)", "logits.permute(2, 0, 1)",
                                       "logits.transpose(1, 2)"};

/// Throws the DataError that says how, where the number of labels beside the logits tells that the
/// samples are another axis of them.
void refuse_swapped_axes(const NpyHeader& header, const std::string& where, std::size_t labels,
                         const AxisAdvice& advice);

/// Throws DataError where columns are asked of a file that holds an array alone.
void refuse_columns(const LogitsReading& reading, const std::string& where);

/// What the arrays of columns are called: "column_sex".
inline const std::string kColumnPrefix = "column_";
/// The array with the hash of the weights that logits were drawn from.
inline constexpr const char* kWeightsHashArray = "weights_hash";

}  // namespace cubcal
