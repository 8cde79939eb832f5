#include <iostream>
#include <memory>

#include "commands.h"
#include "compute_setup.h"
#include "cubcal/infer/mc_engine.h"
#include "cubcal/infer/model_folder.h"
#include "cubcal/io/npz.h"
#include "interrupt.h"
#include "model_data.h"
#include "progress_bar.h"
#include "tensor_values.h"

namespace cubcal::app {

namespace {

struct LogitsOptions {
  std::string model;
  std::string data;
  std::string split = "val";
  std::string output;
  std::string device = "cpu";
  std::string precision = "auto";
  bool all_rows = false;
  McOptions mc;
};

/// Class names of npz sets are numbers, so it is labels that must fit the model.
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

void write_output(const LogitsOptions& options, const ImageSplit& split,
                  const std::vector<std::string>& columns, const ModelDescription& model,
                  const McOutput& output) {
  const auto samples = static_cast<std::size_t>(split.size());
  NpzWriter npz(options.output);
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
  if (!split.files.empty()) npz.add_text("files", split.files);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    npz.add_text("column_" + columns[c], split.metadata[c]);
  }
  for (std::size_t i = 0; i < output.features.size(); ++i) {
    npz.add("features_" + output.feature_names[i], output.features[i]);
  }
  npz.finish();
}

void logits(LogitsOptions options) {
  const c10::Device device = set_up_device(options.device);
  const LoadedModel model = load_model(options.model, device);
  const ImageSet set = model_data(options.data, model.description, options.all_rows);
  const ImageSplit& split = set.split(options.split);
  if (!split.outliers) checked_labels(split, model.description.classes());
  const InterruptWatch watch;
  ProgressBar bar("predicting");
  options.mc.compute.precision = parse_precision(options.precision);
  options.mc.interrupted = InterruptWatch::interrupted;
  options.mc.progress = [&bar](std::size_t done, std::size_t of) { bar.show(done, of); };
  McEngine engine(*model.network, model.description.preprocessing);
  const McOutput output = engine.run(split.images, options.mc);
  bar.wipe();
  write_output(options, split, set.columns, model.description, output);
  std::cout << "wrote " << options.output << ": " << output.logits.shape()[0] << " x "
            << output.logits.shape()[1] << " x " << output.logits.shape()[2]
            << " logits (passes, samples, classes) of split '" << split.name << "'\n";
}

}  // namespace

void add_logits(CLI::App& app) {
  auto options = std::make_shared<LogitsOptions>();
  CLI::App* command = app.add_subcommand("logits", "Draw MC logits of a data set from a model");
  command->add_option("--model", options->model, "Model folder, or run folder of 'cubcal train'")
      ->required();
  command
      ->add_option("--data", options->data,
                   "phantom, phantom:SEED, or the path of a data set: manifest, folder, .npz, pack")
      ->required();
  command
      ->add_option("--split", options->split, "train, val, test, ood, or another one the set has")
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "The .npz file to write")->required();
  command->add_option("--mc", options->mc.passes, "Stochastic passes")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, std::size_t{100000}));
  command->add_option("--seed", options->mc.seed, "Seed of the passes")->capture_default_str();
  command
      ->add_option("--batch", options->mc.batch,
                   "Images at a time: bounds the memory, results do not depend on it")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000}));
  command->add_flag("--all-rows", options->all_rows,
                    "Take the data set as it is, not the rows and splits of the model's recipe");
  command->add_flag("--mean", options->mc.mean_weights, "A single pass at mean weights");
  command->add_flag("--features", options->mc.features,
                    "Also write features_<stage> [N,D], averaged over the passes");
  add_device_option(*command, options->device);
  add_precision_option(*command, options->precision);
  command->footer(
      "Writes logits [S,N,K], labels and groups [N] where they are known, class_names [K], and of\n"
      "a set on disk files and column_<name> [N], the further columns of its manifest.\n"
      "Rows, splits and sizes are those of the recipe the model was trained with.\n"
      "A deterministic model has one pass.\n\n"
      "Example:\n"
      "  cubcal logits --model run --data phantom --split val -o val.npz\n"
      "  cubcal evaluate val.npz");
  command->callback([options] { logits(*options); });
}

}  // namespace cubcal::app
