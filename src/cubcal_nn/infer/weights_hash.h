#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cubcal/weights/safetensors.h"
#include "cubcal_nn/infer/model_folder.h"

namespace cubcal {

/// Over names and bytes in the order of the names, whatever the order in the file, and what tells
/// of a network that is in files.
std::string weights_hash(std::vector<TensorView> views,
                         const std::optional<ScriptDescription>& script);
std::string weights_hash(const StateDict& weights, const std::optional<ScriptDescription>& script);

}  // namespace cubcal
