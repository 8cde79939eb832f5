#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cubcal_nn/models/network.h"

namespace cubcal {

struct HiddenLayer {
  std::string path;
  std::int64_t width;
};

struct HeadDesign {
  std::string path;  ///< of the layer that gives the logits
  std::int64_t features;
  double dropout;
  std::optional<HiddenLayer> hidden = {};  ///< linear and ReLU before the dropout
};

/// What makes logits of features [B, D]: a hidden layer where the design has one, dropout, and a
/// linear layer in float32.
class Head {
 public:
  Head(LayerFactory& layers, const HeadDesign& design, std::int64_t classes);
  /// Taps the input of the last layer, before dropout.
  at::Tensor operator()(const at::Tensor& features, const ForwardContext& context,
                        Features* taps) const;

 private:
  std::optional<Linear> hidden_;
  Dropout dropout_;
  Linear output_;
};

}  // namespace cubcal
