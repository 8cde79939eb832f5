#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal_nn/batches/preprocessing.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/infer/weight_import.h"

/// What `cubcal import` is told, and what its ways in share.
namespace cubcal::app {

struct ImportCommand {
  std::vector<std::string> files;
  std::string network;
  std::string head = "own";
  std::size_t classes = 0;
  std::vector<std::string> class_names;
  std::string input;  ///< "3x224x224", instead of size and channels
  std::int64_t size = 224;
  std::int64_t channels = 3;
  std::vector<double> mean;
  std::vector<double> standard_deviation;
  std::string kind = "deterministic";
  std::optional<double> moped;
  std::string key;
  std::uint64_t seed = 0;
  std::string output;
  bool force = false;
  bool half = false;
  bool trust = false;
  std::string features;
  ImportOptions import;

  const std::string& file() const { return files.front(); }
};

/// Size and normalisation of the images. Throws ArgumentError for options that disagree.
Preprocessing preprocessing_of(const ImportCommand& command);
std::vector<std::string> class_names_of(const ImportCommand& command);

/// Throws ArgumentError where -o holds a model that is not to be replaced.
void check_target(const ImportCommand& command);
/// Writes the model to -o, which another process may have filled since. Throws as check_target.
void write_import(const ImportCommand& command, const ModelDescription& description,
                  const Network& network);

/// TorchScript files as a model: one draws dropout, several are an ensemble.
void import_script(const ImportCommand& command);
/// Models as one ensemble.
void import_ensemble(const ImportCommand& command);

}  // namespace cubcal::app
