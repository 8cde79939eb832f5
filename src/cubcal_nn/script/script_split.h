#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <optional>

namespace cubcal {

/// A graph of (self, images, draw) as two, so that passes share what is before the first dropout.
struct SplitGraph {
  std::shared_ptr<torch::jit::Graph> trunk;  ///< (self, images) -> (tensor), or also the features
  std::shared_ptr<torch::jit::Graph> head;   ///< (self, tensor, draw) -> (logits), or also these
  bool features_in_trunk = false;
};

/// Whether some tensor is changed in place.
bool changes_tensors(torch::jit::Graph& graph);

/// Nothing where one tensor is not all that the part behind the first dropout needs of the one
/// before it, or where tensors are changed in place there.
std::optional<SplitGraph> split_at_dropout(torch::jit::Graph& graph);

}  // namespace cubcal
