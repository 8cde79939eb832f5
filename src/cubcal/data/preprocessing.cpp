#include "cubcal/data/preprocessing.h"

#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

std::string size_text(std::int64_t channels, std::int64_t height, std::int64_t width) {
  return std::to_string(channels) + " x " + std::to_string(height) + " x " + std::to_string(width);
}

void check_images(const at::Tensor& images) {
  if (!images.defined() || images.scalar_type() != at::kByte || images.dim() != 4) {
    throw DataError("images to be preprocessed must be uint8 of shape [N, C, H, W]");
  }
}

/// The constants as float32 [1, C, 1, 1]. Scaling by 1/255 is part of them, so that one
/// multiplication and one addition remain per pixel.
at::Tensor per_channel(const std::vector<double>& values, const at::Tensor& images) {
  const at::Tensor on_host = at::empty({1, static_cast<std::int64_t>(values.size()), 1, 1});
  for (std::size_t c = 0; c < values.size(); ++c) {
    on_host.data_ptr<float>()[c] = static_cast<float>(values[c]);
  }
  return on_host.to(images.device());
}

}  // namespace

void check_preprocessing(const Preprocessing& preprocessing) {
  bool sound = preprocessing.height > 0 && preprocessing.width > 0 && !preprocessing.mean.empty() &&
               preprocessing.mean.size() == preprocessing.standard_deviation.size();
  for (const double mean : preprocessing.mean) sound = sound && std::isfinite(mean);
  for (const double deviation : preprocessing.standard_deviation) {
    sound = sound && std::isfinite(deviation) && deviation > 0;
  }
  if (!sound) {
    throw DataError(
        "preprocessing must have a positive height and width, and a finite mean and "
        "positive standard deviation per channel");
  }
}

Preprocessing fit_preprocessing(const at::Tensor& images) {
  check_images(images);
  if (images.numel() == 0) throw DataError("preprocessing cannot be fitted without images");
  const at::Tensor on_host = images.cpu().contiguous();
  const auto* pixels = on_host.data_ptr<std::uint8_t>();
  const std::int64_t count = images.size(0), channels = images.size(1);
  const std::int64_t plane = images.size(2) * images.size(3);
  Preprocessing result{images.size(2), images.size(3), {}, {}};
  for (std::int64_t c = 0; c < channels; ++c) {
    std::array<std::int64_t, 256> histogram{};
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint8_t* first = pixels + (i * channels + c) * plane;
      for (std::int64_t p = 0; p < plane; ++p) ++histogram[first[p]];
    }
    double sum = 0, square_sum = 0;  // exact below 2^53
    for (std::size_t level = 0; level < histogram.size(); ++level) {
      const double times = static_cast<double>(histogram[level]);
      const double value = static_cast<double>(level);
      sum += times * value;
      square_sum += times * value * value;
    }
    const double total = static_cast<double>(count) * static_cast<double>(plane);
    const double mean = sum / total;
    const double variance = square_sum / total - mean * mean;
    result.mean.push_back(mean / 255);
    result.standard_deviation.push_back(variance > 1e-9 ? std::sqrt(variance) / 255 : 1.0);
  }
  return result;
}

at::Tensor preprocess(const at::Tensor& images, const Preprocessing& preprocessing) {
  check_images(images);
  check_preprocessing(preprocessing);
  if (images.size(1) != preprocessing.channels() || images.size(2) != preprocessing.height ||
      images.size(3) != preprocessing.width) {
    throw DataError("images of " + size_text(images.size(1), images.size(2), images.size(3)) +
                    " do not fit the preprocessing, which was fitted on images of " +
                    size_text(preprocessing.channels(), preprocessing.height, preprocessing.width));
  }
  std::vector<double> scale, shift;
  for (std::size_t c = 0; c < preprocessing.mean.size(); ++c) {
    scale.push_back(1 / (255 * preprocessing.standard_deviation[c]));
    shift.push_back(-preprocessing.mean[c] / preprocessing.standard_deviation[c]);
  }
  return images.to(at::kFloat).mul_(per_channel(scale, images)).add_(per_channel(shift, images));
}

nlohmann::json to_json(const Preprocessing& preprocessing) {
  return {{"height", preprocessing.height},
          {"width", preprocessing.width},
          {"mean", preprocessing.mean},
          {"standard_deviation", preprocessing.standard_deviation}};
}

Preprocessing preprocessing_from_json(const nlohmann::json& object) {
  Preprocessing result;
  try {
    result.height = object.at("height").get<std::int64_t>();
    result.width = object.at("width").get<std::int64_t>();
    result.mean = object.at("mean").get<std::vector<double>>();
    result.standard_deviation = object.at("standard_deviation").get<std::vector<double>>();
  } catch (const nlohmann::json::exception&) {
    throw DataError(
        "preprocessing must be an object with numbers height and width and lists of "
        "numbers mean and standard_deviation");
  }
  check_preprocessing(result);
  return result;
}

}  // namespace cubcal
