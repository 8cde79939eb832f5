#include "cubcal_nn/deploy/deploy_folder.h"

#include <fcntl.h>
#include <stdio.h>  // renameat2

#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/json_text.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/infer/model_versions.h"

namespace cubcal {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kDrawing = "drawing";
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

/// What is there must be a model with a name, or nothing.
std::optional<ModelIdentity> identity_there(const std::string& model) {
  std::error_code ignored;
  if (!fs::exists(model, ignored) || fs::is_empty(model, ignored)) return std::nullopt;
  if (fs::exists(ModelPaths{model}.description())) {
    if (std::optional<ModelIdentity> identity = read_model_description(model).identity) {
      return identity;
    }
  }
  throw ArgumentError("'" + model +
                      "' is there already and holds no deployed model: name another folder");
}

/// The two change places at once where the system can do that.
void exchange(const std::string& fresh, const std::string& old) {
#ifdef RENAME_EXCHANGE
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, old.c_str(), RENAME_EXCHANGE) == 0) return;
#endif
  const std::string aside = old + ".replaced";
  fs::remove_all(aside);
  rename_file(old, aside);
  rename_file(fresh, old);
  rename_file(aside, fresh);
}

}  // namespace

DeployFolder::DeployFolder(const std::string& model)
    : model_(without_end(model)), path_(model_ + ".deploying"), earlier_(identity_there(model_)) {
  refuse_link(model_);
  refuse_link(path_);
}

bool DeployFolder::is_done(const Json& settings) const {
  return earlier_ && has_settings(model_, settings) && fs::exists(ModelPaths{model_}.report());
}

bool DeployFolder::begin(const Json& settings) const {
  if (fs::exists(path_) && has_settings(path_, settings)) return true;
  const bool goes_on = fs::exists(path_) && has_same_drawing(path_, settings);
  const bool follows = !goes_on && earlier_ && has_same_drawing(model_, settings);
  if (!goes_on) fs::remove_all(path_);
  make_folders(path_);
  if (follows) link_files(model_, path_);
  Json state = {{"format", "cubcal-deploy"}, {"version", 1}};
  if (goes_on || follows) {
    for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
      if (!is_drawn_file(files(), entry.path())) fs::remove_all(entry.path());
    }
    state = *read_state(path_);
  }
  state["settings"] = settings;
  write_file_atomically(files().deploy_state(), state.dump(2) + "\n");
  return goes_on || follows;
}

std::optional<std::string> DeployFolder::note(const std::string& name) const {
  const std::optional<Json> state = read_state(path_);
  if (!state || !state->contains(name)) return std::nullopt;
  return (*state)[name].get<std::string>();
}

void DeployFolder::add_note(const std::string& name, const std::string& text) const {
  Json state = read_state(path_).value_or(Json::object());
  state[name] = text;
  write_file_atomically(files().deploy_state(), state.dump(2) + "\n");
}

std::optional<std::string> DeployFolder::finish() const {
  fs::remove(files().file("run.lock"));
  if (!earlier_) {
    if (fs::exists(model_)) fs::remove(model_);  // an empty folder
    rename_file(path_, model_);
    return std::nullopt;
  }
  // A stop in here may have left some of it.
  const ModelPaths fresh = files();
  const ModelPaths there{model_};
  fs::remove_all(fresh.versions());
  if (fs::exists(there.versions())) link_files(there.versions(), fresh.versions());
  link_files(model_, fresh.version(earlier_->version).folder);
  exchange(path_, model_);
  fs::remove_all(path_);
  return there.version(earlier_->version).folder;
}

}  // namespace cubcal
