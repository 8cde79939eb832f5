#include <algorithm>
#include <iostream>
#include <memory>

#include "cubcal/core/error.h"
#include "cubcal/core/sha256.h"
#include "cubcal/weights/torchscript_file.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/infer/script_files.h"
#include "cubcal_nn/models/ensemble.h"
#include "cubcal_nn/script/script_check.h"
#include "cubcal_nn/script/script_graph.h"
#include "cubcal_nn/script/script_network.h"
#include "import_command.h"

namespace cubcal::app {

namespace {

ModelDescription describe_script(const ImportCommand& command) {
  ModelDescription description;
  description.network = kScriptNetwork;
  description.class_names = class_names_of(command);
  description.kind = command.files.size() > 1 ? LayerKind::kEnsemble : LayerKind::kMcDropout;
  description.members = command.files.size() > 1 ? command.files.size() : 0;
  description.script = ScriptDescription{{}, command.features, false};
  description.preprocessing = preprocessing_of(command);
  description.provenance.stage = "imported";
  description.provenance.recipe = "cubcal import";
  for (const std::string& file : command.files) description.provenance.recipe += " " + file;
  return description;
}

using Files = std::vector<std::shared_ptr<const std::string>>;

/// Whether every file predicts an image among others as alone.
bool predict_together(const ImportCommand& command, const ModelDescription& description,
                      const Files& files) {
  const NetworkOptions whole = description.network_options(c10::Device(c10::DeviceType::CPU));
  const NetworkOptions each = whole.kind == LayerKind::kEnsemble ? member_options(whole) : whole;
  bool together = true;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto network = make_script_network(
        each, {command.features, description.script->one_by_one}, files[i], command.files[i]);
    together = images_are_independent(*network, command.files[i]) && together;
  }
  return together;
}

void warn_of_reuse(const ImportCommand& command, const ModelDescription& description,
                   const Files& files) {
  if (description.kind != LayerKind::kMcDropout) return;
  if (!load_script_graph(*files.front(), command.file(), {}).reuses_dropped) return;
  std::cerr << "cubcal: warning: " << command.file()
            << " was traced in eval mode, and what a dropout layer gives is used more than once: "
               "where one of these uses is of the tensor before dropout, the trace lost that, and "
               "passes differ too much. Scripted, or traced with its dropout layers alone in "
               "train(), it is as you wrote it\n";
}

void print_script(const ImportCommand& command, const ModelDescription& description,
                  const Network& network) {
  std::cout << "wrote " << command.output << ": ";
  if (description.members > 0) {
    std::cout << "an ensemble of " << description.members
              << " TorchScript networks, whose passes they are, in the order given; their dropout "
                 "is off\n";
  } else {
    std::cout << "MC dropout of " << command.file()
              << " (TorchScript): every pass draws its dropout layers\n";
  }
  const std::string& features = network.feature_names().front();
  if (!command.features.empty()) {
    std::cout << "features: the output of " << features << '\n';
  } else if (features == "logits") {
    std::cout << "its features cannot be read, since it does not end in a linear layer: 'cubcal "
                 "ood' looks at its logits; --features LAYER names a layer\n";
  } else {
    std::cout << "features: what goes into the last linear layer\n";
  }
  if (description.script->one_by_one) {
    std::cout << "images are predicted one at a time, which is slower: among others this network "
                 "would predict them otherwise, or not at all\n";
  }
}

}  // namespace

void import_script(const ImportCommand& command) {
  check_target(command);
  ModelDescription description = describe_script(command);
  Files files;
  for (const std::string& file : command.files) {
    files.push_back(read_script_file(file));
    check_torchscript(*files.back(), file);
    std::vector<std::string>& hashes = description.script->sha256;
    const std::string hash = sha256(*files.back());
    const auto earlier = std::find(hashes.begin(), hashes.end(), hash);
    if (earlier != hashes.end()) {
      throw ArgumentError("'" + command.files[static_cast<std::size_t>(earlier - hashes.begin())] +
                          "' and '" + file +
                          "' are the same file: members of an ensemble must differ");
    }
    hashes.push_back(hash);
  }
  check_description(description);
  description.script->one_by_one = !predict_together(command, description, files);
  const std::unique_ptr<Network> network =
      make_script_model(description, files, command.files, c10::Device(c10::DeviceType::CPU));
  write_import(command, description, *network);
  warn_of_reuse(command, description, files);
  print_script(command, description, *network);
}

}  // namespace cubcal::app
