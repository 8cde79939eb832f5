#include "cubcal_nn/deploy/deploy_folder.h"

#include <fcntl.h>
#include <stdio.h>  // renameat2
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/json_text.h"
#include "cubcal/io/temporary_name.h"
#include "cubcal_nn/infer/model_change.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/infer/model_versions.h"

namespace cubcal {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kDrawing = "drawing";
/// Of a model whose place is being taken: it is nothing to go on with.
constexpr const char* kReplacedNote = "replaced";
constexpr std::size_t kLargestState = 1 << 20;

std::string without_end(const std::string& path) {
  const fs::path whole = fs::path(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).string();
}

std::optional<Json> read_state(const std::string& folder) {
  const std::string path = ModelPaths{folder}.deploy_state();
  if (!fs::exists(path)) return std::nullopt;
  return load_json(path, kLargestState);
}

bool has_settings(const std::string& folder, const Json& settings) {
  const std::optional<Json> state = read_state(folder);
  return state && state->is_object() && state->contains("settings") &&
         (*state)["settings"] == settings;
}

/// What logits and calibration depend on: new thresholds take no new passes.
bool has_same_drawing(const std::string& folder, const Json& settings) {
  const std::optional<Json> state = read_state(folder);
  if (!state || !state->is_object() || !state->contains("settings")) return false;
  const Json& there = (*state)["settings"];
  return there.is_object() && there.contains(kDrawing) && there[kDrawing] == settings[kDrawing];
}

bool is_drawn_file(const ModelPaths& model, const fs::path& path) {
  return path == model.deploy_state() || path == model.calibration() || path.extension() == ".npz";
}

bool is_lock(const fs::directory_entry& entry) { return entry.path().filename() == kLockFile; }

/// What a deployment that is killed at its first file leaves.
bool is_of_no_account(const fs::directory_entry& entry) {
  return is_lock(entry) || (fs::is_regular_file(entry.symlink_status()) &&
                            is_temporary_name(entry.path().filename().string()));
}

template <class Passes>
bool holds_only(const std::string& folder, const Passes& passes) {
  if (!fs::exists(folder)) return true;
  if (!fs::is_directory(folder)) return false;
  const fs::directory_iterator entries(folder);
  return std::all_of(begin(entries), end(entries), passes);
}

bool is_vacant(const std::string& folder) { return holds_only(folder, is_lock); }
/// Of the folder beside the model.
bool is_barely_begun(const std::string& folder) { return holds_only(folder, is_of_no_account); }

/// What is there must be a model with a name, or nothing.
std::optional<ModelIdentity> identity_there(const std::string& model) {
  if (is_vacant(model)) return std::nullopt;
  if (fs::exists(ModelPaths{model}.description())) {
    if (std::optional<ModelIdentity> identity = read_model_description(model).identity) {
      return identity;
    }
  }
  throw ArgumentError("'" + model +
                      "' is there already and holds no deployed model: name another folder");
}

/// Whether that is what the folder holds now.
bool is_there(const std::string& model, const std::optional<ModelIdentity>& identity) {
  try {
    const std::optional<ModelIdentity> now = identity_there(model);
    if (!now || !identity) return !now && !identity;
    return identity_to_json(*now) == identity_to_json(*identity);
  } catch (const ArgumentError&) {
    return false;
  }
}

void write_state(const std::string& folder, const Json& state) {
  write_file_atomically(ModelPaths{folder}.deploy_state(), state.dump(2) + "\n");
}

void note_in(const std::string& folder, const std::string& name, const std::string& text) {
  Json state = read_state(folder).value_or(Json::object());
  state[name] = text;
  write_state(folder, state);
}

bool is_replaced(const std::string& folder) {
  const std::optional<Json> state = read_state(folder);
  return state && state->is_object() && state->contains(kReplacedNote);
}

/// While files go, and after a kill, none that is left is gone on with. The lock stays.
void empty_folder(const std::string& folder) {
  if (is_barely_begun(folder)) return;
  const fs::path state = ModelPaths{folder}.deploy_state();
  if (!is_replaced(folder)) write_state(folder, {{kReplacedNote, "yes"}});
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path() == state || entry.path().filename() == kLockFile) continue;
    fs::remove_all(entry.path());
  }
  fs::remove(state);
}

