#include <iostream>
#include <memory>

#include "commands.h"
#include "cubcal/calibration/calibration.h"
#include "cubcal/core/error.h"
#include "cubcal/record/model_paths.h"
#include "cubcal_nn/infer/model_change.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/infer/model_versions.h"
#include "cubcal_nn/ood/verdict_folder.h"
#include "identity_options.h"

namespace cubcal::app {

namespace {

struct AttachOptions {
  std::string calibration;
  std::string model;
  IdentityChoice identity;
};

/// Where the model had a name before.
void tell_of_versions(const std::string& model, const std::optional<ModelIdentity>& before) {
  const std::optional<ModelIdentity> now = read_model_description(model).identity;
  if (!now) return;
  std::cout << "it is " << identity_text(*now) << " now";
  if (before && before->version != now->version) {
    std::cout << "; version " << before->version << " is kept in "
              << ModelPaths{resolved_model_folder(model)}.version(before->version).folder;
  }
  std::cout << '\n';
}

/// What the model is to be called from now on; nothing where the command line does not say.
std::optional<ModelIdentity> wanted_identity(const AttachOptions& options,
                                             const std::optional<ModelIdentity>& before) {
  if (!options.identity.is_given()) return std::nullopt;
  if (!before && options.identity.name.empty()) {
    throw ArgumentError("the model in '" + options.model + "' has no name yet: give it a --name");
  }
  const ModelIdentity identity = chosen_identity(options.identity, before, "");
  if (!before || !options.identity.version.empty()) return identity;
  return following(identity, resolved_model_folder(options.model));
}

void attach(const AttachOptions& options) {
  if (options.calibration.empty() && !options.identity.is_given()) {
    throw ArgumentError(
        "attach needs a CALIBRATION, or a --name, --version, --intended-use or "
        "--status to give the model");
  }
  read_model_description(options.model);  // that there is one, before its folder is locked
  const ModelChange change(resolved_model_folder(options.model));
  const std::optional<ModelIdentity> before = read_model_description(options.model).identity;
  const std::optional<ModelIdentity> identity = wanted_identity(options, before);
  if (options.calibration.empty()) {
    attach_identity(options.model, *identity);
    return tell_of_versions(options.model, before);
  }
  const Calibration calibration = load_calibration(options.calibration);
  attach_calibration(options.model, calibration, identity);
  std::cout << "the model in " << options.model << " carries " << options.calibration << " now: "
            << (has_stale_verdict(options.model)
                    ? "its verdict was fitted with another calibration: run 'cubcal ood --fit' "
                      "again, 'cubcal predict' refuses until then"
                    : "'cubcal predict' applies it")
            << '\n';
  if (calibration.weights_hash.empty()) {
    std::cout
        << "the calibration does not say which weights it was fitted for: it is taken on trust "
           "that they are this model's\n";
  }
  tell_of_versions(options.model, before);
}

}  // namespace

void add_attach(CLI::App& app) {
  auto options = std::make_shared<AttachOptions>();
  CLI::App* command =
      app.add_subcommand("attach", "Give a model the calibration it is to use, or a name");
  command->add_option("CALIBRATION", options->calibration, "File that 'cubcal calibrate' wrote");
  command->add_option("--model", options->model, "Model folder, or run folder of 'cubcal train'")
      ->required();
  add_identity_options(*command, options->identity, "as it is, at first research");
  command->footer(
      "The calibration goes into model.json, in the place of one that is there. Logits stay as\n"
      "they are; 'cubcal predict' gives calibrated probabilities from then on. A verdict is for\n"
      "the calibration it was fitted with: attach first, then run 'cubcal ood --fit'. One that "
      "was\n"
      "fitted on logits of another model is refused. A model with a name gets the next version,\n"
      "and the one before stays as it was in the folder's versions/VERSION.\n\n"
      "Example:\n"
      "  cubcal logits --model run --data phantom --split val -o val.npz\n"
      "  cubcal calibrate val.npz --method dts-guarded -o cal.json\n"
      "  cubcal attach cal.json --model run");
  command->callback([options] { attach(*options); });
}

}  // namespace cubcal::app
