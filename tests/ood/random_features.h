#pragma once

#include <ATen/ATen.h>

#include "cubcal/core/seed_stream.h"
#include "cubcal_nn/ood/detector.h"

namespace cubcal::test {

/// Standard normal, double [rows, columns].
inline at::Tensor random_rows(std::int64_t rows, std::int64_t columns, std::uint64_t stream) {
  at::Tensor values = at::empty({rows, columns}, at::kDouble);
  SeedStream random(77, stream);
  auto* first = values.data_ptr<double>();
  for (std::int64_t i = 0; i < values.numel(); ++i) first[i] = random.normal();
  return values;
}

/// Labelled features of two layers (5 and 8 wide) around class centres, with logits and appearance.
struct TrainingFeatures {
  DetectorInput input;
  at::Tensor labels;
};

inline TrainingFeatures training_features(std::int64_t rows = 300, std::int64_t classes = 3) {
  TrainingFeatures set;
  set.labels = at::arange(rows, at::kLong).remainder(classes);
  std::uint64_t stream = 1;
  for (const std::int64_t width : {5, 8}) {
    const at::Tensor centres = 3 * random_rows(classes, width, stream++);
    set.input.taps.push_back(centres.index_select(0, set.labels) +
                             random_rows(rows, width, stream++));
  }
  set.input.logits = 4 * random_rows(rows, classes, stream);
  set.input.appearance = random_rows(rows, 6, stream + 1);
  return set;
}

/// Nothing like the training features: far off all centres.
inline DetectorInput far_features(std::int64_t rows = 40, std::int64_t classes = 3) {
  return {{12 * random_rows(rows, 5, 101), 12 * random_rows(rows, 8, 102)},
          0.1 * random_rows(rows, classes, 103),
          12 * random_rows(rows, 6, 104)};
}

/// As the training features, drawn anew.
inline DetectorInput near_features(std::int64_t rows = 40, std::int64_t classes = 3) {
  DetectorInput input = training_features(rows, classes).input;
  for (at::Tensor& tap : input.taps) {
    tap = tap + 0.3 * random_rows(tap.size(0), tap.size(1), 200 + tap.size(1));
  }
  return input;
}

inline std::vector<double> values_of(const at::Tensor& tensor) {
  const at::Tensor values = tensor.to(at::kDouble).contiguous();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

}  // namespace cubcal::test
