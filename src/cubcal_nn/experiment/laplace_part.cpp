#include <ATen/ATen.h>

#include <cmath>
#include <filesystem>

#include "cubcal/core/check.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/record/run_folder.h"
#include "cubcal/record/run_record.h"
#include "cubcal_nn/bayes/laplace.h"
#include "cubcal_nn/bayes/moped.h"
#include "cubcal_nn/experiment/derived_part.h"
#include "cubcal_nn/experiment/split_logits.h"
#include "cubcal_nn/models/registry.h"

namespace cubcal {

namespace {

/// What the last layer is given and gives, of the images of a split.
struct LastLayerData {
  at::Tensor features;  ///< [N, D]
  at::Tensor logits;    ///< [N, K]
};

at::Tensor rows_of(const NdArray& array, std::int64_t columns) {
  return at::tensor(c10::ArrayRef<float>(array.as<float>(), array.size())).view({-1, columns});
}

LastLayerData last_layer_data(const LoadedModel& point, const ImageSplit& split,
                              const RunPart& part, const std::string& name,
                              WorkObserver& observer) {
  McOptions mc = part.mc();
  mc.features = true;
  const McOutput output =
      draw_split(point, split, mc, part.name + ", last layer on " + name, observer);
  const NdArray& features = output.features.back();
  return {rows_of(features, static_cast<std::int64_t>(features.shape().back())),
          rows_of(output.logits, static_cast<std::int64_t>(point.description.classes()))};
}

PriorPrecision save_laplace_model(const RunPart& part, const LoadedModel& point,
                                  const ImageSet& set, WorkObserver& observer) {
  const LastLayerData train = last_layer_data(point, set.split("train"), part, "train", observer);
  const LastLayerCurvature curvature = last_layer_curvature(train.features, train.logits);
  const ImageSplit& held_out = set.split("val");
  const LastLayerData val = last_layer_data(point, held_out, part, "val", observer);
  const at::Tensor labels =
      at::tensor(checked_labels(held_out, point.description.classes()), at::kLong);
  const PriorPrecision prior = best_prior_precision(curvature, val.features, val.logits, labels);

  ModelDescription description = point.description;
  description.kind = LayerKind::kLastLayer;
  description.prior_sigma = 1 / std::sqrt(prior.value);
  description.provenance.stage = kLaplaceMethod;
  description.provenance.metrics.clear();
  const std::unique_ptr<Network> network = make_network(
      description.network, description.network_options(c10::Device(part.recipe.run.device)));
  convert_by_moped(point.network->parameters(), network->parameters());
  set_laplace_posterior(curvature, prior.value, network->parameters());
  save_model(part.model(), description, *network);
  return prior;
}

}  // namespace

void make_laplace_part(const RunPart& part, const RunPart& start, const ImagesOfPart& images,
                       const std::string& indent, const std::string& resume_command,
                       WorkObserver& observer) {
  const std::string text = recipe_text(part);
  const RunFolder run{part.folder};
  // The record is written last.
  if (std::filesystem::exists(run.record())) {
    observer.line(indent + part.name + ": made before");
  } else {
    train_part(start, images, indent, resume_command, observer);
    const LoadedModel point = load_model(start.model(), c10::Device(part.recipe.run.device));
    make_folders(part.folder);
    const PriorPrecision prior = save_laplace_model(part, point, images(), observer);
    observer.line(
        indent + part.name + ": prior precision " + to_text(prior.value) +
        ", of the lowest NLL on validation images" +
        (prior.is_largest ? " and the largest tried: no uncertainty made it better" : ""));
    write_file_atomically(run.recipe(), text);
    RunRecord record = read_run_record(RunFolder{start.folder}.record());
    record.prior_precision = prior.value;
    write_run_record(run.record(), record);
  }
  draw_part_logits(part, images, observer);
}

}  // namespace cubcal
