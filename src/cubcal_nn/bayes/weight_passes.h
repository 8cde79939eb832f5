#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "cubcal_nn/bayes/gradient_watch.h"
#include "cubcal_nn/bayes/parameter_store.h"
#include "cubcal_nn/kernels/noise.h"

namespace cubcal {

/// The sampled weights of S passes: w_s = mu + softplus(rho) * noise_s, each in one flat buffer
/// that layers see through views.
///
/// In training all S graphs are alive together, since CUB-Loss needs the mean prediction of the S
/// passes. The views are autograd leaves whose .grad are views of one flat gradient buffer, so
/// autograd adds into it directly; backward() then folds it into the store's gradients with flat
/// operations: d mu += sum_s g_s and d rho += sigmoid(rho) * sum_s g_s * noise_s.
///
///   passes.draw({seed, step});
///   for s: logits[s] = network.forward(images, network.context(passes, s, true));
///   at::Tensor z = at::stack(logits).detach().requires_grad_();   // [S, B, K]
///   loss(z).backward();
///   passes.backward(logits, z.grad());                            // then add_kl_gradient(...)
///
/// A network without Gaussian parameters passes through the same calls: every pass then has the
/// store's mean weights and backward() fills point_gradient() alone.
class WeightPasses {
 public:
  enum class Use { kPrediction, kTraining };

  /// Prediction needs one weight buffer per slot; training keeps a gradient too (noise is made
  /// again where it is needed) and calls store.enable_gradients() unless done. The store must
  /// outlive the passes.
  WeightPasses(ParameterStore& store, std::size_t slots, Use use);

  std::size_t slots() const { return slots_.size(); }

  /// Draws every slot: slot s takes the noise of pass key.pass + s. softplus(rho) is computed once.
  void draw(const NoiseKey& key);
  /// The same with noise from outside: one flat tensor of variational_size() per slot.
  void draw(const std::vector<at::Tensor>& noise);
  /// For prediction: reads rho once; call again after the store's values have changed.
  void refresh_sigma();
  /// Draws a single slot with the sigma of the last refresh_sigma() or draw() of all.
  void draw_slot(std::size_t slot, const NoiseKey& key);

  const TensorTable& weights(std::size_t slot) const { return slots_[slot].views; }
  /// (seed, stream, pass) of the slot's last draw: dropout in the same pass is keyed by it too.
  const NoiseKey& key(std::size_t slot) const { return slots_[slot].key; }

  /// Runs autograd pass by pass from logits[s] with gradient logits_gradient[s] ([S, B, K]), adding
  /// to the store's gradients, and releases each logits[s] and its graph.
  void backward(std::vector<at::Tensor>& logits, const at::Tensor& logits_gradient);

  /// The pieces of which the other backward() tells.
  void watch(std::vector<GradientPiece> pieces);
  /// The same; `done` is called for each of the watched pieces as soon as the store's gradients are
  /// complete there, which in the last pass they are layer by layer, and may change them.
  void backward(std::vector<at::Tensor>& logits, const at::Tensor& logits_gradient,
                const GradientWatch::Done& done);

 private:
  struct Slot {
    at::Tensor flat;
    at::Tensor given_noise;  ///< where the last draw was with noise from outside
    TensorTable views;
    NoiseKey key;
  };

  ParameterStore& store_;
  Use use_;
  std::vector<Slot> slots_;
  at::Tensor sigma_, slope_;
  at::Tensor gradient_;
  std::optional<GradientWatch> watch_;

  void make_views(Slot& slot);
  GradientPiece all_gaussians() const;
  /// Adds a piece of the gradient of a slot's weights to the store's and zeroes it.
  void fold(const Slot& slot, const GradientPiece& piece);
};

}  // namespace cubcal
