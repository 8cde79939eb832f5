#include "cubcal_nn/models/registry.h"

#include <algorithm>
#include <utility>

#include "cubcal/core/error.h"
#include "cubcal_nn/models/ensemble.h"
#include "cubcal_nn/models/networks.h"

namespace cubcal {

namespace {

using Maker = std::unique_ptr<Network> (*)(const NetworkOptions&);

const std::vector<std::pair<std::string, Maker>>& makers() {
  static const std::vector<std::pair<std::string, Maker>> all = {
      {"convnext-tiny", make_convnext_tiny},
      {"covidnet-large", make_covidnet_large},
      {"densenet121", make_densenet121},
      {"efficientnet-b0", make_efficientnet_b0},
      {"resnet18", make_resnet18},
      {"resnet34", make_resnet34},
      {"resnet50", make_resnet50},
      {"resnet50-v1", make_resnet50_v1},
      {"resnet101", make_resnet101},
      {"small-resnet", make_small_resnet},
      {"vit-s16", make_vit_s16},
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
  const Maker maker = std::find_if(all.begin(), all.end(), [&name](const auto& each) {
                        return each.first == name;
                      })->second;
  if (options.kind != LayerKind::kEnsemble) return maker(options);
  std::vector<std::unique_ptr<Network>> members;
  for (std::size_t i = 0; i < options.members; ++i)
    members.push_back(maker(member_options(options)));
  return make_ensemble(options, std::move(members));
}

}  // namespace cubcal
