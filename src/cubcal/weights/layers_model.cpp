#include "cubcal/weights/layers_model.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cubcal/core/error.h"
#include "cubcal/io/json_text.h"
#include "cubcal/io/tensor_cells.h"
#include "cubcal/io/utf8.h"
#include "cubcal/weights/tensor_shape.h"

namespace cubcal {

namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "shards are read as they lie in little-endian memory");

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uint64_t kLargestModelJson = std::uint64_t{16} << 20;
constexpr std::uint64_t kMostWeightBytes = std::uint64_t{4} << 30;
constexpr std::size_t kLongestShardName = 255;
/// What Keras and TensorFlow.js take where a layer does not say.
constexpr double kKerasEpsilon = 1e-3;

/// Null where the object lacks the key or is none.
const json* member(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() ? &*found : nullptr;
}

const json& list_member(const json& object, const char* key, const std::string& where) {
  const json* list = member(object, key);
  if (list == nullptr || !list->is_array()) {
    throw DataError(where + " has no list '" + key + "'");
  }
  return *list;
}

const std::string& text_member(const json& object, const char* key, const std::string& where) {
  const json* text = member(object, key);
  if (text == nullptr || !text->is_string()) {
    throw DataError(where + " has no text '" + key + "'");
  }
  return text->get_ref<const std::string&>();
}

void check_shard_name(const std::string& name, const std::string& file) {
  const bool plain = !name.empty() && name.size() <= kLongestShardName && name != "." &&
                     name != ".." && name.find_first_of(std::string("/\\\0", 3)) == name.npos;
  if (!plain) {
    throw DataError("the shard " + in_quotes(name) + " of " + file +
                    " is not the name of a file beside it");
  }
}

/// The bytes of a group of shards, one after another.
class ShardBytes {
 public:
  void append(std::shared_ptr<const ByteSource> shard) {
    left_ += shard->size();
    shards_.push_back(std::move(shard));
  }

  /// Of all shards, before the first is read.
  std::uint64_t left() const { return left_; }

  /// Fills `values` from the next bytes, which must be there.
  void read(NdArray& values) {
    std::size_t filled = 0;
    while (filled < values.byte_size()) {
      const ByteSource& shard = *shards_.at(current_);
      const std::uint64_t in_shard = shard.size() - offset_;
      if (in_shard == 0) {
        ++current_;
        offset_ = 0;
        continue;
      }
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(in_shard, values.byte_size() - filled));
      shard.read_at(offset_, values.bytes() + filled, count);
      offset_ += count;
      filled += count;
    }
    left_ -= filled;
  }

 private:
  std::vector<std::shared_ptr<const ByteSource>> shards_;
  std::size_t current_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t left_ = 0;
};

struct WeightEntry {
  std::string name;
  std::vector<std::size_t> shape;
};

WeightEntry parse_weight(const json& entry, const std::string& file) {
  WeightEntry weight;
  weight.name = text_member(entry, "name", "a weight of " + file);
  const std::string where = "weight " + in_quotes(weight.name) + " of " + file;
  const std::string& dtype = text_member(entry, "dtype", where);
  if (entry.contains("quantization")) {
    throw DataError(where + " is quantised; only float32 weights are read");
  }
  if (dtype != "float32") {
    throw DataError("the dtype of " + where + " is " + in_quotes(dtype) +
                    "; only float32 weights are read");
  }
  const json* shape = member(entry, "shape");
  weight.shape = parse_shape(shape == nullptr ? json() : *shape, where);
  return weight;
}

/// Everything about a group is checked before memory is asked for, so that a short file cannot make
/// the reader ask for much.
class ManifestReader {
 public:
  ManifestReader(std::string file, const OpenShard& open_shard)
      : file_(std::move(file)), open_shard_(open_shard) {}

  void read_group(const json& group, StateDict& weights) {
    std::vector<WeightEntry> entries;
    std::uint64_t expected = 0;
    const std::string where = "a group of " + file_;
    for (const json& entry : list_member(group, "weights", where)) {
      entries.push_back(parse_weight(entry, file_));
      const auto bytes = byte_count(entries.back().shape, sizeof(float));
      if (!bytes || *bytes > kMostWeightBytes - total_) {
        throw DataError("the weights of " + file_ + " are more than " +
                        std::to_string(kMostWeightBytes >> 30) + " GiB");
      }
      total_ += *bytes;
      expected += *bytes;
    }
    ShardBytes shards = open_shards(group);
    if (shards.left() != expected) {
      throw DataError("the shards of a group of " + file_ + " hold " +
                      std::to_string(shards.left()) + " bytes, and its weights ask for " +
                      std::to_string(expected));
    }
    for (WeightEntry& entry : entries) {
      NdArray values(DType::kF32, std::move(entry.shape));
      shards.read(values);
      weights.add(std::move(entry.name), std::move(values));
    }
  }

