#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "cubcal/core/imagenet.h"
#include "cubcal/dataset/image_fit.h"
#include "cubcal/image/image_file.h"

namespace cubcal {

/// What is done to an image before a network sees it: bring it to the stored size, take the middle
/// of it, scale levels to [0, 1], subtract a mean and divide by a standard deviation per channel.
/// Fitted on the training split, kept with the model, and the same in training, evaluation and
/// prediction.
struct Preprocessing {
  std::int64_t height = 0;  ///< of the network's input
  std::int64_t width = 0;
  std::vector<double> mean;                ///< one per channel, of values in [0, 1]
  std::vector<double> standard_deviation;  ///< one per channel, positive
  std::int64_t stored_height = 0;          ///< of images in memory; 0: that of the input
  std::int64_t stored_width = 0;
  std::int64_t reduce_to = 0;  ///< shorter side an image is made small to before that; 0: none
  ImageFit fit = ImageFit::kStretch;  ///< how an image is brought to the stored size
  std::int64_t largest_level = 255;   ///< 65535 for images of 16 bits
  DicomWindow dicom_window = DicomWindow::kFile;

  std::int64_t channels() const { return static_cast<std::int64_t>(mean.size()); }
  std::int64_t image_height() const { return stored_height > 0 ? stored_height : height; }
  std::int64_t image_width() const { return stored_width > 0 ? stored_width : width; }
};

/// As the mean and the deviation of a preprocessing.
inline const std::vector<double> kImageNetMean(kImageNetRgbMean.begin(), kImageNetRgbMean.end());
inline const std::vector<double> kImageNetDeviation(kImageNetRgbDeviation.begin(),
                                                    kImageNetRgbDeviation.end());

/// Throws DataError where a field is missing or outside its domain.
void check_preprocessing(const Preprocessing& preprocessing);

/// All but mean and deviation, which stay empty: what images of whole levels [N, C, H, W] and the
/// size of a network's input say. Height and width 0: the images' own. Throws DataError where there
/// are no images or they are smaller than the input.
Preprocessing preprocessing_for(const at::Tensor& images, std::int64_t height = 0,
                                std::int64_t width = 0);

/// That, with mean and deviation from all pixels of images of whole levels [N, C, H, W] that a
/// network of this input size sees, exactly (integer sums). A channel that is constant gets a
/// standard deviation of 1.
Preprocessing fit_preprocessing(const at::Tensor& images, std::int64_t height = 0,
                                std::int64_t width = 0);

/// Throws DataError where images are of another size, depth or number of channels.
void check_fits(const at::Tensor& images, const Preprocessing& preprocessing);

/// Levels [N, C, H, W] on any device to float32 [N, C, height, width] on that device. Throws
/// DataError where the images are of another size, depth or number of channels.
at::Tensor preprocess(const at::Tensor& images, const Preprocessing& preprocessing);

/// The same without taking the middle: what augmentation cuts from.
at::Tensor standardise(const at::Tensor& images, const Preprocessing& preprocessing);

nlohmann::json to_json(const Preprocessing& preprocessing);
/// Fields that came later than the first version may be missing. Throws DataError where the object
/// is not what to_json writes.
Preprocessing preprocessing_from_json(const nlohmann::ordered_json& object);

}  // namespace cubcal
