#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/decision.h"

/// What a model says of an image, and what the model is.
namespace cubcal {

/// What the model says of one image. Uncertainty is in nats; all of it is calibrated where the
/// model carries a calibration.
struct Answer {
  std::size_t label_index = 0;
  std::string label;
  std::vector<double> probabilities;  ///< one per class
  double confidence = 0;              ///< the largest of them
  double total = 0;                   ///< U, in [0, ln K]
  double aleatoric = 0;
  double epistemic = 0;    ///< total - aleatoric, at least 0
  bool sharpened = false;  ///< its region before calibration: sharpen, else soften
  Decision decision = Decision::kRefer;
  std::optional<double> ood_p_value;  ///< where the model carries a verdict
  /// Classes of its prediction set, where the verdict decides by sets.
  std::optional<std::vector<std::size_t>> prediction_set = {};
  std::string reason;      ///< of the decision, a sentence
  std::size_t passes = 0;  ///< taken
  /// Between which the probability of each class lies in nine passes of ten: the 5th and the 95th
  /// percentile. Empty unless asked for, and where passes were stopped early.
  std::vector<double> spread_low = {};
  std::vector<double> spread_high = {};
};

/// An image file, and its answer or why it has none.
struct FileAnswer {
  std::string path;
  std::optional<Answer> answer;
  std::string problem;  ///< one sentence; empty where there is an answer
};

/// What a model is and decides by.
struct ModelFacts {
  std::string name;  ///< of a deployed model; empty as the three after it for any other
  std::string version;
  std::string status;  ///< "research", "validation", "clinical" or "retired"
  std::string intended_use;
  std::string decision_hash;  ///< of all that answers follow from; empty for older models
  std::string network;
  std::vector<std::string> class_names;
  std::string calibration;  ///< the method; empty: none
  double eta = 0;           ///< U above it is uncertain, nats
  /// U above it is referred: the verdict's, else eta; infinite where sets decide.
  double refer_above = 0;
  /// Accepted is what has a prediction set at this level (0.9) that holds the answer alone; unset:
  /// U decides.
  std::optional<double> set_level = {};
  std::optional<std::string> detector;  ///< of the verdict, where there is one
  double alpha = 0;                     ///< p at or below it is out of scope
  std::size_t passes = 0;               ///< taken of an image at most
  std::size_t verdict_passes = 0;       ///< the verdict's threshold is for; 0: no verdict
  std::size_t probes = 0;           ///< images that no verdict may accept, shown when it was fitted
  std::size_t probes_accepted = 0;  ///< those it accepts: more than 1% is a verdict not to rely on
  std::uint64_t seed = 0;           ///< of the passes
  std::size_t height = 0;           ///< of the images the network is given
  std::size_t width = 0;
  std::size_t channels = 0;
  std::string dicom_window;      ///< "file", "percentile" or "full"
  std::string weights_hash;      ///< of the weights
  std::string description_hash;  ///< of model.json: weights, calibration and verdict
  std::string data;              ///< the training set by name; empty: not known
  std::string data_hash;         ///< of the training set; empty: not known
  std::string compute;    ///< where and how answers are computed: "cpu, panels", "cuda, bf16"
  std::string processor;  ///< its kind: "aarch64", "x86_64, AVX2", or a GPU's name
};

/// An image as a model takes it; only its classifier knows what is in it.
class PreparedImage {
 public:
  PreparedImage() = default;
  virtual ~PreparedImage() = default;
  PreparedImage(const PreparedImage&) = delete;
  PreparedImage& operator=(const PreparedImage&) = delete;
};

}  // namespace cubcal
