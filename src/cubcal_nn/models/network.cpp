#include "cubcal_nn/models/network.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "cubcal/core/check.h"
#include "cubcal/core/named_values.h"

namespace cubcal {

namespace {

constexpr NamedValue<HeadKind> kHeads[] = {{"own", HeadKind::kOwn}, {"linear", HeadKind::kLinear}};

LayerFactory make_factory(ParameterStore& store, const NetworkOptions& options) {
  switch (options.kind) {
    case LayerKind::kVariational: return LayerFactory::variational(store);
    case LayerKind::kLastLayer: return LayerFactory::last_layer(store);
    case LayerKind::kMcDropout: return LayerFactory::mc_dropout(store, options.dropout_rate);
    case LayerKind::kDeterministic:
    case LayerKind::kEnsemble: break;
  }
  return LayerFactory::deterministic(store);
}

const NetworkOptions& checked(const NetworkOptions& options) {
  check_classes(static_cast<std::size_t>(std::max<std::int64_t>(0, options.classes)));
  check_at_least("the number of image channels", static_cast<double>(options.channels), 1);
  check_at_least("the image height", static_cast<double>(options.height), 8);
  check_at_least("the image width", static_cast<double>(options.width), 8);
  if (options.dropout_rate && options.kind != LayerKind::kMcDropout) {
    throw ArgumentError("dropout_rate is an option of mc-dropout networks, and this one is " +
                        std::string(layer_kind_name(options.kind)));
  }
  if ((options.kind == LayerKind::kEnsemble) != (options.members > 0)) {
    throw ArgumentError("an ensemble has members, and no other network has");
  }
  return options;
}

}  // namespace

HeadKind parse_head_kind(const std::string& name) {
  return value_named(kHeads, name, "the head of a network");
}

const char* head_kind_name(HeadKind kind) { return name_of(kHeads, kind); }

Network::Network(std::string name, const NetworkOptions& options)
    : name_(std::move(name)),
      options_(checked(options)),
      factory_(make_factory(store_, options_)) {}

void Network::finish(std::vector<std::string> feature_names) {
  feature_names_ = std::move(feature_names);
  store_.allocate(options_.dtype, options_.device);
  initialise(store_, options_.seed);
}

at::Tensor Network::forward(const at::Tensor& images, const ForwardContext& context,
                            Features* features) const {
  return head(trunk(images, context, features), context, features);
}

at::Tensor Network::trunk(const at::Tensor& images, const ForwardContext& context,
                          Features* features) const {
  const NetworkOptions& o = options_;
  if (images.dim() != 4 || images.size(1) != o.channels || images.size(2) != o.height ||
      images.size(3) != o.width) {
    std::string shape;
    for (const std::int64_t extent : images.sizes()) {
      shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
    }
    throw ArgumentError(name_ + " was built for images of shape [batch, " +
                        std::to_string(o.channels) + ", " + std::to_string(o.height) + ", " +
                        std::to_string(o.width) + "], not [" + shape + "]");
  }
  const bool fits = images.scalar_type() == o.dtype || images.scalar_type() == at::kBFloat16;
  if (!fits || images.device().type() != o.device.type()) {
    throw ArgumentError("images must have the type and the device of the network: " + name_ +
                        " is on " + o.device.str());
  }
  return run_trunk(images, context, features);
}

at::Tensor Network::head(const at::Tensor& trunk_output, const ForwardContext& context,
                         Features* features) const {
  return run_head(trunk_output, context, features);
}

ForwardContext Network::mean_context() const { return ForwardContext(store_.mean_weights()); }

ForwardContext Network::context(const WeightPasses& passes, std::size_t slot, bool training) const {
  ForwardContext context(passes.weights(slot));
  context.training = training;
  context.mc_dropout = options_.kind == LayerKind::kMcDropout;
  context.noise = passes.key(slot);
  return context;
}

}  // namespace cubcal
