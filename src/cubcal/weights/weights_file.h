#pragma once

#include <string>
#include <vector>

#include "cubcal/weights/state_dict.h"

namespace cubcal {

struct WeightsFileOptions {
  std::vector<std::string> ignore = {};  ///< paths to leave out, once the prefix is off
  std::string strip_prefix = {};         ///< what every name starts with; taken off
  /// Tensors of two and more dimensions become float16, which halves the file. Vectors, among them
  /// the statistics of batch norm, are few and stay as they are.
  bool half = false;
};

struct WeightsFileReport {
  std::size_t written = 0;           ///< tensors
  std::vector<std::string> ignored;  ///< by `ignore`
};

/// Writes weights as a safetensors file that read_state_dict reads. Throws DataError for a name
/// without the prefix, where nothing is left to write, and where a value is not finite in the type
/// it is written in.
WeightsFileReport write_weights_file(const std::string& path, const StateDict& weights,
                                     const WeightsFileOptions& options = {});

}  // namespace cubcal
