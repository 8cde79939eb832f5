#include <iostream>
#include <memory>

#include "commands.h"
#include "cubcal/core/check.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/npz.h"
#include "input_options.h"
#include "logits_input.h"

namespace cubcal::app {

namespace {

struct ApplyOptions {
  std::string file;
  std::string calibration;
  std::string output;
  InputOptions input;
};

struct Applied {
  Predictive predictive;
  std::vector<double> temperatures;  ///< empty without a calibration, as the regions
  std::vector<std::string> regions;  ///< "sharpen" or "soften", from the unscaled prediction
};

Applied apply_to(const LogitsFile& file, const std::optional<Calibration>& calibration) {
  Predictive unscaled = predict_file(file, std::nullopt);
  Applied applied;
  if (!calibration) {
    applied.predictive = std::move(unscaled);
    return applied;
  }
  try {
    applied.temperatures = sample_temperatures(*calibration, unscaled);
  } catch (const DataError& error) {
    throw DataError(file.path + ": " + error.what());
  }
  applied.predictive = predict(McLogits(file.logits), applied.temperatures);
  for (std::size_t i = 0; i < unscaled.samples; ++i) {
    const ScalingRegion region =
        scaling_region(unscaled.confidence[i], unscaled.entropy[i], calibration->thresholds);
    applied.regions.push_back(region == ScalingRegion::kSharpen ? "sharpen" : "soften");
  }
  return applied;
}

void write_npz(const std::string& path, const LogitsFile& file, const Applied& applied) {
  const Predictive& predictive = applied.predictive;
  const std::vector<std::size_t> per_sample{predictive.samples};
  NpzWriter writer(path);
  writer.add("probabilities", ArrayView<const double>(predictive.probabilities),
             {predictive.samples, predictive.classes});
  writer.add("predicted", ArrayView<const std::int32_t>(predictive.predicted), per_sample);
  writer.add("confidence", ArrayView<const double>(predictive.confidence), per_sample);
  writer.add("uncertainty", ArrayView<const double>(predictive.entropy), per_sample);
  writer.add("aleatoric", ArrayView<const double>(predictive.aleatoric), per_sample);
  writer.add("epistemic", ArrayView<const double>(epistemic_parts(predictive)), per_sample);
  if (!applied.temperatures.empty()) {
    writer.add("temperature", ArrayView<const double>(applied.temperatures), per_sample);
    writer.add_text("region", applied.regions);
  }
  if (file.has_labels) {
    writer.add("labels", ArrayView<const std::int64_t>(file.labels), per_sample);
  }
  if (!file.groups.empty()) writer.add_text("groups", file.groups);
  if (!file.files.empty()) writer.add_text("files", file.files);
  if (!file.class_names.empty()) writer.add_text("class_names", file.class_names);
  writer.finish();
}

void write_csv_table(const std::string& path, const LogitsFile& file, const Applied& applied) {
  const Predictive& predictive = applied.predictive;
  const std::vector<std::string> names = class_labels(file);
  CsvTable table;
  const bool is_calibrated = !applied.temperatures.empty();
  table.header = {"sample",      "predicted", "predicted_name", "confidence",
                  "uncertainty", "aleatoric", "epistemic"};
  if (is_calibrated) table.header.insert(table.header.end(), {"temperature", "region"});
  if (file.has_labels) table.header.push_back("label");
  if (!file.groups.empty()) table.header.push_back("group");
  if (!file.files.empty()) table.header.push_back("file");
  for (const std::string& name : names) table.header.push_back("p " + name);
  for (std::size_t i = 0; i < predictive.samples; ++i) {
    const std::size_t predicted = static_cast<std::size_t>(predictive.predicted[i]);
    std::vector<std::string> row{std::to_string(i),
                                 std::to_string(predicted),
                                 names[predicted],
                                 to_text(predictive.confidence[i]),
                                 to_text(predictive.entropy[i]),
                                 to_text(predictive.aleatoric[i]),
                                 to_text(predictive.epistemic(i))};
    if (is_calibrated) {
      row.push_back(to_text(applied.temperatures[i]));
      row.push_back(applied.regions[i]);
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

bool ends_with(const std::string& text, const std::string& ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

void apply(const ApplyOptions& options) {
  const bool csv = ends_with(options.output, ".csv");
  if (!csv && !ends_with(options.output, ".npz")) {
    throw ArgumentError("--output must end in .npz or .csv, not be '" + options.output + "'");
  }
  refuse_output_over_input(options.output,
                           {options.file, options.calibration, options.input.reading.labels_file});
  const LogitsFile file = read_input(options.file, options.input);
  const std::optional<Calibration> calibration = calibration_at(options.calibration);
  const Applied applied = apply_to(file, calibration);
  if (csv) {
    write_csv_table(options.output, file, applied);
  } else {
    write_npz(options.output, file, applied);
  }
  std::cout << "wrote " << options.output << ": " << applied.predictive.samples << " predictions "
            << (calibration ? std::string("calibrated with ") + method_name(calibration->method)
                            : std::string("as they are, not calibrated"))
            << '\n';
}

}  // namespace

void add_apply(CLI::App& app) {
  auto options = std::make_shared<ApplyOptions>();
  CLI::App* command = app.add_subcommand(
      "apply", "Write probabilities and uncertainties, calibrated or as they are");
  command->add_option("FILE", options->file, ".npz with logits")->required();
  command->add_option("--calibration", options->calibration,
                      "From 'cubcal calibrate'; without one the predictions stay as they are");
  command
      ->add_option("-o,--output", options->output,
                   "Where the predictions go: .npz, or .csv with a row per sample")
      ->required();
  add_input_options(*command, options->input);
  add_labels_option(*command, options->input);
  command->footer(
      "Writes probabilities [N,K], predicted, confidence, uncertainty (total, nats), aleatoric,\n"
      "epistemic and, with a calibration, temperature and region [N], and labels, groups and "
      "class\n"
      "names if the file has them.\n\n"
      "Example:\n"
      "  cubcal example --out demo\n"
      "  cubcal calibrate demo/val.npz --method ts-nll -o demo/cal.json\n"
      "  cubcal apply demo/test.npz --calibration demo/cal.json -o demo/predictions.csv");
  command->callback([options] { apply(*options); });
}

}  // namespace cubcal::app
