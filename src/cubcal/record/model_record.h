#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/boundary/thresholds.h"
#include "cubcal/record/model_identity.h"

namespace cubcal {

/// Bytes of model.json that are read and written at most.
inline constexpr std::size_t kLargestModelRecord = std::size_t{16} << 20;

/// A network that TorchScript brings along.
struct ScriptRecord {
  std::vector<std::string> sha256 = {};  ///< of each file
  std::string features = {};             ///< the layer named as that of the features
  bool one_by_one = false;               ///< images are predicted one at a time
};

/// The size of what a network is given.
struct InputRecord {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// model.json, torn into its fields. A text that is empty and a number without a value were absent;
/// a network cannot be made without some of them, which infer/model_json.h asks for. Parts that
/// another room writes and reads are JSON here, null where they are absent.
struct ModelRecord {
  using Json = nlohmann::ordered_json;

  std::optional<std::string> format = {};
  std::optional<std::int64_t> version = {};
  std::optional<ModelIdentity> identity = {};  ///< of a deployed model
  std::string network = {};
  std::string layers = {};
  std::string head = {};  ///< empty: the network's own
  std::optional<std::int64_t> members = {};
  std::optional<ScriptRecord> script = {};
  std::optional<double> dropout_rate = {};
  std::optional<std::int64_t> classes = {};
  std::vector<std::string> class_names = {};
  std::optional<InputRecord> input = {};
  Json preprocessing = {};
  std::optional<double> prior_sigma = {};
  std::optional<Thresholds> thresholds = {};
  Json calibration = {};
  Json provenance = {};  ///< provenance.h
  Json verdict = {};     ///< conformal/verdict_record.h
  std::string weights_hash = {};
  std::string decision_hash = {};  ///< empty in models of versions that wrote none
};

/// The fields of a document. Throws DataError that names a field of a wrong type, and for a
/// document that says it is of another format or version.
ModelRecord model_record_of(const nlohmann::ordered_json& document);
/// Format and version are those of this program, the hash of what answers follow from is left to
/// write_model_document.
nlohmann::ordered_json to_json(const ModelRecord& record);

/// A model.json as it stands, fields that this program does not know included. Throws IoError, and
/// DataError that names the file where it is not a JSON object or was changed by hand.
nlohmann::ordered_json read_model_document(const std::string& path);
/// With the hash of what answers follow from. Nothing is written that could not be read back.
void write_model_document(const std::string& path, nlohmann::ordered_json document);

/// The fields of a file. Throws as the two that it is made of, and always names the file.
ModelRecord read_model_record(const std::string& path);

}  // namespace cubcal
