#include "cubcal_nn/infer/script_files.h"

#include <algorithm>
#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/core/sha256.h"
#include "cubcal/core/words.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/record/model_paths.h"
#include "cubcal/record/model_record.h"
#include "cubcal_nn/models/ensemble.h"
#include "cubcal_nn/script/script_network.h"

namespace cubcal {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestScript = std::size_t{4} << 30;
const std::string kScriptPrefix = "network-";
const std::string kScriptSuffix = ".ts";

std::string script_name(const std::string& hash) {
  return kScriptPrefix + hash.substr(0, 16) + kScriptSuffix;
}

/// Whether a model that can be there needs the file. One that cannot be read may.
bool is_named(const std::string& description, const std::string& hash) {
  std::error_code ignored;
  if (!fs::exists(description, ignored)) return false;
  try {
    return read_text_file(description, kLargestModelRecord).find(hash) != std::string::npos;
  } catch (const Error&) {
    return true;
  }
}

bool is_script_name(const std::string& name) {
  return name.size() > kScriptPrefix.size() + kScriptSuffix.size() &&
         starts_with(name, kScriptPrefix) && ends_with(name, kScriptSuffix);
}

}  // namespace

std::unique_ptr<Network> make_script_model(
    const ModelDescription& description,
    const std::vector<std::shared_ptr<const std::string>>& files,
    const std::vector<std::string>& names, c10::Device device) {
  const NetworkOptions options = description.network_options(device);
  const ScriptNetworkOptions script{description.script->features, description.script->one_by_one};
  if (options.kind != LayerKind::kEnsemble) {
    return make_script_network(options, script, files.at(0), names.at(0));
  }
  std::vector<std::unique_ptr<Network>> members;
  for (std::size_t i = 0; i < files.size(); ++i) {
    members.push_back(make_script_network(member_options(options), script, files[i], names[i]));
  }
  return make_ensemble(options, std::move(members));
}

std::shared_ptr<const std::string> read_script_file(const std::string& path) {
  return std::make_shared<const std::string>(read_text_file(path, kLargestScript));
}

std::unique_ptr<Network> load_script_model(const std::string& folder,
                                           const ModelDescription& description,
                                           c10::Device device) {
  std::vector<std::shared_ptr<const std::string>> files;
  std::vector<std::string> names;
  for (const std::string& hash : description.script->sha256) {
    names.push_back((fs::path(folder) / script_name(hash)).string());
    files.push_back(read_script_file(names.back()));
    if (sha256(*files.back()) == hash) continue;
    throw DataError(names.back() +
                    " is not the file that was trusted when the model was made: its SHA-256 is "
                    "another, so it was replaced or damaged, and nothing of it was run");
  }
  return make_script_model(description, files, names, device);
}

WrittenScriptFiles::WrittenScriptFiles(const std::string& folder, const Network& network)
    : description_(ModelPaths{folder}.description()) {
  const auto path_of = [&](const NetworkFile& file) {
    return (fs::path(folder) / script_name(file.sha256)).string();
  };
  for (const NetworkFile& file : network.files()) refuse_link(path_of(file));
  try {
    for (const NetworkFile& file : network.files()) {
      const std::string path = path_of(file);
      if (!fs::exists(path)) fresh_.push_back({path, file.sha256});
      write_file_atomically(path, *file.bytes);
    }
  } catch (...) {
    remove_fresh();
    throw;
  }
}

WrittenScriptFiles::~WrittenScriptFiles() { remove_fresh(); }

void WrittenScriptFiles::remove_fresh() {
  std::error_code ignored;
  for (const Fresh& file : fresh_) {
    if (!is_named(description_, file.sha256)) fs::remove(file.path, ignored);
  }
}

void remove_other_script_files(const std::string& folder, const Network& network) {
  std::vector<std::string> kept;
  for (const NetworkFile& file : network.files()) kept.push_back(script_name(file.sha256));
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!is_script_name(name) || std::find(kept.begin(), kept.end(), name) != kept.end()) continue;
    fs::remove(entry.path(), ignored);
  }
}

}  // namespace cubcal
