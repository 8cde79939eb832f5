#include "cubcal_nn/script/script_network.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <optional>
#include <utility>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/core/sha256.h"
#include "cubcal_nn/script/script_error.h"
#include "cubcal_nn/script/script_graph.h"
#include "cubcal_nn/script/script_layers.h"
#include "cubcal_nn/script/script_split.h"

namespace cubcal {

namespace {

namespace jit = torch::jit;

const NetworkOptions& checked_kind(const NetworkOptions& options) {
  if (options.kind == LayerKind::kDeterministic || options.kind == LayerKind::kMcDropout) {
    return options;
  }
  throw ArgumentError("a TorchScript network is deterministic or mc-dropout, not " +
                      std::string(layer_kind_name(options.kind)));
}

/// [B, D] of a layer's output: averaged over the pixels of [B, D, H, W], the tokens of [B, T, D].
at::Tensor feature_rows(const at::Tensor& output, std::int64_t rows) {
  const std::int64_t dims = output.dim();
  if (dims < 2 || dims > 4 || output.size(0) != rows) {
    throw DataError(
        "the features of a TorchScript network must be of shape [batch, features], "
        "[batch, tokens, features] or [batch, channels, height, width]");
  }
  if (dims == 2) return output;
  return dims == 3 ? output.mean(1) : output.mean(at::IntArrayRef({2, 3}));
}

class ScriptNetwork : public Network {
 public:
  ScriptNetwork(const NetworkOptions& options, const ScriptNetworkOptions& script,
                std::shared_ptr<const std::string> bytes, const std::string& file)
      : Network(kScriptNetwork, checked_kind(options)),
        file_(file),
        bytes_(std::move(bytes)),
        one_by_one_(script.one_by_one) {
    ScriptGraph loaded = load_script_graph(*bytes_, file, {script.features, options.device});
    if (options.kind == LayerKind::kMcDropout && loaded.dropouts == 0) {
      throw DataError(file +
                      " has no dropout layer, so that its passes would all be alike: give several "
                      "networks, which are then an ensemble, or save it with dropout in it "
                      "(torch.jit.freeze and optimize_for_inference take dropout out)");
    }
    self_ = loaded.module._ivalue();
    has_features_ = loaded.has_features;
    changes_tensors_ = loaded.changes_tensors;
    std::optional<SplitGraph> split;
    if (options.kind == LayerKind::kMcDropout && !one_by_one_) {
      split = split_at_dropout(*loaded.graph);
    }
    if (split) {
      features_in_trunk_ = has_features_ && split->features_in_trunk;
      trunk_.emplace(split->trunk, "trunk");
    }
    head_ = jit::Code(split ? split->head : loaded.graph, "head");
    finish({!has_features_ ? "logits" : script.features.empty() ? "penultimate" : script.features});
  }

  std::vector<NetworkFile> files() const override { return {{sha256(*bytes_), bytes_}}; }

 private:
  at::Tensor run_trunk(const at::Tensor& images, const ForwardContext& /*context*/,
                       Features* features) const override {
    if (!trunk_) return images;
    const jit::Stack outputs = run(*trunk_, {self_, unshared(images)});
    if (features_in_trunk_) tap(outputs.at(1).toTensor(), images.size(0), features);
    return outputs.at(0).toTensor();
  }

  at::Tensor run_head(const at::Tensor& input, const ForwardContext& context,
                      Features* features) const override {
    const bool draws = context.mc_dropout;
    const std::int64_t rows = input.size(0);
    // Rows of what comes out of a trunk are not always the images.
    std::vector<std::int64_t> draw;
    if (draws) draw = dropout_draw(context, context.samples.empty() ? rows : sample_count(context));
    if (!one_by_one_) return run_rows(input, draw, features);
    std::vector<at::Tensor> logits, taps;
    for (std::int64_t row = 0; row < rows; ++row) {
      std::vector<std::int64_t> own = draw;
      if (draws) own = {draw[0], draw[1], draw[2], draw[static_cast<std::size_t>(3 + row)]};
      Features one;
      logits.push_back(
          run_rows(input.narrow(0, row, 1), own, features == nullptr ? nullptr : &one));
      if (features != nullptr) taps.push_back(one.taps.at(0));
    }
    if (features != nullptr) features->taps.push_back(at::cat(taps));
    return at::cat(logits);
  }

  /// What the network may change: other passes and networks see the same images.
  at::Tensor unshared(const at::Tensor& images) const {
    return changes_tensors_ ? images.clone() : images;
  }

  static std::int64_t sample_count(const ForwardContext& context) {
    return static_cast<std::int64_t>(context.samples.size());
  }

  at::Tensor run_rows(const at::Tensor& input, const std::vector<std::int64_t>& draw,
                      Features* features) const {
    const jit::Stack outputs =
        run(head_, {self_, trunk_ ? input : unshared(input), c10::List<std::int64_t>(draw)});
    at::Tensor logits = outputs.at(0).toTensor();
    if (logits.dim() != 2 || logits.size(1) != options().classes) {
      std::string shape;
      for (const std::int64_t extent : logits.sizes()) {
        shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
      }
      const bool is_binary = logits.dim() == 2 && logits.size(1) == 1;
      throw DataError(file_ + " gives logits of shape [" + shape + "], and those of " +
                      std::to_string(options().classes) + " classes are [batch, " +
                      std::to_string(options().classes) + "]" +
                      (is_binary ? ": one z for two classes is saved as the logits [0, z]" : ""));
    }
    logits = logits.to(at::kFloat);
    if (!has_features_) {
      tap(logits, logits.size(0), features);
    } else if (!features_in_trunk_) {
      tap(outputs.at(1).toTensor(), logits.size(0), features);
    }
    return logits;
  }

  static void tap(const at::Tensor& output, std::int64_t rows, Features* features) {
    if (features != nullptr) features->taps.push_back(feature_rows(output, rows));
  }

  jit::Stack run(const jit::Code& code, jit::Stack stack) const {
    try {
      jit::InterpreterState(code).run(stack);
    } catch (const std::exception& error) {
      throw DataError(file_ + " could not be run: " + script_problem(error));
    }
    return stack;
  }

  std::string file_;
  std::shared_ptr<const std::string> bytes_;
  bool one_by_one_;
  c10::IValue self_;
  std::optional<jit::Code> trunk_;
  jit::Code head_;
  bool has_features_ = false;
  bool changes_tensors_ = false;
  bool features_in_trunk_ = false;
};

}  // namespace

std::unique_ptr<Network> make_script_network(const NetworkOptions& options,
                                             const ScriptNetworkOptions& script,
                                             std::shared_ptr<const std::string> bytes,
                                             const std::string& file) {
  return std::make_unique<ScriptNetwork>(options, script, std::move(bytes), file);
}

}  // namespace cubcal
