#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cubcal_nn/bayes/gradient_pieces.h"
#include "cubcal_nn/bayes/parameter_store.h"

namespace cubcal {

/// Tells, while autograd is on its way back through a pass, which pieces of the gradient it has
/// completed.
class GradientWatch {
 public:
  using Done = std::function<void(const GradientPiece&)>;

  /// `leaves` are the weights of the pass, one per parameter of the store.
  GradientWatch(const ParameterStore& store, const TensorTable& leaves,
                std::vector<GradientPiece> pieces);

  /// Calls `way_back`, which runs autograd once, and meanwhile `done` for each piece, as soon as it
  /// and all before it are complete: the order is that of the pieces whatever autograd does. Those
  /// that it does not reach come at the end.
  void run(const std::function<void()>& way_back, Done done);

 private:
  struct Progress;
  std::shared_ptr<Progress> progress_;            ///< hooks may outlive the watch in a graph
  std::vector<std::shared_ptr<void>> gathering_;  ///< what adds to a leaf's gradient, with its hook
};

}  // namespace cubcal
