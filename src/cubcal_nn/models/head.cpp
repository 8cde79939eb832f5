#include "cubcal_nn/models/head.h"

#include <ATen/ATen.h>

namespace cubcal {

namespace {

std::optional<Linear> hidden_layer(LayerFactory& layers, const HeadDesign& design) {
  if (!design.hidden) return std::nullopt;
  return layers.linear(design.hidden->path, design.features, design.hidden->width);
}

}  // namespace

Head::Head(LayerFactory& layers, const HeadDesign& design, std::int64_t classes)
    : hidden_(hidden_layer(layers, design)),
      dropout_(layers.dropout(design.dropout)),
      output_(layers.output(design.path, design.hidden ? design.hidden->width : design.features,
                            classes)) {}

at::Tensor Head::operator()(const at::Tensor& features, const ForwardContext& context,
                            Features* taps) const {
  const at::Tensor last = hidden_ ? (*hidden_)(features, context).relu() : features;
  if (taps != nullptr) taps->taps.push_back(last);
  return output_.in_float(dropout_(last, context), context);
}

}  // namespace cubcal
