#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "cubcal_nn/bayes/fused_weights.h"
#include "cubcal_nn/kernels/compute_scope.h"
#include "cubcal_nn/kernels/device_graph.h"
#include "cubcal_nn/models/network.h"

namespace cubcal {

/// Monte Carlo prediction of a Gaussian network by fused kernels: batch norms lie in the drawn
/// weights, activations are channels last and bfloat16 where asked. The draws are those of
/// McEngine, the logits equal to rounding of the precision.
///
/// Two ways through it. Many images: pass after pass, each drawing once and then replaying one
/// graph per batch. Few images: all passes at once, every layer under all its draws.
class FusedPrediction {
 public:
  /// The network is Gaussian, float32, on a device with fused kernels, and outlives this.
  FusedPrediction(Network& network, Precision precision);

  struct Passes {
    std::uint64_t seed = 0;
    std::size_t first = 0;
    std::size_t count = 80;
  };
  /// Called between batches; may throw to end the run.
  using Step = std::function<void(std::size_t done, std::size_t of)>;
  /// Makes rows [first, first + count) of the images ready for the network, as float32.
  using Rows = std::function<at::Tensor(std::int64_t first, std::int64_t count)>;

  /// logits float32 [S, N, K] on the device.
  at::Tensor by_pass(const Rows& rows, std::int64_t images, std::int64_t batch,
                     const Passes& passes, const Step& step);
  /// The same for a few images. `keep_draws`: the weights have not changed since the last call, so
  /// draws of the same passes are used again.
  at::Tensor at_once(const at::Tensor& images, const Passes& passes, bool keep_draws);
  /// The weights may change: no draws are used again.
  void forget_draws();

  /// Images up to which at_once is the faster way.
  static constexpr std::int64_t kFewImages = 4;

 private:
  /// A batch whose place does not change, for the graph.
  struct Frame {
    at::Tensor images;
    at::Tensor logits;
    std::unique_ptr<DeviceGraph> graph;
    int eager_runs = 0;
  };

  Network& network_;
  ComputeSettings compute_;
  c10::ScalarType dtype_;
  std::unique_ptr<FusedWeights> one_;
  Frame frame_;  ///< of by_pass()
  /// So many draws at once, for at_once().
  struct Draws {
    std::unique_ptr<FusedWeights> weights;
    FusedWeights::Part whole;
    std::vector<FusedWeights::Part> parts;  ///< for the branches
    std::unique_ptr<DeviceBranches> branches;
    std::optional<Passes> passes;  ///< which they are now
    Frame drawing, kept;           ///< with the drawing, and without
  };
  std::list<Draws> draws_;  ///< the last used first

  at::Tensor typed(const at::Tensor& images) const;
  Draws& draws_of(std::size_t slots, std::int64_t bytes_per_draw);
  /// A frame for so many images and for rows of logits per image.
  void make_frame(Frame& frame, std::int64_t images, std::int64_t draws) const;
  void run_in(Frame& frame, const std::function<void()>& work) const;
  void run_part(const Draws& draws, const Frame& frame, const FusedWeights::Part& part);
};

}  // namespace cubcal
