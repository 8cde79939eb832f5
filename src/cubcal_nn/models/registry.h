#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cubcal_nn/models/network.h"

namespace cubcal {

/// By name: convnext-tiny, covidnet-large, densenet121, efficientnet-b0, the residual networks,
/// small-resnet and vit-s16.
std::vector<std::string> network_names();

/// Throws ArgumentError that lists the known ones where there is no such network.
void check_network_name(const std::string& name);

/// Builds a network with freshly initialised weights. An unknown name throws ArgumentError that
/// lists the known ones.
std::unique_ptr<Network> make_network(const std::string& name, const NetworkOptions& options);

}  // namespace cubcal
