#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal_nn/bayes/layers.h"
#include "cubcal_nn/bayes/parameter_store.h"

namespace cubcal {

/// What a network is made of. Deterministic: point weights, dropout in training only. Variational:
/// Gaussian weights. MC dropout: point weights, and passes of prediction draw dropout masks.
/// Last layer: Gaussian weights in the layer that gives the logits, point weights before it.
/// Ensemble: several deterministic networks, each of which is a pass of prediction.
enum class LayerKind { kDeterministic, kVariational, kMcDropout, kLastLayer, kEnsemble };

/// "deterministic", "variational", "mc-dropout", "last-layer" or "ensemble"; anything else throws
/// ArgumentError.
LayerKind parse_layer_kind(const std::string& name);
const char* layer_kind_name(LayerKind kind);
/// Whether a network of this kind has Gaussian weights.
bool has_gaussians(LayerKind kind);

/// Makes layers whose parameters live in a store. A model asks it for every layer and so is written
/// once for all three kinds.
class LayerFactory {
 public:
  static LayerFactory deterministic(ParameterStore& store);
  static LayerFactory variational(ParameterStore& store);
  static LayerFactory last_layer(ParameterStore& store);
  /// dropout_rate replaces the rate of every dropout layer the model asks for.
  static LayerFactory mc_dropout(ParameterStore& store,
                                 std::optional<double> dropout_rate = std::nullopt);

  LayerKind kind() const { return kind_; }
  std::uint32_t dropout_layers() const { return dropout_layers_; }

  /// Parameters "<path>.weight" and "<path>.bias".
  Conv2d conv2d(const std::string& path, const Conv2dOptions& options);
  /// A convolution at `path` and the batch norm after it, at `norm_path`.
  ConvNorm conv_norm(const std::string& path, const Conv2dOptions& options,
                     const std::string& norm_path);
  Linear linear(const std::string& path, std::int64_t in_features, std::int64_t out_features);
  /// The linear layer that gives the logits.
  Linear output(const std::string& path, std::int64_t in_features, std::int64_t classes);
  BatchNorm2d batch_norm(const std::string& path, std::int64_t channels);
  LayerNorm layer_norm(const std::string& path, std::int64_t features);
  /// One parameter of this very path.
  PointWeights point_weights(const std::string& path, std::vector<std::int64_t> shape,
                             const Initialisation& initialisation);
  Dropout dropout(double rate);

 private:
  LayerFactory(ParameterStore& store, LayerKind kind, std::optional<double> dropout_rate);

  ParameterStore& store_;
  LayerKind kind_;
  std::optional<double> dropout_rate_;
  std::uint32_t dropout_layers_ = 0;

  ParameterKind weight_kind() const;
  Linear add_linear(const std::string& path, std::int64_t in_features, std::int64_t out_features,
                    ParameterKind kind);
  /// Notes the norm's places in `places`.
  BatchNorm2d add_batch_norm(const std::string& path, std::int64_t channels, NormFold& places);
};

}  // namespace cubcal
