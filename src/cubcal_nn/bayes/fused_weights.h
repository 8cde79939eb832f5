#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <vector>

#include "cubcal_nn/bayes/folded_norms.h"
#include "cubcal_nn/bayes/forward_context.h"
#include "cubcal_nn/bayes/kl.h"
#include "cubcal_nn/bayes/parameter_store.h"
#include "cubcal_nn/kernels/fused_kernels.h"
#include "cubcal_nn/kernels/noise.h"

namespace cubcal {

/// What WeightPasses does, by the fused kernels: the same draws (to rounding), without noise in
/// memory, laid out and typed for fast convolutions, and with keys in device memory, so that every
/// call below but those marked "host" can be captured in a graph.
///
/// Training:  set_key (host) -> refresh_sigma -> draw -> forward of every slot -> fold.
/// Prediction: refresh_norms (host), refresh_sigma; then per draw set_key (host) -> draw ->
/// forward.
class FusedWeights {
 public:
  struct Options {
    std::size_t slots = 1;                           ///< passes drawn at once
    c10::ScalarType dtype = c10::ScalarType::Float;  ///< of drawn weights: float32 or bfloat16
    bool folded = false;                             ///< batch norms into the convolutions
    std::uint32_t dropout_layers = 0;
  };

  /// The store holds float32 on a device with fused kernels and must outlive the weights.
  FusedWeights(ParameterStore& store, const Options& options);

  std::size_t slots() const { return slots_.size(); }
  c10::ScalarType dtype() const { return options_.dtype; }

  /// Host: slot s takes the noise and dropout masks of pass key.pass + s.
  void set_key(const NoiseKey& key);
  /// Host: reads batch norms' statistics; before the first draw, and after they have changed.
  void refresh_norms();
  /// Reads rho; again after it has changed.
  void refresh_sigma();
  /// With the sigma of the last refresh_sigma().
  void draw();

  /// One slot's weights as a network's layers take them.
  ForwardContext context(std::size_t slot) const;
  /// Slots [first, first + count), with a leading dimension of so many draws.
  struct Part {
    std::size_t first = 0, count = 0;
    TensorTable weights;
  };
  Part part(std::size_t first, std::size_t count) const;
  /// All slots of a part at once, for rows of `images` images. The part outlives the context.
  ForwardContext context(const Part& part, std::int64_t images) const;

  /// The autograd leaves of a slot: its drawn weights and then the point parameters; training calls
  /// need_gradients() once.
  void need_gradients();
  const std::vector<at::Tensor>& leaves(std::size_t slot) const { return slots_[slot].leaves; }

  /// Writes the store's gradients from those of each slot's leaves, KL included, and gives the KL
  /// term (float64, on the device). gradients[s][i] belongs to leaves(s)[i].
  at::Tensor fold(const std::vector<std::vector<at::Tensor>>& gradients, const KlOptions& kl,
                  const KlScale& scale);
  /// Where the last fold() found each gradient.
  struct Addresses {
    std::vector<std::int64_t> gaussian, point, norm;
  };
  const Addresses& addresses() const { return noted_; }
  /// Host: hands the kernels addresses. A captured fold() reads from those of its capture, so they
  /// must be put back before a replay when another fold() has run since.
  void upload(const Addresses& addresses);

 private:
  /// The parameters of one kind. Gaussian ones are drawn anew for each slot; of point parameters
  /// there is one copy, in the type and layout of the drawn ones.
  struct Block {
    FusedLayout layout;
    at::Tensor drawn;  ///< [slots or 1, size]
    FoldedNorms::Rows norm_rows;
    NormAffine affine;     ///< empty unless folded
    at::Tensor addresses;  ///< int64 [slots, segments] of gradients
  };
  struct Slot {
    TensorTable weights;
    std::vector<at::Tensor> leaves;
  };

  ParameterStore& store_;
  Options options_;
  FoldedNorms folded_norms_;
  Block gaussian_, point_;
  std::vector<std::size_t> norms_;  ///< parameters of batch norms, used as they are
  std::vector<Slot> slots_;
  TensorTable all_;  ///< what a part has, of all slots
  at::Tensor sigma_;
  at::Tensor noise_words_;    ///< int32 [slots, 4]
  at::Tensor dropout_words_;  ///< int32 [slots, dropout layers, 4]
  at::Tensor norm_addresses_, norm_places_;
  Addresses noted_;
  at::Tensor kl_weight_, kl_parts_;

  Block make_block(ParameterKind kind, std::size_t copies) const;
  void make_views();
  void put_views(const Block& block, std::size_t slot);
  void put_folded_biases();
  void make_kl_weight(const KlOptions& kl, const KlScale& scale);
};

}  // namespace cubcal
