#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <optional>
#include <string>

#include "cubcal/evaluation/calibration_choice.h"
#include "cubcal/record/model_identity.h"
#include "cubcal_nn/experiment/ood_verdict.h"

/// From a training run to a model that can be used: logits of validation and test images, the
/// calibration that makes nothing worse of what is judged, a verdict, a page and a model card, all
/// in one folder.
namespace cubcal {

struct DeployOptions {
  std::string run;     ///< folder of a training run, or of a model
  std::string data;    ///< as model_data takes it; empty: the set that the run was trained on
  std::string output;  ///< folder of the model; the next version where it holds one with a name
  /// Called with the identity of the model that is in `output` and the version that follows it;
  /// nothing where there is none. Gives the identity to take.
  std::function<ModelIdentity(const std::optional<ModelIdentity>& earlier)> identity;
  McOptions mc;
  VerdictFit verdict;
  BootstrapOptions bootstrap;  ///< of the page
  c10::Device device = c10::Device(c10::DeviceType::CPU);
  std::string command;  ///< that goes on with a deployment that was stopped
};

/// What was found out on the way, as it is. What was done before a stop is not told again.
struct DeployReports {
  std::function<void(const LogitsFile& validation, const CalibrationChoice&)> calibrated;
  std::function<void(const FittedVerdict&, const std::vector<std::string>& class_names)> judged;
};

struct Deployment {
  ModelIdentity identity;
  std::string folder;
  bool done_before = false;              ///< with the same settings: nothing was done
  std::string calibration;               ///< the method; empty: none
  std::optional<ModelIdentity> earlier;  ///< of the version that was there
  std::optional<std::string> kept;       ///< where the version that was there lies now
  std::vector<std::string> notes;        ///< what the page lacks and why
};

/// The data set that a model was trained on, as model_data takes it. Throws ArgumentError where its
/// recipe does not say.
std::string data_of(const ModelDescription& model);

/// What is kept of a model's identity where another network takes its place: name and version, the
/// intended use where it is still called `name`, and never the status, which was given to the
/// network that was there.
ModelIdentity kept_identity(const ModelIdentity& earlier, const std::string& name);

/// What was done is not done again when it is called after a stop, with the same options. Nothing
/// appears in `output` before all is done. Throws ArgumentError for a set without the splits train,
/// val and test, for a model in `output` with other classes or a later version, what the steps
/// throw, and Interrupted where the observer asked it to stop.
Deployment deploy(const DeployOptions& options, const DeployReports& reports,
                  WorkObserver& observer);

}  // namespace cubcal
