#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cubcal/io/folder_lock.h"
#include "cubcal/record/model_identity.h"
#include "cubcal/record/model_paths.h"

namespace cubcal {

/// Where a deployment is put together: a folder beside the model's, which takes its place when it
/// is whole. What a deployment that was stopped has done lies in it.
class DeployFolder {
 public:
  /// Throws ArgumentError where `model` is there and holds no model with a name.
  explicit DeployFolder(const std::string& model);

  const std::string& model() const { return model_; }
  /// The folder beside it.
  const std::string& path() const { return path_; }
  ModelPaths files() const { return {path_}; }

  /// Of the model that is there already.
  const std::optional<ModelIdentity>& earlier() const { return earlier_; }

  /// Whether the model that is there was made with these settings and not changed since.
  bool is_done(const nlohmann::ordered_json& settings) const;

  /// Makes the folder, in which one process works at a time: throws FolderTaken. To be held until
  /// finish(). Throws IoError where the model that was there is another one by now.
  FolderLock take() const;

  /// What was done with other settings is removed, but logits and calibration
  /// where those under "drawing" are the same; they are taken from the model that is there, too.
  /// Returns whether something is there to go on with.
  bool begin(const nlohmann::ordered_json& settings) const;

  /// A note that outlives a stop: "calibration", "none". Nothing where there is none of that name.
  std::optional<std::string> note(const std::string& name) const;
  void add_note(const std::string& name, const std::string& text) const;

  /// Takes the model's place, with every earlier version in it. Throws as take(). Returns where the
  /// version that was there lies now; nothing where there was none.
  std::optional<std::string> finish() const;

  /// Removes what one left that was killed once its model was in place.
  void tidy() const;

 private:
  void refuse_changed_model() const;

  std::string model_;
  std::string path_;
  std::optional<ModelIdentity> earlier_;
};

}  // namespace cubcal
