#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cubcal_nn/infer/model_folder.h"

/// The TorchScript files of a model folder. Each has its name from its content, so that a model
/// that is being replaced keeps its own until model.json names the new ones.
namespace cubcal {

/// TorchScript of one or several files as a network: one is MC dropout and several an ensemble, as
/// the description has it. Runs their code. `names` is what errors call them.
std::unique_ptr<Network> make_script_model(
    const ModelDescription& description,
    const std::vector<std::shared_ptr<const std::string>>& files,
    const std::vector<std::string>& names, c10::Device device);

/// The same from a model's folder. Throws DataError where a file is missing or is not the one the
/// model was made with, before anything of it is run.
std::unique_ptr<Network> load_script_model(const std::string& folder,
                                           const ModelDescription& description, c10::Device device);

/// The bytes of a file to be trusted. Throws IoError, and DataError beyond 4 GiB.
std::shared_ptr<const std::string> read_script_file(const std::string& path);

/// The network's files in a folder. Those that were not there before go again with this object,
/// unless keep() was called or model.json names them: a save that fails leaves none behind.
class WrittenScriptFiles {
 public:
  /// Throws IoError, before anything is written, where one of them is a link.
  WrittenScriptFiles(const std::string& folder, const Network& network);
  ~WrittenScriptFiles();
  WrittenScriptFiles(const WrittenScriptFiles&) = delete;
  WrittenScriptFiles& operator=(const WrittenScriptFiles&) = delete;

  void keep() { fresh_.clear(); }

 private:
  struct Fresh {
    std::string path;
    std::string sha256;
  };

  void remove_fresh();

  std::string description_;  ///< path of model.json
  std::vector<Fresh> fresh_;
};

/// Removes those of earlier models.
void remove_other_script_files(const std::string& folder, const Network& network);

}  // namespace cubcal
