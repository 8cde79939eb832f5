#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "cubcal/io/byte_source.h"
#include "cubcal/weights/state_dict.h"

/// A TensorFlow.js layers model: `model.json`, which holds the network as Keras describes it and a
/// manifest of its weights, beside files ("shards") with the bytes of the weights one after
/// another. Reading it can run no code.
namespace cubcal {

struct LayersModel {
  StateDict weights;                      ///< under Keras' names, "conv1/kernel", in their order
  std::map<std::string, double> epsilon;  ///< of the BatchNormalization layers, by layer
};

/// Opens the shard of this name. A name is one of a plain file: the reader refuses all others.
using OpenShard = std::function<std::shared_ptr<const ByteSource>(const std::string& name)>;

/// Whether the path is one to try: a folder with a model.json, or a file that begins as JSON does.
bool is_layers_model(const std::string& path);

/// `path` is the model's folder or its model.json; shards lie beside that and may not be links.
/// Throws DataError unless all weights are float32, not quantised, and the shards of each group
/// hold exactly the bytes that the shapes ask for.
LayersModel read_layers_model(const std::string& path);
LayersModel read_layers_model(const ByteSource& model_json, const OpenShard& open_shard);

}  // namespace cubcal
