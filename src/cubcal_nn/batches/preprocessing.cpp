#include "cubcal_nn/batches/preprocessing.h"

#include <ATen/ATen.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "cubcal/core/error.h"
#include "cubcal/dataset/dicom_window.h"
#include "cubcal/io/json_fields.h"
#include "cubcal_nn/batches/levels.h"

namespace cubcal {

namespace {

std::string size_text(std::int64_t channels, std::int64_t height, std::int64_t width) {
  return std::to_string(channels) + " x " + std::to_string(height) + " x " + std::to_string(width);
}

void check_images(const at::Tensor& images) {
  if (!holds_levels(images) || images.dim() != 4) {
    throw DataError("images to be preprocessed must be uint8 or 16-bit of shape [N, C, H, W]");
  }
}

/// The constants as float32 [1, C, 1, 1]. Scaling by 1/largest_level is part of them, so that one
/// multiplication and one addition remain per pixel.
at::Tensor channel_constants(const std::vector<double>& values, const at::Tensor& images) {
  const at::Tensor on_host = at::empty({1, static_cast<std::int64_t>(values.size()), 1, 1});
  for (std::size_t c = 0; c < values.size(); ++c) {
    on_host.data_ptr<float>()[c] = static_cast<float>(values[c]);
  }
  return on_host.to(images.device());
}

/// The middle of the last two axes, as torchvision's CenterCrop.
at::Tensor middle(const at::Tensor& images, std::int64_t height, std::int64_t width) {
  const auto start = [](std::int64_t outer, std::int64_t inner) {
    const std::int64_t margin = outer - inner;
    return margin % 4 == 3 ? margin / 2 + 1 : margin / 2;  // half margins go to the even pixel
  };
  return images.narrow(2, start(images.size(2), height), height)
      .narrow(3, start(images.size(3), width), width);
}

/// Some networks have weights for each place of their input.
constexpr std::int64_t kLargestInput = 2048;

}  // namespace

void check_preprocessing(const Preprocessing& preprocessing) {
  bool sound = preprocessing.height > 0 && preprocessing.width > 0 && !preprocessing.mean.empty() &&
               preprocessing.mean.size() == preprocessing.standard_deviation.size();
  sound = sound && preprocessing.image_height() >= preprocessing.height &&
          preprocessing.image_width() >= preprocessing.width && preprocessing.reduce_to >= 0 &&
          (preprocessing.largest_level == 255 || preprocessing.largest_level == 65535);
  for (const double mean : preprocessing.mean) sound = sound && std::isfinite(mean);
  for (const double deviation : preprocessing.standard_deviation) {
    sound = sound && std::isfinite(deviation) && deviation > 0;
  }
  sound = sound && preprocessing.height <= kLargestInput && preprocessing.width <= kLargestInput;
  if (!sound) {
    throw DataError(
        "preprocessing must have a height and width of 1 to 2048, a stored size that is not "
        "smaller, no negative reduction, "
        "a largest level of 255 or 65535, and a finite mean and positive standard deviation per "
        "channel");
  }
}

Preprocessing preprocessing_for(const at::Tensor& images, std::int64_t height, std::int64_t width) {
  check_images(images);
  if (images.numel() == 0) throw DataError("preprocessing cannot be fitted without images");
  Preprocessing result;
  result.height = height > 0 ? height : images.size(2);
  result.width = width > 0 ? width : images.size(3);
  result.stored_height = images.size(2);
  result.stored_width = images.size(3);
  result.largest_level = largest_level(images);
  if (result.height > images.size(2) || result.width > images.size(3)) {
    throw DataError("the network's input of " + std::to_string(result.height) + " x " +
                    std::to_string(result.width) + " pixels is larger than the images of " +
                    std::to_string(images.size(2)) + " x " + std::to_string(images.size(3)));
  }
  return result;
}

Preprocessing fit_preprocessing(const at::Tensor& images, std::int64_t height, std::int64_t width) {
  Preprocessing result = preprocessing_for(images, height, width);
  const double white = static_cast<double>(result.largest_level);
  for (std::int64_t c = 0; c < images.size(1); ++c) {
    std::vector<std::int64_t> histogram(static_cast<std::size_t>(result.largest_level) + 1, 0);
    for (std::int64_t i = 0; i < images.size(0); ++i) {
      const at::Tensor seen =
          middle(images.narrow(0, i, 1).narrow(1, c, 1), result.height, result.width)
              .cpu()
              .contiguous();
      const std::int64_t count = seen.numel();
      if (result.largest_level == 255) {
        const auto* level = seen.data_ptr<std::uint8_t>();
        for (std::int64_t p = 0; p < count; ++p) ++histogram[level[p]];
      } else {
        const auto* level = seen.data_ptr<std::int16_t>();
        for (std::int64_t p = 0; p < count; ++p) {
          ++histogram[static_cast<std::uint16_t>(level[p])];
        }
      }
    }
    double sum = 0, square_sum = 0, total = 0;  // exact below 2^53
    for (std::size_t level = 0; level < histogram.size(); ++level) {
      const double times = static_cast<double>(histogram[level]);
      const double value = static_cast<double>(level);
      total += times;
      sum += times * value;
      square_sum += times * value * value;
    }
    const double mean = sum / total;
    const double variance = square_sum / total - mean * mean;
    result.mean.push_back(mean / white);
    result.standard_deviation.push_back(variance > 1e-9 ? std::sqrt(variance) / white : 1.0);
  }
  return result;
}

void check_fits(const at::Tensor& images, const Preprocessing& preprocessing) {
  check_images(images);
  check_preprocessing(preprocessing);
  if (images.size(1) != preprocessing.channels() ||
      images.size(2) != preprocessing.image_height() ||
      images.size(3) != preprocessing.image_width()) {
    throw DataError("images of " + size_text(images.size(1), images.size(2), images.size(3)) +
                    " do not fit the preprocessing, which was fitted on images of " +
                    size_text(preprocessing.channels(), preprocessing.image_height(),
                              preprocessing.image_width()));
  }
  if (largest_level(images) != preprocessing.largest_level) {
    throw DataError("images of levels up to " + std::to_string(largest_level(images)) +
                    " do not fit the preprocessing, which was fitted on levels up to " +
                    std::to_string(preprocessing.largest_level));
  }
}

at::Tensor standardise(const at::Tensor& images, const Preprocessing& preprocessing) {
  check_fits(images, preprocessing);
  const double white = static_cast<double>(preprocessing.largest_level);
  std::vector<double> scale, shift;
  for (std::size_t c = 0; c < preprocessing.mean.size(); ++c) {
    scale.push_back(1 / (white * preprocessing.standard_deviation[c]));
    shift.push_back(-preprocessing.mean[c] / preprocessing.standard_deviation[c]);
  }
  return levels_as_float(images)
      .mul_(channel_constants(scale, images))
      .add_(channel_constants(shift, images));
}

at::Tensor preprocess(const at::Tensor& images, const Preprocessing& preprocessing) {
  const at::Tensor standard = standardise(images, preprocessing);
  const bool whole =
      standard.size(2) == preprocessing.height && standard.size(3) == preprocessing.width;
  return whole ? standard
               : middle(standard, preprocessing.height, preprocessing.width).contiguous();
}

nlohmann::json to_json(const Preprocessing& preprocessing) {
  return {{"height", preprocessing.height},
          {"width", preprocessing.width},
          {"mean", preprocessing.mean},
          {"standard_deviation", preprocessing.standard_deviation},
          {"stored_height", preprocessing.image_height()},
          {"stored_width", preprocessing.image_width()},
          {"reduce_to", preprocessing.reduce_to},
          {"fit", image_fit_name(preprocessing.fit)},
          {"largest_level", preprocessing.largest_level},
          {"dicom_window", dicom_window_name(preprocessing.dicom_window)}};
}

Preprocessing preprocessing_from_json(const nlohmann::ordered_json& object) {
  const JsonFields fields(object, "preprocessing");
  Preprocessing result;
  result.height = fields.whole_number("height");
  result.width = fields.whole_number("width");
  result.mean = fields.numbers("mean");
  result.standard_deviation = fields.numbers("standard_deviation");
  result.stored_height = result.height;
  result.stored_width = result.width;
  fields.read("stored_height", result.stored_height);
  fields.read("stored_width", result.stored_width);
  fields.read("reduce_to", result.reduce_to);
  fields.read("largest_level", result.largest_level);
  try {
    if (fields.knows("fit")) result.fit = parse_image_fit(fields.text("fit"));
    if (fields.knows("dicom_window")) {
      result.dicom_window = parse_dicom_window(fields.text("dicom_window"));
    }
  } catch (const ArgumentError& error) {
    throw DataError(std::string("the fit or the DICOM window of preprocessing ") + error.what());
  }
  check_preprocessing(result);
  return result;
}

}  // namespace cubcal
