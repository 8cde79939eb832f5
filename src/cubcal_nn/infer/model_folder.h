#pragma once

#include <c10/core/Device.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/boundary/thresholds.h"
#include "cubcal/calibration/calibration.h"
#include "cubcal/record/model_identity.h"
#include "cubcal/record/provenance.h"
#include "cubcal_nn/batches/preprocessing.h"
#include "cubcal_nn/models/network.h"

/// A model on disk is a folder with `model.json`, which describes it, and `weights.safetensors`.
/// Loading it runs no code, but for a network of TorchScript, which is code: its files
/// `network-*.ts` were trusted when the model was made, and are loaded if and only if they have the
/// SHA-256 that model.json has of them. Other files may lie beside the two and are left alone.
/// Where a model is read, the folder of a training run may be named instead: its best model lies in
/// `best`.
///
/// Saving never leaves a half model. The new weights are written as `weights.next.safetensors`,
/// then `model.json`, which carries the weights' hash, is renamed into place, then the weights are.
/// A reader takes whichever of the two weight files has the hash of model.json: until the middle
/// step that is the old model and from then on the new one, whenever the writer is killed.
///
/// A model with a name has versions (model_versions.h): what attaches something to it keeps the
/// model as it was and gives it the next version. What answers follow from is covered by a hash in
/// model.json (record/decision_hash.h), and a model that does not fit it is refused.
namespace cubcal {

/// A network that TorchScript brings along: its files lie beside model.json.
struct ScriptDescription {
  std::vector<std::string> sha256 = {};  ///< of each file, "network-<first 16 digits>.ts"
  std::string features = {};             ///< the layer named as that of the features
  bool one_by_one = false;               ///< images are predicted one at a time
};

struct ModelDescription {
  std::string network;  ///< a name of the registry, for example "resnet34", or "torchscript"
  std::vector<std::string> class_names;  ///< one per class
  LayerKind kind = LayerKind::kVariational;
  HeadKind head = HeadKind::kOwn;
  std::size_t members = 0;                       ///< of an ensemble
  std::optional<ScriptDescription> script = {};  ///< of a "torchscript"
  std::optional<double> dropout_rate = {};  ///< of an mc-dropout network that overrides its rates
  Preprocessing preprocessing = {};         ///< gives channels, height and width of the input too
  double prior_sigma = 1.0;                 ///< prior means lie with the weights
  std::optional<Calibration> calibration = {};
  std::optional<Thresholds> thresholds = {};  ///< absent: derived from the default eta
  Provenance provenance = {};
  std::optional<ModelIdentity> identity = {};  ///< of a deployed model

  std::size_t classes() const { return class_names.size(); }
  /// Those of the calibration where it has scaling regions, else the model's own, else
  /// thresholds_from_eta(kDefaultEta, classes).
  Thresholds operating_point() const;
  NetworkOptions network_options(c10::Device device) const;
};

/// Throws DataError naming the first field outside its domain.
void check_description(const ModelDescription& description);

/// A model folder as it was when it was opened: model.json is read and parsed once.
struct LoadedModel {
  std::string folder;  ///< where model.json lies: the one named, or `best` of a training run's
  ModelDescription description;
  std::unique_ptr<Network> network;
  std::map<std::string, std::string> fields;  ///< of model.json, as JSON text
  std::string weights_hash;
  std::string decision_hash;  ///< empty for a model of a version that wrote none
};

/// Makes the folder where it does not exist and replaces the model in it where there is one. Throws
/// ArgumentError where the network is not the one described, IoError where the system refuses.
void save_model(const std::string& folder, const ModelDescription& description,
                const Network& network);

/// Throws IoError where a file cannot be read, and DataError naming the file for a field that is
/// missing or wrong and for weights that do not fit the network in name, shape or hash. Unknown
/// fields are passed over.
LoadedModel load_model(const std::string& folder,
                       c10::Device device = c10::Device(c10::DeviceType::CPU));
ModelDescription read_model_description(const std::string& folder);

/// Rewrites model.json with the calibration, everything else in it as it was. Throws DataError
/// where the calibration is for another number of classes or was fitted on logits of other weights.
/// `identity`: instead of the version after the model's own.
void attach_calibration(const std::string& folder, const Calibration& calibration,
                        const std::optional<ModelIdentity>& identity = {});

/// Gives the model a name, or another one; a version that it had before is kept. Throws
/// ArgumentError for an identity outside its domain and for a version that is there already.
void attach_identity(const std::string& folder, const ModelIdentity& identity);

/// The hash of the weights that model.json was written with.
std::string read_weights_hash(const std::string& folder);

/// The folder that model.json lies in: `folder` itself, or its `best` for a training run's.
std::string resolved_model_folder(const std::string& folder);

/// A field of model.json that another module reads, as JSON text (with a loaded model:
/// LoadedModel::fields), and attached by ModelChange; nothing where it is not there. Saving the
/// model anew drops it.
std::optional<std::string> read_model_field(const std::string& folder, const std::string& name);

/// The description as the text of model.json, without the weights' hash.
std::string description_to_json(const ModelDescription& description);
ModelDescription description_from_json(const std::string& text);

}  // namespace cubcal
