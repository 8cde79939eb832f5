#pragma once

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "cubcal_nn/bayes/parameter_store.h"

/// Numbers made by a formula of (name, index), the same here and in make_reference.py.
namespace cubcal::testing_models {

/// Values of [-1, 1) in double: SplitMix64 of (FNV-1a hash of the name) + index, top 24 bits.
inline at::Tensor formula_values(const std::string& name, at::IntArrayRef shape) {
  std::uint64_t start = 14695981039346656037ULL;
  for (const char letter : name) {
    start = (start ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  }
  at::Tensor values = at::empty(shape, at::kDouble);
  double* out = values.data_ptr<double>();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    std::uint64_t x = (start + static_cast<std::uint64_t>(i)) * 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    x ^= x >> 31;
    out[i] = static_cast<double>(x >> 40) * 0x1p-23 - 1.0;
  }
  return values;
}

/// Sets every point parameter and buffer as the script does.
inline void fill_by_formula(ParameterStore& store) {
  const auto ends_with = [](const std::string& name, const std::string& end) {
    return name.size() >= end.size() &&
           name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  const c10::NoGradGuard no_grad;
  for (auto& [name, tensor] : store.named_tensors()) {
    at::Tensor values = formula_values(name, tensor.sizes());
    if (tensor.dim() > 1) {
      values *= std::sqrt(3.0 / static_cast<double>(tensor.numel() / tensor.size(0)));
    } else if (ends_with(name, "running_var") || ends_with(name, "weight")) {
      values = 1.0 + 0.5 * values;
    } else {
      values *= 0.1;
    }
    tensor.copy_(values);
  }
}

}  // namespace cubcal::testing_models
