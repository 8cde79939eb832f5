#include "cubcal_nn/kernels/precision.h"

#include <ATen/Context.h>

#include "cubcal/core/error.h"

namespace cubcal {

Precision parse_precision(const std::string& name) {
  for (const Precision precision :
       {Precision::kAuto, Precision::kFp32, Precision::kTf32, Precision::kBf16}) {
    if (name == precision_name(precision)) return precision;
  }
  throw ArgumentError("precision must be auto, fp32, tf32 or bf16, not '" + name + "'");
}

const char* precision_name(Precision precision) {
  switch (precision) {
    case Precision::kAuto: return "auto";
    case Precision::kFp32: return "fp32";
    case Precision::kTf32: return "tf32";
    case Precision::kBf16: return "bf16";
  }
  return "unknown";
}

Precision resolve_precision(Precision precision, c10::Device device) {
  if (device.is_cuda()) return precision == Precision::kAuto ? Precision::kBf16 : precision;
  if (precision == Precision::kAuto) return Precision::kFp32;
  if (precision != Precision::kFp32) {
    throw ArgumentError("precision " + std::string(precision_name(precision)) +
                        " needs a GPU: on the CPU networks compute in fp32");
  }
  return precision;
}

c10::ScalarType set_precision(Precision resolved) {
  const bool rounded = resolved != Precision::kFp32;
  at::globalContext().setAllowTF32CuDNN(rounded);
  at::globalContext().setAllowTF32CuBLAS(rounded);
  return resolved == Precision::kBf16 ? at::kBFloat16 : at::kFloat;
}

}  // namespace cubcal