 private:
  ShardBytes open_shards(const json& group) {
    ShardBytes shards;
    const std::string where = "a group of " + file_;
    for (const json& path : list_member(group, "paths", where)) {
      if (!path.is_string())
        throw DataError("a shard of " + file_ + " has a name that is not a text");
      const std::string& name = path.get_ref<const std::string&>();
      check_shard_name(name, file_);
      if (!names_.insert(name).second) {
        throw DataError("the shard " + in_quotes(name) + " of " + file_ + " is named twice");
      }
      shards.append(open_shard_(name));
    }
    return shards;
  }

  std::string file_;
  const OpenShard& open_shard_;
  std::set<std::string> names_;
  std::uint64_t total_ = 0;
};

/// The layers of a functional or sequential model, written by Keras or by TensorFlow.js.
const json* find_layers(const json& topology) {
  const json* model = member(topology, "model_config");
  const json* config = member(model == nullptr ? topology : *model, "config");
  if (config == nullptr || config->is_array()) return config;
  return member(*config, "layers");
}

std::map<std::string, double> batch_norm_epsilons(const json& model, const std::string& file) {
  std::map<std::string, double> epsilons;
  const json* topology = member(model, "modelTopology");
  const json* layers = topology == nullptr ? nullptr : find_layers(*topology);
  if (layers == nullptr || !layers->is_array()) {
    throw DataError("the modelTopology of " + file + " has no list of layers");
  }
  for (const json& layer : *layers) {
    const json* kind = member(layer, "class_name");
    const json* config = member(layer, "config");
    if (kind == nullptr || config == nullptr || *kind != "BatchNormalization") continue;
    const std::string name = text_member(*config, "name", "a BatchNormalization layer of " + file);
    const json* value = member(*config, "epsilon");
    const double epsilon =
        value == nullptr ? kKerasEpsilon : (value->is_number() ? value->get<double>() : -1);
    if (!(epsilon >= 0 && epsilon <= 1)) {
      throw DataError("the epsilon of layer " + in_quotes(name) + " of " + file +
                      " is not a number from 0 to 1");
    }
    if (!epsilons.emplace(name, epsilon).second) {
      throw DataError("the layer " + in_quotes(name) + " appears twice in " + file);
    }
  }
  return epsilons;
}

fs::path model_json_of(const std::string& path) {
  return fs::is_directory(path) ? fs::path(path) / "model.json" : fs::path(path);
}

}  // namespace

bool is_layers_model(const std::string& path) {
  if (fs::is_directory(path)) return fs::exists(model_json_of(path));
  const FileSource file(path);
  // A safetensors file may begin with the same byte; the eighth of its length is 0 then.
  char first[8] = {};
  if (file.size() < sizeof first) return false;
  file.read_at(0, first, sizeof first);
  return first[0] == '{' && first[7] != 0;
}

LayersModel read_layers_model(const std::string& path) {
  const fs::path file = model_json_of(path);
  return read_layers_model(FileSource(file.string()), [&file](const std::string& name) {
    const fs::path shard = file.parent_path() / name;
    if (fs::is_symlink(shard)) {
      throw DataError("the shard '" + shard.string() + "' is a link, not a file");
    }
    return std::make_shared<FileSource>(shard.string());
  });
}

LayersModel read_layers_model(const ByteSource& model_json, const OpenShard& open_shard) {
  const std::string file = "'" + model_json.name() + "'";
  if (model_json.size() > kLargestModelJson) {
    throw DataError(file + " has " + std::to_string(model_json.size()) +
                    " bytes, more than a model.json may have (" +
                    std::to_string(kLargestModelJson) + ")");
  }
  std::string text(static_cast<std::size_t>(model_json.size()), '\0');
  model_json.read_at(0, text.data(), text.size());
  const json model = parse_json<json>(text, file);
  if (!model.is_object()) throw DataError(file + " is not a JSON object");
  const json* format = member(model, "format");
  if (!model.contains("weightsManifest") || (format != nullptr && *format != "layers-model")) {
    throw DataError(file + " is not the model.json of a TensorFlow.js layers model");
  }
  LayersModel result;
  result.epsilon = batch_norm_epsilons(model, file);
  ManifestReader manifest(file, open_shard);
  for (const json& group : list_member(model, "weightsManifest", file)) {
    manifest.read_group(group, result.weights);
  }
  return result;
}

}  // namespace cubcal
