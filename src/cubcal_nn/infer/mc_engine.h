#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/core/nd_array.h"
#include "cubcal_nn/batches/preprocessing.h"
#include "cubcal_nn/bayes/weight_passes.h"
#include "cubcal_nn/infer/fused_prediction.h"
#include "cubcal_nn/models/network.h"

namespace cubcal {

struct McOptions {
  std::size_t passes = 80;     ///< S; 1 for a deterministic network, those of an ensemble at most
  std::size_t first_pass = 0;  ///< draws first_pass, first_pass + 1, ... of the seed
  std::uint64_t seed = 0;      ///< of the weight draws and dropout masks
  std::int64_t batch = 256;    ///< images at a time; bounds the memory and nothing else
  bool mean_weights = false;   ///< a single pass at mean weights without dropout
  bool features = false;       ///< also give the network's feature taps
  ComputeOptions compute;
  /// The weights are those of the last run: for few images on a GPU, draws of the same passes are
  /// then not drawn again.
  bool keep_draws = false;
  /// The index of each image in its data set, by which dropout masks are drawn; empty: its place.
  std::vector<std::int64_t> samples = {};
  /// Called after every batch with the steps done and the steps in all.
  std::function<void(std::size_t done, std::size_t of)> progress = {};
  /// Asked before every batch; true ends the run with Interrupted.
  std::function<bool()> interrupted = {};
};

/// 1 where all passes would be equal (a deterministic network, mean weights), those of an ensemble
/// at most, else options.passes.
std::size_t drawn_passes(const Network& network, const McOptions& options);

struct McOutput {
  NdArray logits;  ///< float32 [S, N, K]
  /// float32 [N, D] per tap: the mean over the passes (over the one pass at mean weights with
  /// McOptions::mean_weights). Empty unless asked for.
  std::vector<NdArray> features;
  std::vector<std::string> feature_names;
};

/// Monte Carlo prediction: a network and S draws of its weights (or dropout masks).
///
/// The draw of pass s follows from (seed, s) alone and is shared by all images; a dropout mask
/// follows from (seed, s, index of the image). Passes are the outer loop and batches the inner one,
/// with one slot of sampled weights, so that memory does not grow with S beyond the output. An
/// MC-dropout network runs its trunk once per image and the head once per pass. A Gaussian network
/// on a GPU with fused kernels goes through FusedPrediction, unless features are wanted.
///
/// Neither batch size nor threads enter any formula. What remains is rounding, where a matrix
/// product sums in another order for another shape: by panels, the usual path of convolutions, none
/// was found, and results are equal bit for bit for any batch size and number of threads (but for
/// attention on x86_64); by im2col on x86_64 batch sizes, and by oneDNN both, differ by some 1e-7
/// of the largest logit.
class McEngine {
 public:
  /// The network and its parameters must outlive the engine. Throws DataError where the
  /// preprocessing is for images of another size or number of channels.
  McEngine(Network& network, const Preprocessing& preprocessing);

  /// images: [N, C, H, W] in levels (see batches/levels.h) on any device. Reads the network's
  /// weights as they are now. Throws ArgumentError for bad options, DataError for images that do
  /// not fit.
  McOutput run(const at::Tensor& images, const McOptions& options);

 private:
  Network& network_;
  Preprocessing preprocessing_;
  std::unique_ptr<WeightPasses> passes_;  ///< made when first needed
  std::unique_ptr<FusedPrediction> fused_;
  Precision fused_precision_ = Precision::kAuto;

  bool goes_fused(const McOptions& options) const;
  McOutput run_fused(const at::Tensor& images, const McOptions& options);
};

}  // namespace cubcal
