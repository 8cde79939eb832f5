#pragma once

#include <string>

#include "cubcal/data/image_set.h"
#include "cubcal/data/preprocessing.h"
#include "cubcal/train/run_options.h"

namespace cubcal {

/// What a run does to its images before its networks see them, and in words where the mean and
/// deviation come from.
struct RunPreprocessing {
  Preprocessing preprocessing;
  NormaliseWith with;  ///< never kAutomatic
  std::string source;  ///< "ImageNet's", "those of the training images", ...
};

/// Sizes, depth and reduction from the set; mean and deviation as the options say. `kAutomatic` is
/// kModel where the run starts from a model folder, kImageNet where it starts from a file of
/// weights, which carries no statistics but was made by programs that use these, else kTrain.
/// Throws ArgumentError where what is asked for is not to be had: other channels, no model folder.
RunPreprocessing run_preprocessing(const ImageSet& set, const RunOptions& options);

}  // namespace cubcal