/// But where another process has made one of this name by now.
void remove_folder(const std::string& folder) {
  empty_folder(folder);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

/// What does not depend on thresholds, from a model that is in use.
void link_drawn_files(const std::string& from, const std::string& to) {
  const ModelPaths model{from};
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const fs::path& path = entry.path();
    if (!is_drawn_file(model, path) || path == model.deploy_state()) continue;
    if (path.extension() == ".npz" && entry.is_symlink()) continue;  // to be drawn again
    refuse_link(path.string());
    link_file(path.string(), (fs::path(to) / path.filename()).string());
  }
}

/// What takes a model's place is put together beside it.
std::string exchangeable(const std::string& model) {
  const std::string name = fs::path(model).filename().string();
  if (name.empty() || name == "." || name == "..") {
    throw ArgumentError("'" + model +
                        "' does not name the folder of a deployed model: give the folder's own "
                        "name");
  }
  const std::string above = fs::path(model).parent_path().string();
  struct stat own {};
  struct stat outer {};
  if (::lstat(model.c_str(), &own) == 0 && S_ISDIR(own.st_mode) &&
      ::stat(above.empty() ? "." : above.c_str(), &outer) == 0 && own.st_dev != outer.st_dev) {
    throw ArgumentError("'" + model +
                        "' is where a file system is mounted, and cannot be exchanged as a whole: "
                        "name a folder within it");
  }
  return model;
}

std::string aside_of(const std::string& model) { return model + ".replaced"; }

/// The two change places at once where the system can do that.
void exchange(const std::string& fresh, const std::string& old) {
#ifdef RENAME_EXCHANGE
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, old.c_str(), RENAME_EXCHANGE) == 0) return;
#endif
  const std::string aside = aside_of(old);
  rename_file(old, aside);
  rename_file(fresh, old);
  rename_file(aside, fresh);
}

std::string begun_beside(const std::string& model) { return model + ".deploying"; }

/// Whether the model that lies aside is kept as a version of the one in its place.
bool follows(const std::string& model, const std::string& aside) {
  const std::optional<ModelIdentity> replaced = read_model_description(aside).identity;
  return replaced && fs::exists(ModelPaths{model}.version(replaced->version).description());
}

/// An exchange in steps that was killed left the model that was there aside. One that is under way
/// has the lock of what it puts in its place.
std::string finish_earlier_exchange(const std::string& model) {
  const std::string aside = aside_of(model);
  if (!is_replaced(aside)) return model;
  std::optional<FolderLock> lock;
  for (const std::string& folder : {begun_beside(model), model}) {
    if (!lock && fs::exists(folder)) lock.emplace(folder);
  }
  if (!is_replaced(aside)) return model;
  if (!fs::exists(model)) {
    rename_file(aside, model);
  } else if (follows(model, aside)) {
    remove_folder(aside);
  } else {
    throw DataError("a deployment that was killed left the model it was to replace in '" + aside +
                    "', and '" + model +
                    "' holds another one, which does not follow it: move either away");
  }
  return model;
}

}  // namespace

DeployFolder::DeployFolder(const std::string& model)
    : model_(finish_earlier_exchange(exchangeable(without_end(model)))),
      path_(begun_beside(model_)),
      earlier_(identity_there(model_)) {
  for (const std::string& path : {model_, path_, ModelPaths{model_}.versions()}) refuse_link(path);
  if (is_barely_begun(path_) || read_state(path_)) return;
  throw ArgumentError("'" + path_ +
                      "', where the deployment would be put together, is there already and was "
                      "not left by one: move it away");
}

