#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace cubcal {

/// What is done to an image's bytes before a network sees them: scale to [0, 1], subtract a mean
/// and divide by a standard deviation per channel. Fitted on the training split, kept with the
/// model, and the same in training, evaluation and prediction.
struct Preprocessing {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::vector<double> mean;                ///< one per channel, of values in [0, 1]
  std::vector<double> standard_deviation;  ///< one per channel, positive

  std::int64_t channels() const { return static_cast<std::int64_t>(mean.size()); }
};

/// Throws DataError where a field is missing or outside its domain.
void check_preprocessing(const Preprocessing& preprocessing);

/// From all pixels of uint8 images [N, C, H, W], exactly (integer sums). A channel that is constant
/// gets a standard deviation of 1.
Preprocessing fit_preprocessing(const at::Tensor& images);

/// uint8 [N, C, H, W] on any device to float32 of the same shape on that device. Throws DataError
/// where the images are of another size or number of channels.
at::Tensor preprocess(const at::Tensor& images, const Preprocessing& preprocessing);

nlohmann::json to_json(const Preprocessing& preprocessing);
/// Throws DataError where the object is not what to_json writes.
Preprocessing preprocessing_from_json(const nlohmann::json& object);

}  // namespace cubcal
