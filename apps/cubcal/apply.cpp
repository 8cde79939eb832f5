#include <iostream>
#include <memory>

#include "commands.h"
#include "cubcal/calibration/calibration.h"
#include "cubcal/core/error.h"
#include "cubcal/evaluation/predict_file.h"
#include "input_options.h"
#include "logits_input.h"
#include "predictions_output.h"

namespace cubcal::app {

namespace {

struct ApplyOptions {
  std::string file;
  std::string calibration;
  std::string output;
  InputOptions input;
};

Predictions apply_to(const LogitsFile& file, const std::optional<Calibration>& calibration) {
  Predictive plain = predict_file(file, std::nullopt);
  Predictions applied;
  if (!calibration) {
    applied.predictive = std::move(plain);
    return applied;
  }
  try {
    applied.predictive = calibrated_prediction(file, *calibration, plain);
  } catch (const DataError& error) {
    throw DataError(file.path + ": " + error.what());
  }
  // Of probabilities, too, it is the prediction of the logits that decides on the temperature.
  const Predictive unscaled =
      file.probabilities.size() > 0 ? predict(McLogits(file.logits)) : std::move(plain);
  applied.temperatures = sample_temperatures(*calibration, unscaled);
  applied.regions.resize(unscaled.samples);
  // One temperature scales both regions alike: naming them would say "sharpen" of what it softens.
  for (std::size_t i = 0; i < unscaled.samples && !is_scalar(calibration->method); ++i) {
    const ScalingRegion region =
        scaling_region(unscaled.confidence[i], unscaled.entropy[i], calibration->thresholds);
    applied.regions[i] = region == ScalingRegion::kSharpen ? "sharpen" : "soften";
  }
  return applied;
}

void apply(const ApplyOptions& options) {
  check_predictions_name(options.output);
  check_output(options.output,
               {options.file, options.calibration, options.input.reading.labels_file});
  const LogitsFile file = read_input(options.file, options.input);
  const std::optional<Calibration> calibration = calibration_at(options.calibration);
  const Predictions applied = apply_to(file, calibration);
  write_predictions(options.output, file, applied);
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
  command->add_option("FILE", options->file, ".npz or .pt with logits")->required();
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
