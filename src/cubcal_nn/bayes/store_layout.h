#pragma once

#include "cubcal_nn/bayes/parameter_store.h"
#include "cubcal_nn/kernels/fused_layout.h"

namespace cubcal {

/// The map of a store's parameters of one kind. Of the point parameters only weights and biases of
/// convolutions and linear layers are in it: those of batch norms are used as they are.
FusedLayout fused_layout_of(const ParameterStore& store, ParameterKind kind);

}  // namespace cubcal
