#include "cubcal_nn/experiment/split_logits.h"

#include "cubcal/core/error.h"
#include "cubcal_nn/batches/tensor_values.h"

namespace cubcal {

std::vector<std::int64_t> checked_labels(const ImageSplit& split, std::size_t classes) {
  std::vector<std::int64_t> labels = values_of(split.labels);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= 0 && labels[i] < static_cast<std::int64_t>(classes)) continue;
    throw DataError("label " + std::to_string(labels[i]) + " of image " + std::to_string(i) +
                    " in split '" + split.name + "' is no class of the model, which has " +
                    std::to_string(classes));
  }
  return labels;
}

McOutput draw_split(const LoadedModel& model, const ImageSplit& split, const McOptions& options,
                    const std::string& title, WorkObserver& observer) {
  McEngine engine(*model.network, model.description.preprocessing);
  return observer.run_passes(engine, split.images, options, title);
}

void add_split_logits(NpzWriter& npz, const ImageSet& set, const ImageSplit& split,
                      const LoadedModel& loaded, const McOutput& output) {
  const ModelDescription& model = loaded.description;
  const auto samples = static_cast<std::size_t>(split.size());
  npz.add("logits", output.logits);
  if (!split.outliers) {
    const std::vector<std::int64_t> labels = checked_labels(split, model.classes());
    npz.add("labels", ArrayView<const std::int64_t>(labels), {samples});
  }
  if (split.groups.defined()) {
    const std::vector<std::int64_t> groups = values_of(split.groups);
    npz.add("groups", ArrayView<const std::int64_t>(groups), {samples});
  }
  npz.add_text("class_names", model.class_names);
  npz.add_text("weights_hash", {loaded.weights_hash});
  if (!split.files.empty()) npz.add_text("files", split.files);
  for (std::size_t c = 0; c < set.columns.size(); ++c) {
    npz.add_text("column_" + set.columns[c], split.metadata[c]);
  }
  for (std::size_t i = 0; i < output.features.size(); ++i) {
    npz.add("features_" + output.feature_names[i], output.features[i]);
  }
}

void write_split_logits(const std::string& path, const ImageSet& set, const ImageSplit& split,
                        const LoadedModel& model, const McOutput& output) {
  NpzWriter npz(path);
  add_split_logits(npz, set, split, model, output);
  npz.finish();
}

}  // namespace cubcal
