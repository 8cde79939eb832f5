#include "cubcal_nn/bayes/layer_factory.h"

#include <cmath>

#include "cubcal/core/check.h"
#include "cubcal/core/named_values.h"

namespace cubcal {

namespace {

/// The law PyTorch gives linear layers and biases: uniform within 1 / sqrt(fan in).
Initialisation uniform_in(std::int64_t fan_in) {
  return {Initialisation::Law::kUniform, 1.0 / std::sqrt(static_cast<double>(fan_in))};
}

constexpr NamedValue<LayerKind> kKinds[] = {{"deterministic", LayerKind::kDeterministic},
                                            {"variational", LayerKind::kVariational},
                                            {"mc-dropout", LayerKind::kMcDropout},
                                            {"last-layer", LayerKind::kLastLayer},
                                            {"ensemble", LayerKind::kEnsemble}};

}  // namespace

LayerKind parse_layer_kind(const std::string& name) {
  return value_named(kKinds, name, "the kind of a network");
}

const char* layer_kind_name(LayerKind kind) { return name_of(kKinds, kind); }

bool has_gaussians(LayerKind kind) {
  return kind == LayerKind::kVariational || kind == LayerKind::kLastLayer;
}

LayerFactory::LayerFactory(ParameterStore& store, LayerKind kind,
                           std::optional<double> dropout_rate)
    : store_(store), kind_(kind), dropout_rate_(dropout_rate) {}

LayerFactory LayerFactory::deterministic(ParameterStore& store) {
  return {store, LayerKind::kDeterministic, std::nullopt};
}

LayerFactory LayerFactory::variational(ParameterStore& store) {
  return {store, LayerKind::kVariational, std::nullopt};
}

LayerFactory LayerFactory::last_layer(ParameterStore& store) {
  return {store, LayerKind::kLastLayer, std::nullopt};
}

LayerFactory LayerFactory::mc_dropout(ParameterStore& store, std::optional<double> dropout_rate) {
  return {store, LayerKind::kMcDropout, dropout_rate};
}

ParameterKind LayerFactory::weight_kind() const {
  return kind_ == LayerKind::kVariational ? ParameterKind::kVariational : ParameterKind::kPoint;
}

Conv2d LayerFactory::conv2d(const std::string& path, const Conv2dOptions& options) {
  check_at_least("groups", static_cast<double>(options.groups), 1);
  if (options.in_channels % options.groups != 0 || options.out_channels % options.groups != 0) {
    throw ArgumentError("the channels of " + path + " must be multiples of its " +
                        std::to_string(options.groups) + " groups");
  }
  const std::int64_t area = options.kernel * options.kernel;
  const std::int64_t fan_in = options.in_channels / options.groups * area;
  const std::int64_t fan_out = options.out_channels * area;
  const double deviation = options.before_relu ? std::sqrt(2.0 / static_cast<double>(fan_out))
                                               : std::sqrt(1.0 / static_cast<double>(fan_in));
  const std::size_t weight = store_.add_parameter(
      path + ".weight",
      {options.out_channels, options.in_channels / options.groups, options.kernel, options.kernel},
      weight_kind(), {Initialisation::Law::kNormal, deviation});
  std::optional<std::size_t> bias;
  if (options.bias) {
    bias = store_.add_parameter(path + ".bias", {options.out_channels}, weight_kind(),
                                uniform_in(fan_in));
  }
  return {options, weight, bias};
}

Linear LayerFactory::linear(const std::string& path, std::int64_t in_features,
                            std::int64_t out_features) {
  return add_linear(path, in_features, out_features, weight_kind());
}

Linear LayerFactory::output(const std::string& path, std::int64_t in_features,
                            std::int64_t classes) {
  return add_linear(path, in_features, classes,
                    has_gaussians(kind_) ? ParameterKind::kVariational : ParameterKind::kPoint);
}

Linear LayerFactory::add_linear(const std::string& path, std::int64_t in_features,
                                std::int64_t out_features, ParameterKind kind) {
  const std::size_t weight = store_.add_parameter(path + ".weight", {out_features, in_features},
                                                  kind, uniform_in(in_features));
  const std::size_t bias =
      store_.add_parameter(path + ".bias", {out_features}, kind, uniform_in(in_features));
  return {weight, bias};
}

ConvNorm LayerFactory::conv_norm(const std::string& path, const Conv2dOptions& options,
                                 const std::string& norm_path) {
  const std::size_t weight = store_.parameters().size();
  const Conv2d conv = conv2d(path, options);
  NormFold fold{weight, conv.bias(), 0, 0, 0, 0};
  const BatchNorm2d norm = add_batch_norm(norm_path, options.out_channels, fold);
  store_.add_norm_fold(fold);
  return {conv, norm, fold.norm_bias};
}

BatchNorm2d LayerFactory::batch_norm(const std::string& path, std::int64_t channels) {
  NormFold unused{};
  return add_batch_norm(path, channels, unused);
}

BatchNorm2d LayerFactory::add_batch_norm(const std::string& path, std::int64_t channels,
                                         NormFold& places) {
  places.norm_weight = store_.add_parameter(path + ".weight", {channels}, ParameterKind::kPoint,
                                            {Initialisation::Law::kConstant, 1.0});
  places.norm_bias = store_.add_parameter(path + ".bias", {channels}, ParameterKind::kPoint,
                                          {Initialisation::Law::kConstant, 0.0});
  places.running_mean = store_.add_buffer(path + ".running_mean", {channels}, 0.0);
  places.running_var = store_.add_buffer(path + ".running_var", {channels}, 1.0);
  return {store_, places.norm_weight, places.norm_bias, places.running_mean, places.running_var};
}

LayerNorm LayerFactory::layer_norm(const std::string& path, std::int64_t features) {
  const std::size_t weight = store_.add_parameter(
      path + ".weight", {features}, ParameterKind::kPoint, {Initialisation::Law::kConstant, 1.0});
  const std::size_t bias = store_.add_parameter(path + ".bias", {features}, ParameterKind::kPoint,
                                                {Initialisation::Law::kConstant, 0.0});
  return {weight, bias};
}

PointWeights LayerFactory::point_weights(const std::string& path, std::vector<std::int64_t> shape,
                                         const Initialisation& initialisation) {
  return PointWeights(
      store_.add_parameter(path, std::move(shape), ParameterKind::kPoint, initialisation));
}

Dropout LayerFactory::dropout(double rate) {
  const double chosen = dropout_rate_.value_or(rate);
  check_in_closed("the dropout rate", chosen, 0.0, 0.999);
  return {chosen, dropout_layers_++};
}

}  // namespace cubcal
