#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/core/nd_array.h"
#include "cubcal/io/npz.h"
#include "cubcal/sample_column.h"

namespace cubcal {

/// What an .npz file of logits holds (logits_file.h), in the order in which it is written. What is
/// empty is left out.
struct LogitsArrays {
  const NdArray& logits;  ///< [S,N,K]
  std::optional<std::vector<std::int64_t>> labels = {};
  std::optional<std::vector<std::int64_t>> group_numbers = {};  ///< groups are numbers or names
  std::vector<std::string> groups = {};
  std::vector<std::string> class_names = {};
  std::string weights_hash = {};
  std::vector<std::string> files = {};
  std::vector<SampleColumn> columns = {};
};

/// Throws ArgumentError where the arrays do not belong together.
void add_logits_arrays(NpzWriter& npz, const LogitsArrays& arrays);

}  // namespace cubcal
