#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cubcal {

/// Keys of a recipe ("stage2.beta") with the values in force as JSON text, defaults included: what
/// a run was made with stays known when defaults change.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// A model of a stage: after which epoch it was kept, and its metrics on validation data then.
struct KeptModel {
  std::optional<std::int64_t> epoch = {};
  std::map<std::string, double> validation = {};
};

struct StageRecord {
  std::string method;
  std::optional<std::int64_t> epochs = {};
  bool stopped_early = false;
  std::string monitored = {};  ///< the metric that chose `best`
  std::optional<double> seconds = {};
  KeptModel best = {};
  KeptModel last = {};
};

/// Processes that trained together, those of the last part where a run was resumed.
struct DistributedRecord {
  std::int64_t ranks = 1;
  std::string split = {};    ///< "images" or "passes": what of a step they shared out
  std::string backend = {};  ///< "gloo" or "nccl"
};

/// record.json of a finished run: what it was made of and what it came to. A text that is empty and
/// a number without a value are not known.
struct RunRecord {
  std::string program = {};   ///< "cubcal 0.2.0"
  std::string libtorch = {};  ///< its version
  std::string device = {};
  std::string precision = {};
  std::optional<std::int64_t> threads = {};
  std::string convolution = {};
  std::optional<DistributedRecord> distributed = {};  ///< nothing: one process
  std::optional<std::uint64_t> seed = {};
  std::string network = {};
  std::string data = {};  ///< name of the set
  std::string data_hash = {};
  std::string recipe = {};  ///< its text
  std::string recipe_hash = {};
  Settings settings = {};
  /// Of what `model.pretrained` names: the SHA-256 of a file, the weights' hash of a model folder.
  std::string pretrained_hash = {};
  std::optional<double> prior_precision = {};  ///< of a Laplace approximation, as it was fitted
  std::vector<StageRecord> stages = {};
};

void write_run_record(const std::string& path, const RunRecord& record);

/// Fields that are absent stay unknown. Throws DataError, naming the file, where it is not a JSON
/// object, where a field is of the wrong type and where the recipe is not that of its hash.
RunRecord read_run_record(const std::string& path);

}  // namespace cubcal
