#include "cubcal_nn/train/first_weights.h"

#include <ATen/ATen.h>

#include <filesystem>
#include <limits>

#include "cubcal/core/error.h"
#include "cubcal/core/sha256.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal_nn/bayes/moped.h"
#include "cubcal_nn/models/registry.h"

namespace cubcal {

namespace {

std::unique_ptr<Network> fresh_network(const ModelDescription& description, LayerKind kind,
                                       std::uint64_t seed, c10::Device device) {
  NetworkOptions options = description.network_options(device);
  options.kind = kind;
  if (kind != LayerKind::kMcDropout) options.dropout_rate.reset();
  options.seed = seed;
  return make_network(description.network, options);
}

std::string listed(const char* title, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::string text = std::string("; ") + title;
  for (std::size_t i = 0; i < names.size(); ++i) text += (i > 0 ? ", " : " ") + names[i];
  return text;
}

/// A file of weights becomes a point network, as if a stage had trained it.
std::unique_ptr<Network> network_from_file(const ModelDescription& description,
                                           const std::string& path, const ImportOptions& options,
                                           std::uint64_t seed, c10::Device device) {
  std::unique_ptr<Network> network =
      fresh_network(description, LayerKind::kDeterministic, seed, device);
  const ImportReport report = import_weights(read_state_dict(path), *network, options);
  if (!report.complete()) {
    throw DataError("the weights in '" + path + "' do not fit " + description.network +
                    listed("missing:", report.missing) + listed("unexpected:", report.unexpected) +
                    listed("of another shape:", report.misshapen) +
                    " (pretrained_allow_missing and pretrained_ignore name what may differ)");
  }
  return network;
}

std::unique_ptr<Network> previous_network(const ModelDescription& description,
                                          const std::string& previous, const ImportOptions& options,
                                          std::uint64_t seed, c10::Device device) {
  if (!std::filesystem::is_directory(previous)) {
    return network_from_file(description, previous, options, seed, device);
  }
  LoadedModel model = load_model(previous, device);
  if (model.description.head != description.head) {
    throw ArgumentError("the model in '" + previous + "' has the head '" +
                        head_kind_name(model.description.head) + "', and this run's is '" +
                        head_kind_name(description.head) + "'");
  }
  if (model.description.network != description.network ||
      model.description.class_names != description.class_names) {
    throw ArgumentError("the model in '" + previous + "' is a " + model.description.network +
                        " with other classes or another network than this run's " +
                        description.network);
  }
  return std::move(model.network);
}

}  // namespace

std::unique_ptr<Network> make_stage_network(const ModelDescription& description,
                                            const StageOptions& stage, std::uint64_t seed,
                                            const std::string& previous,
                                            const ImportOptions& import_options,
                                            c10::Device device) {
  const LayerKind kind = stage.method.kind;
  std::unique_ptr<Network> network = fresh_network(description, kind, seed, device);
  if (stage.start == StageStart::kScratch) {
    if (has_gaussians(kind)) {
      initialise(network->parameters(), seed, stage.initial_rho);
    }
    return network;
  }
  const std::unique_ptr<Network> source =
      previous_network(description, previous, import_options, seed, device);
  const bool from_gaussian = has_gaussians(source->options().kind);
  const bool to_gaussian = has_gaussians(kind);
  if (source->members() > 0) {
    throw ArgumentError("a run starts from one network, and the model in '" + previous +
                        "' is an ensemble: name one of its members");
  }
  if (from_gaussian && !to_gaussian) {
    throw ArgumentError("method " + stage.method.name +
                        " has point weights and cannot start from the Gaussian model in '" +
                        previous + "'");
  }
  if (to_gaussian && !from_gaussian) {
    convert_by_moped(source->parameters(), network->parameters(), stage.moped);
    return network;
  }
  const TransferReport report =
      transfer(source->parameters().named_tensors(), network->parameters());
  if (!report.complete()) {
    throw DataError("the model in '" + previous +
                    "' does not fit this run's network: " + report.text());
  }
  return network;
}

std::string first_weights_hash(const std::string& previous) {
  if (std::filesystem::is_directory(previous)) return read_weights_hash(previous);
  return sha256(read_text_file(previous, std::numeric_limits<std::size_t>::max()));
}

}  // namespace cubcal