bool DeployFolder::is_done(const Json& settings) const {
  return earlier_ && has_settings(model_, settings) && fs::exists(ModelPaths{model_}.report());
}

FolderLock DeployFolder::take() const {
  make_folders(path_);
  FolderLock lock(path_);
  try {
    refuse_changed_model();
  } catch (...) {
    if (is_barely_begun(path_)) remove_folder(path_);
    throw;
  }
  return lock;
}

void DeployFolder::refuse_changed_model() const {
  if (is_there(model_, earlier_)) return;
  throw IoError("the model in '" + model_ +
                "' was changed by another process in the meantime: run the command again, it goes "
                "on with what was done");
}

bool DeployFolder::begin(const Json& settings) const {
  if (is_replaced(path_)) empty_folder(path_);
  if (has_settings(path_, settings)) return true;
  const bool goes_on = has_same_drawing(path_, settings);
  const bool follows = !goes_on && earlier_ && has_same_drawing(model_, settings);
  if (!goes_on) empty_folder(path_);
  Json state = {{"format", "cubcal-deploy"}, {"version", 1}};
  if (follows) {
    write_state(path_, {{kReplacedNote, "yes"}});  // a kill among the links leaves nothing to use
    link_drawn_files(model_, path_);
  }
  if (goes_on || follows) state = *read_state(goes_on ? path_ : model_);
  state.erase(kReplacedNote);
  if (goes_on) {
    state["settings"] = {{kDrawing, settings[kDrawing]}};  // of which the rest is none
    write_state(path_, state);
    for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
      if (is_drawn_file(files(), entry.path()) || entry.path().filename() == kLockFile) continue;
      fs::remove_all(entry.path());
    }
  }
  state["settings"] = settings;
  write_state(path_, state);
  return goes_on || follows;
}

std::optional<std::string> DeployFolder::note(const std::string& name) const {
  const std::optional<Json> state = read_state(path_);
  if (!state || !state->contains(name)) return std::nullopt;
  return (*state)[name].get<std::string>();
}

void DeployFolder::add_note(const std::string& name, const std::string& text) const {
  note_in(path_, name, text);
}

std::optional<std::string> DeployFolder::finish() const {
  for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
    if (starts_with(entry.path().filename().string(), ".")) fs::remove_all(entry.path());
  }
  const ModelPaths there{model_};
  // The lock goes along, and is given away in the new place.
  if (!earlier_) {
    refuse_changed_model();
    if (fs::exists(model_)) {  // an empty folder
      const FolderLock empty(model_);
      fs::remove(there.file(kLockFile));
      fs::remove(model_);
    }
    rename_file(path_, model_);
    fs::remove(there.file(kLockFile));
    return std::nullopt;
  }
  const ModelChange change(model_);
  refuse_changed_model();
  // A stop in here may have left some of it.
  const ModelPaths fresh = files();
  fs::remove_all(fresh.versions());
  if (fs::exists(there.versions())) link_files(there.versions(), fresh.versions());
  // An attach that was killed kept it already.
  if (!is_kept(model_, *earlier_)) link_files(model_, fresh.version(earlier_->version).folder);
  note_in(model_, kReplacedNote, "yes");
  exchange(path_, model_);
  fs::remove(there.file(kLockFile));
  remove_folder(path_);
  return there.version(earlier_->version).folder;
}

void DeployFolder::tidy() const {
  const auto is_left = [this] {
    return fs::exists(path_) && (is_barely_begun(path_) || is_replaced(path_));
  };
  try {
    if (fs::exists(ModelPaths{model_}.file(kLockFile))) const FolderLock taken_over(model_);
    if (!is_left()) return;
    const FolderLock lock(path_);
    if (is_left()) remove_folder(path_);
  } catch (const FolderTaken&) {
    return;  // by another deployment, which does so itself
  }
}

}  // namespace cubcal
