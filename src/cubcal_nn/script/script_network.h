#pragma once

#include <memory>
#include <string>

#include "cubcal_nn/models/network.h"

namespace cubcal {

/// The name under which models have such a network; the registry has none of it.
inline constexpr const char* kScriptNetwork = "torchscript";

struct ScriptNetworkOptions {
  std::string features = {};  ///< see ScriptGraphOptions
  /// Images go through it one by one, since among others they would be predicted otherwise.
  bool one_by_one = false;
};

/// A network from a TorchScript file: deterministic, or MC dropout with every dropout layer drawn
/// by our masks, so that passes follow from their seed and images do not see each other. What
/// comes before the first dropout runs once for all passes where the graph can be cut there.
/// Features are those of the layer named, averaged over pixels or tokens; else the input of the
/// last linear layer; where there is none, the logits ("logits").
///
/// Reading the bytes runs code in them: only for files that are trusted. `file` is what errors name
/// it by. Throws as load_script_graph does, and DataError for an MC-dropout network without
/// dropout.
std::unique_ptr<Network> make_script_network(const NetworkOptions& options,
                                             const ScriptNetworkOptions& script,
                                             std::shared_ptr<const std::string> bytes,
                                             const std::string& file);

}  // namespace cubcal
