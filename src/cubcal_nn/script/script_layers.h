#pragma once

#include <ATen/core/symbol.h>

#include <vector>

#include "cubcal_nn/bayes/forward_context.h"

/// Operators of our own that take the place of a TorchScript graph's.
namespace cubcal {

/// cubcal::dropout(Tensor x, float rate, int layer, bool channels, int[] draw): dropout whose mask
/// follows from (seed, stream, pass) and the index of the image alone. `channels`: whole channels
/// are dropped, as Dropout2d does. An empty draw leaves x as it is. Where the rows of x cannot be
/// told apart by image, all of them take the mask of the first.
at::Symbol dropout_symbol();
/// The same, changing x.
at::Symbol dropout_in_place_symbol();

/// cubcal::conv2d and cubcal::linear, with the arguments of PyTorch's: by the kernels of
/// panel_layers.h where these take them and no gradient is wanted, else PyTorch's.
at::Symbol conv2d_symbol();
at::Symbol linear_symbol();

/// cubcal::tap(Tensor x): x; marks a value in a graph.
at::Symbol tap_symbol();

/// What the dropout layers of one pass are given: seed, stream, pass, and an index per row.
std::vector<std::int64_t> dropout_draw(const ForwardContext& context, std::int64_t rows);

}  // namespace cubcal
