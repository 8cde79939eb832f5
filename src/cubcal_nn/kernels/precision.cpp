#include "cubcal_nn/kernels/precision.h"

#include "cubcal/core/named_values.h"

namespace cubcal {

namespace {

constexpr NamedValue<Precision> kPrecisions[] = {{"auto", Precision::kAuto},
                                                 {"fp32", Precision::kFp32},
                                                 {"tf32", Precision::kTf32},
                                                 {"bf16", Precision::kBf16}};

}  // namespace

Precision parse_precision(const std::string& name) {
  return value_named(kPrecisions, name, "precision");
}

const char* precision_name(Precision precision) { return name_of(kPrecisions, precision); }

Precision resolve_precision(Precision precision, c10::Device device) {
  if (device.is_cuda()) return precision == Precision::kAuto ? Precision::kBf16 : precision;
  if (precision == Precision::kAuto) return Precision::kFp32;
  if (precision != Precision::kFp32) {
    throw ArgumentError("precision " + std::string(precision_name(precision)) +
                        " needs a GPU: on the CPU networks compute in fp32");
  }
  return precision;
}

c10::ScalarType activation_type(Precision resolved) {
  return resolved == Precision::kBf16 ? at::kBFloat16 : at::kFloat;
}

}  // namespace cubcal
