#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/answer.h"
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
  /// Path of convolutions on a CPU: "panels", "im2col" or "onednn"; "auto": panels, by which an
  /// image has the same bits alone and among others.
  std::string convolution = "auto";
  std::size_t threads = 0;  ///< of the CPU; 0: as many as the library uses
  /// Stochastic passes; unset: those of the model's verdict, else 80.
  std::optional<std::size_t> passes = {};
  std::uint64_t seed = 0;   ///< of the passes
  std::size_t batch = 256;  ///< images at a time in the network
  /// Which frame of a DICOM file of several, from 0; unset: such files are refused.
  std::optional<std::size_t> dicom_frame = {};
  bool spread = false;  ///< answers say how probabilities differ over passes, where all are taken
  std::optional<AdaptiveStop> adaptive_stop = {};  ///< unset: every image takes all passes
  /// Called on the caller's thread with the steps done and the steps in all.
  std::function<void(std::size_t done, std::size_t of)> progress = {};
  /// Asked now and then, on the caller's thread; true ends the prediction with Interrupted.
  std::function<bool()> interrupted = {};
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

/// On a CPU an image has the same answer, to the bit, whatever other images are given with it; a
/// GPU may round by their number, and by whether it draws or has the draws already. Not to be used
/// by two threads at once; several classifiers may live side by side if their calls do not overlap,
/// since LibTorch keeps threads and convolution path per process: a call sets them and gives them
/// back.
class Classifier {
 public:
  /// `folder` is a model's or a training run's. Throws IoError, DataError, or ArgumentError for an
  /// option outside its domain or a device that is not there.
  explicit Classifier(const std::string& folder, const ClassifierOptions& options = {});
  Classifier(Classifier&&) noexcept;
  Classifier& operator=(Classifier&&) noexcept;
  ~Classifier();

  const ModelFacts& facts() const;

  /// Of any format that is read. Throws IoError or DataError where the file cannot be read.
  Answer predict(const std::string& path);
  Answer predict(const PixelView& image);
  std::vector<Answer> predict(const std::vector<PixelView>& images);
  /// The two halves of the above: an image brought to the model's size, which any number of threads
  /// may ask for at once, also while another predicts, and the answers. Those of another classifier
  /// are refused with ArgumentError where its images have another size.
  std::shared_ptr<const PreparedImage> prepare(const PixelView& image) const;
  std::vector<Answer> predict(const std::vector<std::shared_ptr<const PreparedImage>>& images);
  /// Files that cannot be read are named in their place, the others answered.
  std::vector<FileAnswer> predict_files(const std::vector<std::string>& paths);

 private:
  class Room;
  std::unique_ptr<Room> room_;
};

}  // namespace cubcal
