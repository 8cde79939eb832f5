#pragma once

#include <filesystem>
#include <string>

namespace cubcal {

/// Where the parts of a model lie in its folder.
struct ModelPaths {
  std::string folder;

  std::string description() const { return file("model.json"); }
  std::string weights() const { return file("weights.safetensors"); }
  /// The detector of a verdict.
  std::string detector() const { return file("ood.safetensors"); }
  /// New ones have these names until model.json tells of them.
  std::string next_weights() const { return file("weights.next.safetensors"); }
  std::string next_detector() const { return file("ood.next.safetensors"); }
  std::string next_calibration() const { return file("calibration.next.json"); }

  /// The calibration of a deployed model as a file of its own; attaching another replaces it.
  std::string calibration() const { return file("calibration.json"); }
  /// What people read of a version lies beside it and is of no other.
  std::string report() const { return file("report.html"); }
  std::string card() const { return file("model-card.md"); }
  /// What deploying was asked for and what of it is done.
  std::string deploy_state() const { return file("deploy.json"); }
  /// Earlier versions, each a whole model folder.
  std::string versions() const { return file("versions"); }
  ModelPaths version(const std::string& name) const {
    return {(std::filesystem::path(versions()) / name).string()};
  }

  std::string file(const std::string& name) const {
    return (std::filesystem::path(folder) / name).string();
  }
};

}  // namespace cubcal
