#include "predictions_output.h"

#include "cubcal/core/check.h"
#include "cubcal/core/words.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/npz.h"
#include "logits_input.h"

namespace cubcal::app {

namespace {

void write_predictions_npz(const std::string& path, const LogitsFile& file,
                           const Predictions& predictions) {
  const Predictive& predictive = predictions.predictive;
  const std::vector<std::size_t> per_sample{predictive.samples};
  NpzWriter writer(path);
  writer.add("probabilities", ArrayView<const double>(predictive.probabilities),
             {predictive.samples, predictive.classes});
  writer.add("predicted", ArrayView<const std::int32_t>(predictive.predicted), per_sample);
  writer.add("confidence", ArrayView<const double>(predictive.confidence), per_sample);
  writer.add("uncertainty", ArrayView<const double>(predictive.entropy), per_sample);
  if (predictions.has_parts) {
    writer.add("aleatoric", ArrayView<const double>(predictive.aleatoric), per_sample);
    writer.add("epistemic", ArrayView<const double>(epistemic_parts(predictive)), per_sample);
  }
  if (!predictions.temperatures.empty()) {
    writer.add("temperature", ArrayView<const double>(predictions.temperatures), per_sample);
    writer.add_text("region", predictions.regions);
  }
  if (file.has_labels) {
    writer.add("labels", ArrayView<const std::int64_t>(file.labels), per_sample);
  }
  if (!file.groups.empty()) writer.add_text("groups", file.groups);
  if (!file.files.empty()) writer.add_text("files", file.files);
  if (!file.class_names.empty()) writer.add_text("class_names", file.class_names);
  writer.finish();
}

void write_predictions_csv(const std::string& path, const LogitsFile& file,
                           const Predictions& predictions) {
  const Predictive& predictive = predictions.predictive;
  const std::vector<std::string> names = class_labels(file);
  CsvTable table;
  const bool is_calibrated = !predictions.temperatures.empty();
  table.header = {"sample", "predicted", "predicted_name", "confidence", "uncertainty"};
  if (predictions.has_parts) table.header.insert(table.header.end(), {"aleatoric", "epistemic"});
  if (is_calibrated) table.header.insert(table.header.end(), {"temperature", "region"});
  if (file.has_labels) table.header.push_back("label");
  if (!file.groups.empty()) table.header.push_back("group");
  if (!file.files.empty()) table.header.push_back("file");
  for (const std::string& name : names) table.header.push_back("p " + name);
  for (std::size_t i = 0; i < predictive.samples; ++i) {
    const std::size_t predicted = static_cast<std::size_t>(predictive.predicted[i]);
    std::vector<std::string> row{std::to_string(i), std::to_string(predicted), names[predicted],
                                 to_text(predictive.confidence[i]), to_text(predictive.entropy[i])};
    if (predictions.has_parts) {
      row.push_back(to_text(predictive.aleatoric[i]));
      row.push_back(to_text(predictive.epistemic(i)));
    }
    if (is_calibrated) {
      row.push_back(to_text(predictions.temperatures[i]));
      row.push_back(predictions.regions[i]);
    }
    if (file.has_labels) row.push_back(std::to_string(file.labels[i]));
    if (!file.groups.empty()) row.push_back(file.groups[i]);
    if (!file.files.empty()) row.push_back(file.files[i]);
    for (std::size_t k = 0; k < predictive.classes; ++k) {
      row.push_back(to_text(predictive.probabilities[i * predictive.classes + k]));
    }
    table.rows.push_back(std::move(row));
  }
  write_csv(path, table);
}

}  // namespace

void check_predictions_name(const std::string& path) {
  if (ends_with(path, ".csv") || ends_with(path, ".npz")) return;
  throw ArgumentError("--output must end in .npz or .csv, not be '" + path + "'");
}

void write_predictions(const std::string& path, const LogitsFile& file,
                       const Predictions& predictions) {
  if (ends_with(path, ".csv")) {
    write_predictions_csv(path, file, predictions);
  } else {
    write_predictions_npz(path, file, predictions);
  }
}

}  // namespace cubcal::app
