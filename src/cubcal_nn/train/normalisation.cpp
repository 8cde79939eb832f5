#include "cubcal_nn/train/normalisation.h"

#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal_nn/infer/model_folder.h"

namespace cubcal {

namespace {

NormaliseWith automatic_choice(const RunOptions& options) {
  if (options.pretrained.empty()) return NormaliseWith::kTrain;
  return std::filesystem::is_directory(options.pretrained) ? NormaliseWith::kModel
                                                           : NormaliseWith::kImageNet;
}

void normalise_with(Preprocessing& preprocessing, std::size_t channels,
                    const std::vector<double>& mean, const std::vector<double>& deviation,
                    const std::string& whose) {
  if (mean.size() != channels || deviation.size() != channels) {
    throw ArgumentError("images of " + std::to_string(channels) +
                        (channels == 1 ? " channel" : " channels") + " cannot be normalised with " +
                        whose + ", which " + (mean.size() == 1 ? "is" : "are") + " of " +
                        std::to_string(mean.size()) +
                        ": set data.channels, or data.normalise to train or numbers of your own");
  }
  preprocessing.mean = mean;
  preprocessing.standard_deviation = deviation;
  check_preprocessing(preprocessing);
}

}  // namespace

RunPreprocessing run_preprocessing(const ImageSet& set, const RunOptions& options) {
  RunPreprocessing result;
  const NormaliseOptions& normalise = options.normalise;
  result.with =
      normalise.with == NormaliseWith::kAutomatic ? automatic_choice(options) : normalise.with;
  const at::Tensor& images = set.split("train").images;
  // Every pixel is looked at only where their statistics are wanted.
  const auto prepare = result.with == NormaliseWith::kTrain ? fit_preprocessing : preprocessing_for;
  Preprocessing& preprocessing = result.preprocessing;
  preprocessing = prepare(images, options.input_size, options.input_size);
  const auto channels = static_cast<std::size_t>(images.size(1));
  preprocessing.fit = set.fit;
  preprocessing.reduce_to = set.reduce_to;
  preprocessing.dicom_window = set.dicom_window;
  switch (result.with) {
    case NormaliseWith::kImageNet:
      result.source = "ImageNet's";
      normalise_with(preprocessing, channels, kImageNetMean, kImageNetDeviation,
                     "ImageNet's mean and deviation");
      break;
    case NormaliseWith::kModel: {
      if (!std::filesystem::is_directory(options.pretrained)) {
        throw ArgumentError(
            "data.normalise is model, which needs a model folder in model.pretrained");
      }
      const Preprocessing model = read_model_description(options.pretrained).preprocessing;
      result.source = "those of the model it starts from";
      normalise_with(preprocessing, channels, model.mean, model.standard_deviation,
                     "the mean and deviation of the model it starts from");
      break;
    }
    case NormaliseWith::kGiven:
      result.source = "those of the recipe";
      normalise_with(preprocessing, channels, normalise.mean, normalise.standard_deviation,
                     "the recipe's mean and deviation");
      break;
    case NormaliseWith::kAutomatic:
    case NormaliseWith::kTrain: result.source = "those of the training images"; break;
  }
  return result;
}

}  // namespace cubcal
