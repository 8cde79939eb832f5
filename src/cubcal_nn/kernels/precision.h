#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <string>

namespace cubcal {

/// In which numbers a network computes on a GPU. Weights, gradients of the flat buffers, losses and
/// logits are float32 whatever is chosen; a CPU always computes in float32.
enum class Precision {
  kAuto,  ///< bf16 on a GPU, fp32 on a CPU
  kFp32,  ///< float32 throughout
  kTf32,  ///< float32, with products rounded to 10 bits of mantissa
  kBf16   ///< activations and drawn weights as bfloat16, sums in float32
};

/// "auto", "fp32", "tf32" or "bf16"; anything else throws ArgumentError.
Precision parse_precision(const std::string& name);
const char* precision_name(Precision precision);

/// How networks compute.
struct ComputeOptions {
  Precision precision = Precision::kAuto;
  bool fused = true;  ///< fused kernels and graphs on a GPU; false: operator by operator
};

/// What `precision` means on `device`: never kAuto. Throws ArgumentError for tf32 and bf16 on a
/// CPU.
Precision resolve_precision(Precision precision, c10::Device device);

/// The type of activations under a resolved precision.
c10::ScalarType activation_type(Precision resolved);

}  // namespace cubcal
