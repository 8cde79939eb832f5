#pragma once

#include <memory>
#include <vector>

#include "cubcal_nn/models/network.h"

namespace cubcal {

/// The options of each network in an ensemble of these.
NetworkOptions member_options(NetworkOptions ensemble);

/// Several deterministic networks of one shape as one (a deep ensemble, Lakshminarayanan et al.,
/// 2017): pass s of prediction is member s, in the order given. Tensors of member s have its number
/// before their names, "member1.conv1.weight". It has no mean weights: where a single pass is asked
/// for, that is the first member. Throws ArgumentError where the members are not as the options
/// say, or differ in features.
std::unique_ptr<Network> make_ensemble(const NetworkOptions& options,
                                       std::vector<std::unique_ptr<Network>> members);

}  // namespace cubcal
