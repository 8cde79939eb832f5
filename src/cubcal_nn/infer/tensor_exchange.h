#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "cubcal/weights/safetensors.h"
#include "cubcal/weights/state_dict.h"
#include "cubcal_nn/bayes/parameter_store.h"

/// Between the arrays of files and the tensors of networks.
namespace cubcal {

/// A CPU tensor that shares the array's memory and must not outlive it. Throws DataError naming
/// `file` and the entry unless it is float16, float32 or float64.
at::Tensor to_tensor(const NamedArray& entry, const std::string& file);

/// A network's tensors in memory that files can be written from: contiguous, on the CPU.
class HostTensors {
 public:
  explicit HostTensors(const NamedTensors& tensors);
  /// Valid as long as this object.
  std::vector<TensorView> views() const;

 private:
  NamedTensors tensors_;
};

}  // namespace cubcal
