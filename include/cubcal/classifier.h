#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/decision.h"
#include "cubcal/error.h"

/// A trained model as a program uses it: images in, answers out. Of the component nn.
namespace cubcal {

/// Ends the passes of an image once more of them would hardly change class, accept or refer.
struct AdaptiveStop {
  double error = 0.005;   ///< share of decisions that may differ from those of all passes
  std::size_t first = 8;  ///< passes before the first look, at least 2
  std::size_t block = 4;  ///< passes from one look to the next
  bool gamma = true;      ///< the side of gamma that the confidence lies on is settled too
};

struct ClassifierOptions {
  std::string device = "cpu";      ///< or "cuda", "cuda:N"
  std::string precision = "auto";  ///< of a GPU: "fp32", "tf32" or "bf16", which is auto's
  std::size_t threads = 0;         ///< of the CPU; 0: as many as the library uses
  /// Stochastic passes; unset: those of the model's verdict, else 80.
  std::optional<std::size_t> passes = {};
  std::uint64_t seed = 0;   ///< of the passes
  std::size_t batch = 256;  ///< images at a time in the network
  /// Which frame of a DICOM file of several, from 0; unset: such files are refused.
  std::optional<std::size_t> dicom_frame = {};
  std::optional<AdaptiveStop> adaptive_stop = {};  ///< unset: every image takes all passes
  /// Called on the caller's thread with the steps done and the steps in all.
  std::function<void(std::size_t done, std::size_t of)> progress = {};
  /// Asked now and then, on the caller's thread; true ends the prediction with Interrupted.
  std::function<bool()> interrupted = {};
};

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
};

/// Gray (1 channel) or RGB (3 channels) pixels of 8 or 16 bits, rows from the top without gaps,
/// channels interleaved; 16 bits are native std::uint16_t. Levels run from black at 0 to white at
/// 255 or 65535, as in an image file. Stored values of DICOM are no levels: 12 bits, signed
/// numbers, windows and MONOCHROME1 are dealt with where a file is read, and by the caller here. A
/// view: it owns nothing.
struct PixelView {
  const void* pixels = nullptr;
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 1;
  int bits = 8;
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
  std::string weights_hash;
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
};

/// Predictions of an image depend on no other image given with it. Not to be used by two threads at
/// once; several classifiers may live side by side if their calls do not overlap, since LibTorch
/// keeps threads and convolution path per process: a call sets them and gives them back.
class Classifier {
 public:
  /// `folder` is a model's or a training run's. Throws IoError, DataError, or ArgumentError for an
  /// option outside its domain or a device that is not there.
  explicit Classifier(const std::string& folder, const ClassifierOptions& options = {});
  Classifier(Classifier&&) noexcept;
  Classifier& operator=(Classifier&&) noexcept;
  ~Classifier();

  const ModelFacts& facts() const;

  /// PNG, JPEG or DICOM. Throws IoError or DataError where the file cannot be read.
  Answer predict(const std::string& path);
  Answer predict(const PixelView& image);
  std::vector<Answer> predict(const std::vector<PixelView>& images);
  /// Files that cannot be read are named in their place, the others answered.
  std::vector<FileAnswer> predict_files(const std::vector<std::string>& paths);

 private:
  class Room;
  std::unique_ptr<Room> room_;
};

}  // namespace cubcal
