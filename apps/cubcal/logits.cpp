#include <filesystem>
#include <iostream>
#include <memory>

#include "commands.h"
#include "compute_setup.h"
#include "cubcal/core/error.h"
#include "cubcal_nn/experiment/logits_shard.h"
#include "cubcal_nn/experiment/model_data.h"
#include "cubcal_nn/experiment/split_logits.h"
#include "cubcal_nn/kernels/compute_facts.h"
#include "option_checks.h"
#include "shard_option.h"
#include "work_view.h"

namespace cubcal::app {

namespace {

struct LogitsOptions {
  std::string model;
  std::string data;
  std::string split = "val";
  std::string output;
  std::string device = "cpu";
  std::string precision = "auto";
  std::string convolution = "auto";
  std::string shard;
  bool all_rows = false;
  McOptions mc;
};

/// Draws the shard's logits unless they are there.
void logits_of_shard(const LogitsOptions& options, const Shard& shard, const LoadedModel& model,
                     const ImageSet& set, const ImageSplit& split, WorkView& view) {
  const std::string path = shard_path(options.output, shard);
  const c10::Device device = model.network->options().device;
  const LogitsShard part =
      logits_shard(shard, model, set, split, options.mc,
                   compute_text(device, std::nullopt, options.mc.compute.precision));
  const bool is_there = is_finished(part, path);
  if (!is_there) write_logits_shard(path, set, part, model, options.mc, view);
  std::cout << (is_there ? "there already: " : "wrote ") << path << ", shard " << shard_text(shard)
            << " of split '" << split.name << "' with " << part.places.size() << " of "
            << split.size() << " samples\n";
}

void logits(LogitsOptions options) {
  if (std::filesystem::path(options.output).extension() != ".npz") {
    throw ArgumentError("--output must end in .npz, not be '" + options.output + "'");
  }
  const std::optional<Shard> shard = chosen_shard(options.shard);
  const c10::Device device = set_up_device(options.device, options.convolution);
  const LoadedModel model = load_model(options.model, device);
  WorkView view;
  const ImageSet set = model_data(options.data, model.description, view, options.all_rows);
  const ImageSplit& split = set.split(options.split);
  if (!split.outliers) checked_labels(split, model.description.classes());
  options.mc.compute.precision = parse_precision(options.precision);
  if (shard) return logits_of_shard(options, *shard, model, set, split, view);
  const McOutput output = draw_split(model, split, options.mc, "predicting", view);
  write_split_logits(options.output, set, split, model, output);
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
      ->check(within(std::size_t{1}, std::size_t{100000}));
  command->add_option("--seed", options->mc.seed, "Seed of the passes")->capture_default_str();
  command
      ->add_option("--batch", options->mc.batch,
                   "Images at a time: bounds the memory, results do not depend on it")
      ->capture_default_str()
      ->check(within(std::int64_t{1}, std::int64_t{1000000}));
  command->add_flag("--all-rows", options->all_rows,
                    "Take the data set as it is, not the rows and splits of the model's recipe");
  command->add_flag("--mean", options->mc.mean_weights, "A single pass at mean weights");
  command->add_flag("--features", options->mc.features,
                    "Also write features_<stage> [N,D], averaged over the passes");
  add_device_option(*command, options->device);
  add_precision_option(*command, options->precision);
  add_convolution_option(*command, options->convolution);
  add_shard_option(*command, options->shard, "samples");
  command->footer(
      "Writes logits [S,N,K], labels and groups [N] where they are known, class_names [K], and of\n"
      "a set on disk files and column_<name> [N], the further columns of its manifest; also\n"
      "weights_hash, by which 'cubcal attach' knows whose calibration it is given.\n"
      "Rows, splits and sizes are those of the recipe the model was trained with.\n"
      "A deterministic model has one pass.\n"
      "With --shard, the file is named after the shard (val.2-of-4.npz for -o val.npz); one that "
      "is\n"
      "there is left as it is, and 'cubcal merge' puts them together. Every shard reads the set: "
      "an\n"
      "image that cannot be read ends all of them alike, unless the recipe says to leave it "
      "out.\n\n"
      "Example:\n"
      "  cubcal logits --model run --data phantom --split val -o val.npz\n"
      "  cubcal evaluate val.npz");
  command->callback([options] { logits(*options); });
}

}  // namespace cubcal::app
