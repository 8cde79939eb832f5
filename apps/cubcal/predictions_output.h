#pragma once

#include <string>
#include <vector>

#include "cubcal/io/logits_file.h"
#include "cubcal/uncertainty/predictive.h"

namespace cubcal::app {

/// Predictions to be written, one for each sample of a file.
struct Predictions {
  Predictive predictive;
  std::vector<double> temperatures;  ///< empty without a calibration, as the regions
  std::vector<std::string> regions;  ///< "sharpen" or "soften", from the unscaled prediction
  bool has_parts = true;             ///< the uncertainty is told apart into aleatoric and epistemic
};

/// Throws ArgumentError unless the name ends in .npz or .csv.
void check_predictions_name(const std::string& path);

/// Probabilities and what follows from them, with labels, groups, files and class names of the file
/// where it has some; .csv has a row for each sample.
void write_predictions(const std::string& path, const LogitsFile& file,
                       const Predictions& predictions);

}  // namespace cubcal::app
