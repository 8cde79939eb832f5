#include "cubcal_nn/models/registry.h"

#include <algorithm>
#include <utility>

#include "cubcal/core/error.h"
#include "cubcal_nn/models/covidnet_large.h"
#include "cubcal_nn/models/resnet.h"

namespace cubcal {

namespace {

using Maker = std::unique_ptr<Network> (*)(const NetworkOptions&);

const std::vector<std::pair<std::string, Maker>>& makers() {
  static const std::vector<std::pair<std::string, Maker>> all = {
      {"covidnet-large", make_covidnet_large},
      {"resnet18", make_resnet18},
      {"resnet34", make_resnet34},
      {"resnet50", make_resnet50},
      {"resnet50-v1", make_resnet50_v1},
      {"small-resnet", make_small_resnet},
  };
  return all;
}

}  // namespace

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : makers()) names.push_back(name);
  return names;
}

void check_network_name(const std::string& name) {
  std::string known;
  for (const std::string& candidate : network_names()) {
    if (candidate == name) return;
    known += (known.empty() ? "" : ", ") + candidate;
  }
  throw ArgumentError("there is no network named '" + name + "'; the known ones are " + known);
}

std::unique_ptr<Network> make_network(const std::string& name, const NetworkOptions& options) {
  check_network_name(name);
  const auto& all = makers();
  return std::find_if(all.begin(), all.end(),
                      [&name](const auto& each) { return each.first == name; })
      ->second(options);
}

}  // namespace cubcal
