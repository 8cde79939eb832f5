#include "cubcal_nn/experiment/split_logits.h"

#include "cubcal/core/error.h"
#include "cubcal/io/logits_writer.h"
#include "cubcal_nn/batches/tensor_values.h"

namespace cubcal {

std::vector<std::int64_t> checked_labels(const ImageSplit& split, std::size_t classes) {
  std::vector<std::int64_t> labels = values_of(split.labels);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= 0 && labels[i] < static_cast<std::int64_t>(classes)) continue;
    throw DataError("label " + std::to_string(labels[i]) + " of image " + std::to_string(i) +
                    " in split '" + split.name + "' is not a class of the model, which has " +
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
  LogitsArrays arrays{output.logits};
  if (!split.outliers) arrays.labels = checked_labels(split, model.classes());
  if (split.groups.defined()) arrays.group_numbers = values_of(split.groups);
  arrays.class_names = model.class_names;
  arrays.weights_hash = loaded.weights_hash;
  arrays.files = split.files;
  for (std::size_t c = 0; c < set.columns.size(); ++c) {
    arrays.columns.push_back({set.columns[c], split.metadata[c]});
  }
  add_logits_arrays(npz, arrays);
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
