#pragma once

#include <c10/core/Device.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>

/// A TorchScript file as one graph without calls, which takes images and gives logits. Loading one
/// runs the code in it.
namespace cubcal {

struct ScriptGraphOptions {
  /// The path of the submodule whose output are the features; empty: the input of the last linear
  /// layer where the graph ends in one.
  std::string features = {};
  c10::Device device = c10::Device(c10::DeviceType::CPU);
};

struct ScriptGraph {
  /// (self, images, int[] draw) -> (logits), or (logits, features) where there are features. Every
  /// dropout is one of script_layers.h, drawn whether or not the network was saved for training.
  std::shared_ptr<torch::jit::Graph> graph;
  torch::jit::Module module;  ///< self
  std::size_t dropouts = 0;
  bool has_features = false;
  /// It was traced in eval mode, and what a dropout gives is used more than once. The tracer, for
  /// which such a dropout gives its input, may have taken it for that.
  bool reuses_dropped = false;
  bool changes_tensors = false;  ///< some tensor in place, which may be the images
};

/// Throws DataError, naming the file, for bytes that LibTorch cannot load, for a forward() of other
/// inputs and outputs, for weights other than float32, for batch norms that take the statistics of
/// a batch, for random numbers that are not dropout's, for an encoder layer whose dropout was left
/// out when it was traced, and for a submodule that is not there.
ScriptGraph load_script_graph(const std::string& bytes, const std::string& file,
                              const ScriptGraphOptions& options);

}  // namespace cubcal
