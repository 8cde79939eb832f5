#include "cubcal_nn/infer/model_versions.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/utc_time.h"
#include "cubcal_nn/infer/model_json.h"

namespace cubcal {

namespace {

namespace fs = std::filesystem;

constexpr const char* kVersions = "versions";

/// What a writer left behind or is about to rename is no part of a version.
bool is_passing(const std::string& name) {
  return name.front() == '.' || name == "run.lock" || name.find(".next.") != std::string::npos;
}

std::string description_text(const std::string& folder) {
  return read_text_file((fs::path(folder) / "model.json").string(), kLargestDescription);
}

std::vector<std::string> kept_versions(const std::string& folder) {
  std::vector<std::string> names;
  const fs::path kept = fs::path(folder) / kVersions;
  if (!fs::exists(kept)) return names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kept)) {
    const std::string name = entry.path().filename().string();
    if (!is_passing(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::string version_folder(const std::string& folder, const std::string& version) {
  return (fs::path(folder) / kVersions / version).string();
}

void link_files(const std::string& from, const std::string& to) {
  make_folders(to);
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const std::string name = entry.path().filename().string();
    const fs::file_status status = entry.symlink_status();
    if (is_passing(name) || name == kVersions) continue;
    const std::string target = (fs::path(to) / name).string();
    if (fs::is_directory(status)) {
      link_files(entry.path().string(), target);
    } else if (fs::is_regular_file(status)) {
      std::error_code error;
      fs::create_hard_link(entry.path(), target, error);
      if (error) fs::copy_file(entry.path(), target);
    }
  }
}

void keep_version(const std::string& folder, const ModelIdentity& identity) {
  const std::string target = version_folder(folder, identity.version);
  refuse_link((fs::path(folder) / kVersions).string());
  if (!fs::exists(target)) {
    const std::string part = version_folder(folder, "." + identity.version);
    fs::remove_all(part);
    link_files(folder, part);
    rename_file(part, target);
  } else if (description_text(target) != description_text(folder)) {
    throw DataError("'" + target + "' holds another model than the version " + identity.version +
                    " that is to be kept there: give the model another version");
  }
  for (const char* name : {kReportPage, kModelCard}) fs::remove(fs::path(folder) / name);
}

ModelIdentity following(const ModelIdentity& identity, const std::string& folder) {
  ModelIdentity next = identity;
  for (const std::string& kept : kept_versions(folder)) {
    if (comes_before(next.version, kept)) next.version = kept;
  }
  do {
    next.version = next_version(next.version);
  } while (fs::exists(version_folder(folder, next.version)));
  next.made = utc_time();
  return next;
}

void refuse_version_passed(const std::string& folder, const std::optional<ModelIdentity>& there,
                           const std::string& version) {
  if ((there && there->version == version) || fs::exists(version_folder(folder, version))) {
    throw ArgumentError("the model in '" + folder + "' has a version " + version +
                        " already: give another one");
  }
  if (there && comes_before(version, there->version)) {
    throw ArgumentError("the model in '" + folder + "' has version " + there->version +
                        ", before which " + version + " comes: give a later one");
  }
  for (const std::string& kept : kept_versions(folder)) {
    if (!comes_before(version, kept)) continue;
    throw ArgumentError("the model in '" + folder + "' had version " + kept + ", before which " +
                        version + " comes: give a later one");
  }
}

}  // namespace cubcal
