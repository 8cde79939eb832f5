#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/models/network.h"

namespace cubcal {

/// Of a run that goes on: whether a model it kept is still there, in a form that the end of the run
/// needs. They throw DataError that says what to do. The first: the whole model, of the stage and
/// recipe of `kept` and of its epoch, or of one after `finished` epochs, which a run that was
/// killed may have written before its checkpoint.
void check_kept_model(const std::string& folder, const Provenance& kept, std::int64_t finished);
void check_kept_description(const std::string& folder);

/// The two models of a stage, `best` and `last`. On a fast machine an epoch takes less time than
/// writing its models, so they can be kept in memory for a while and be written later.
class StageModels {
 public:
  /// The network must outlive it.
  StageModels(Network& network, std::string best_folder, std::string last_folder);

  /// The network as it is now is the last model, and where `is_best` the best one too.
  void keep(const ModelDescription& description, bool is_best);
  /// Writes what was kept since the last time; the network is afterwards as it was.
  void write();

 private:
  struct Kept {
    ModelDescription description;
    std::vector<at::Tensor> values;
  };

  Network& network_;
  std::string best_folder_;
  std::string last_folder_;
  std::optional<Kept> best_;
  std::optional<Kept> last_;

  std::vector<at::Tensor> copied_values() const;
  void put_back(const std::vector<at::Tensor>& values);
  void write_kept(const std::string& folder, std::optional<Kept>& kept);
};

}  // namespace cubcal
