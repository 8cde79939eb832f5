#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cubcal_nn/models/network.h"

namespace cubcal {

/// "covidnet-large", "resnet18", "resnet34", "resnet50", "resnet50-v1", "small-resnet".
std::vector<std::string> network_names();

/// Throws ArgumentError that lists the known ones where there is no such network.
void check_network_name(const std::string& name);

/// Builds a network with freshly initialised weights. An unknown name throws ArgumentError that
/// lists the known ones.
std::unique_ptr<Network> make_network(const std::string& name, const NetworkOptions& options);

}  // namespace cubcal
