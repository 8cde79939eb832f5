#pragma once

#include <optional>
#include <string>

#include "cubcal/io/folder_lock.h"
#include "cubcal/record/model_identity.h"
#include "cubcal/record/model_paths.h"

namespace cubcal {

/// Of the file of a verdict's detector, by which model.json knows it, in this field of its verdict.
inline constexpr const char* kDetectorHashField = "detector_hash";
std::string detector_hash(const std::string& path);

/// The right to change the model in a folder, which one process has at a time, as long as this
/// lives. New weights, a new detector and calibration.json of a new calibration lie under another
/// name until model.json tells of them, and then take their own: where a writer was killed between
/// the two steps, the second is done here, before what is there is kept as a version or replaced.
class ModelChange {
 public:
  /// `folder` must exist: that of model.json, not that of a run. Waits a minute for another process
  /// before it throws FolderTaken; throws IoError where the folder cannot be written.
  explicit ModelChange(const std::string& folder);

  const ModelPaths& paths() const { return paths_; }

  /// Rewrites model.json with a field, whose value is `json`, everything else but a version as it
  /// was. `identity`: instead of the version after the model's own.
  void attach(const std::string& field, const std::string& json,
              const std::optional<ModelIdentity>& identity = {}) const;
  /// Rewrites it with this identity.
  void name(const ModelIdentity& identity) const;

 private:
  ModelPaths paths_;
  FolderLock lock_;
};

}  // namespace cubcal
