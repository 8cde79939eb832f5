#include "cubcal_nn/infer/model_versions.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/folder_lock.h"
#include "cubcal/io/utc_time.h"
#include "cubcal/record/model_paths.h"
#include "cubcal/record/model_record.h"

namespace cubcal {

namespace {

namespace fs = std::filesystem;

/// What a writer left behind or is about to rename is no part of a version.
bool is_passing(const std::string& name) {
  return name.front() == '.' || name == kLockFile || name.find(".next.") != std::string::npos;
}

/// Without which a version would not work; what else is a link is left out of it.
bool is_model_part(const fs::path& path) {
  return path.extension() == ".safetensors" || path.extension() == ".ts" ||
         path.extension() == ".json";
}

std::string description_text(const ModelPaths& model) {
  return read_text_file(model.description(), kLargestModelRecord);
}

std::vector<std::string> kept_versions(const std::string& folder) {
  std::vector<std::string> names;
  const std::string kept = ModelPaths{folder}.versions();
  if (!fs::exists(kept)) return names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kept)) {
    const std::string name = entry.path().filename().string();
    if (!is_passing(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

void link_file(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::create_hard_link(from, to, error);
  if (error) fs::copy_file(from, to);
}

void link_files(const std::string& from, const std::string& to) {
  const std::string versions = ModelPaths{from}.versions();
  make_folders(to);
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const std::string name = entry.path().filename().string();
    const fs::file_status status = entry.symlink_status();
    if (is_passing(name) || entry.path() == versions) continue;
    const std::string target = (fs::path(to) / name).string();
    if (fs::is_symlink(status) && is_model_part(entry.path())) {
      throw IoError("cannot keep '" + entry.path().string() +
                    "' as part of a version: it is a symbolic link; put the file in its place");
    }
    if (fs::is_directory(status)) {
      link_files(entry.path().string(), target);
    } else if (fs::is_regular_file(status)) {
      link_file(entry.path().string(), target);
    }
  }
}

bool is_kept(const std::string& folder, const ModelIdentity& identity) {
  const ModelPaths model{folder};
  const ModelPaths target = model.version(identity.version);
  if (!fs::exists(target.folder)) return false;
  if (description_text(target) == description_text(model)) return true;
  throw DataError("'" + target.folder + "' holds another model than the version " +
                  identity.version + " in use, which is to be kept there: move it away");
}

void keep_version(const std::string& folder, const ModelIdentity& identity) {
  const ModelPaths model{folder};
  refuse_link(model.versions());
  if (!is_kept(folder, identity)) {
    const std::string part = model.version("." + identity.version).folder;
    fs::remove_all(part);
    link_files(folder, part);
    rename_file(part, model.version(identity.version).folder);
  }
  for (const std::string& path : {model.report(), model.card()}) fs::remove(path);
}

ModelIdentity following(const ModelIdentity& identity, const std::string& folder) {
  ModelIdentity next = identity;
  for (const std::string& kept : kept_versions(folder)) {
    if (comes_before(next.version, kept)) next.version = kept;
  }
  do {
    next.version = next_version(next.version);
  } while (fs::exists(ModelPaths{folder}.version(next.version).folder));
  next.made = utc_time();
  return next;
}

void refuse_version_passed(const std::string& folder, const std::optional<ModelIdentity>& there,
                           const std::string& version) {
  const ModelPaths model{folder};
  if ((there && there->version == version) || fs::exists(model.version(version).folder)) {
    throw ArgumentError("the model in '" + folder + "' has a version " + version +
                        " already: give another one");
  }
  if (there && comes_before(version, there->version)) {
    throw ArgumentError("the model in '" + folder + "' has version " + there->version +
                        ", before which " + version + " comes: give a later one");
  }
  for (const std::string& kept : kept_versions(folder)) {
    if (!comes_before(version, kept)) continue;
    std::string sentence = "the model in '" + folder + "' had version ";
    sentence.append(kept).append(", before which ").append(version);
    throw ArgumentError(sentence + " comes: give a later one");
  }
}

}  // namespace cubcal
