#include <iostream>
#include <memory>

#include "commands.h"
#include "cubcal/calibration/calibration.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/ood/verdict_folder.h"

namespace cubcal::app {

namespace {

struct AttachOptions {
  std::string calibration;
  std::string model;
};

void attach(const AttachOptions& options) {
  const Calibration calibration = load_calibration(options.calibration);
  attach_calibration(options.model, calibration);
  std::cout << "the model in " << options.model << " carries " << options.calibration << " now: "
            << (has_stale_verdict(options.model)
                    ? "its verdict was fitted with another calibration: run 'cubcal ood --fit' "
                      "again, 'cubcal predict' refuses until then"
                    : "'cubcal predict' applies it")
            << '\n';
}

}  // namespace

void add_attach(CLI::App& app) {
  auto options = std::make_shared<AttachOptions>();
  CLI::App* command = app.add_subcommand("attach", "Give a model the calibration it is to use");
  command->add_option("CALIBRATION", options->calibration, "File that 'cubcal calibrate' wrote")
      ->required();
  command->add_option("--model", options->model, "Model folder, or run folder of 'cubcal train'")
      ->required();
  command->footer(
      "The calibration goes into model.json, in the place of one that is there. Logits stay as\n"
      "they are; 'cubcal predict' gives calibrated probabilities from then on. A verdict is for\n"
      "the calibration it was fitted with: attach first, then run 'cubcal ood --fit'.\n\n"
      "Example:\n"
      "  cubcal logits --model run --data phantom --split val -o val.npz\n"
      "  cubcal calibrate val.npz --method dts-guarded -o cal.json\n"
      "  cubcal attach cal.json --model run");
  command->callback([options] { attach(*options); });
}

}  // namespace cubcal::app
