#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "adaptive_options.h"
#include "commands.h"
#include "cubcal/adaptive/replay_report.h"
#include "cubcal/boundary/curve.h"
#include "cubcal/evaluation/predict_file.h"
#include "input_options.h"
#include "logits_input.h"
#include "number_text.h"
#include "table_output.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

using Json = nlohmann::ordered_json;

struct AdaptiveCommandOptions {
  std::string file;
  std::string calibration;
  std::string json;
  InputOptions input;
  AdaptiveOptions adaptive;
  DecisionOptions decision;
  bool no_gamma = false;
};

ReplayReport make_report(const AdaptiveCommandOptions& options) {
  check_output(options.json, {options.file, options.calibration});
  const LogitsFile file = read_input(options.file, options.input);
  ReplayReport report;
  report.title = describe(file);
  report.adaptive = options.adaptive;
  report.decision = options.decision;
  report.calibration = calibration_at(options.calibration);
  if (options.decision.gamma) {
    check_gamma(*options.decision.gamma, McLogits(file.logits).classes());
  }
  try {
    const bool as_they_are = file.probabilities.size() > 0 && !report.calibration;
    report.replay = replay_adaptive(McLogits(as_they_are ? file.probabilities : file.logits),
                                    options.adaptive, options.decision, report.calibration,
                                    as_they_are ? NumberKind::kProbabilities : NumberKind::kLogits);
  } catch (const DataError& error) {
    throw DataError(file.path + ": " + error.what());
  }
  report.changes = changes(report.replay);
  return report;
}

void print_report(const ReplayReport& report) {
  const AdaptiveChanges& changes = report.changes;
  std::cout << report.title << '\n'
            << (report.calibration
                    ? std::string("Calibrated with ") + method_name(report.calibration->method)
                    : std::string("Not calibrated"))
            << ".\n\nMean passes " << fixed(changes.mean_passes, 2) << " of " << report.replay.total
            << "; " << in_percent(report.share(changes.all_passes))
            << "% of the samples took all.\n\n";
  TextTable changed({"decision unlike that of all passes", "samples", "%", "95% interval"});
  for (const ReplayReport::Change& row : report.rows()) {
    changed.add({row.name, std::to_string(row.count), in_percent(report.share(row.count), 2),
                 "[" + in_percent(report.lower(row.count), 2) + ", " +
                     in_percent(report.upper(row.count), 2) + "]"});
  }
  std::cout << changed << "Promised: at most " << in_percent(report.adaptive.error, 2)
            << "%; predicted: " << in_percent(changes.mean_risk, 3) << "%. "
            << (report.is_broken()
                    ? "The promise is broken: take a larger --first or a smaller --error.\n\n"
                    : "Nothing here speaks against the promise.\n\n");
  TextTable taken({"passes", "samples", "settled so far (%)"});
  std::size_t so_far = 0;
  for (const auto& [passes, samples] : report.histogram()) {
    so_far += samples;
    taken.add({std::to_string(passes), std::to_string(samples), in_percent(report.share(so_far))});
  }
  std::cout << taken;
}

void replay_file(AdaptiveCommandOptions options) {
  if (options.no_gamma) options.decision.gamma.reset();
  const ReplayReport report = make_report(options);
  if (!options.json.empty()) {
    write_text(options.json,
               to_json(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  if (options.json != "-") print_report(report);
}

}  // namespace

void add_adaptive(CLI::App& app) {
  auto options = std::make_shared<AdaptiveCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "adaptive", "Tell how many passes a model needs when each sample stops once it is settled");
  command->add_option("FILE", options->file, ".npz or .pt with logits [S,N,K]")->required();
  command->add_option("--calibration", options->calibration,
                      "Apply this calibration first (from 'cubcal calibrate')");
  add_input_options(*command, options->input);
  add_stopping_options(*command, options->adaptive, options->no_gamma);
  command
      ->add_option("--eta", options->decision.uncertainty,
                   "Refer where the uncertainty exceeds this, in nats")
      ->capture_default_str();
  command
      ->add_option_function<double>(
          "--gamma", [options](const double& gamma) { options->decision.gamma = gamma; },
          "Confidence whose side must be settled too")
      ->default_str("0.9");
  add_json_option(*command, options->json);
  command->footer(
      "Takes the passes of the file in blocks and stops each sample when class, accept/refer and\n"
      "side of gamma are settled; then compares with what all passes decide. The decisions of\n"
      "'cubcal predict --adaptive' on the same passes are these.\n\n"
      "Example:\n"
      "  cubcal example --out demo --passes 80\n"
      "  cubcal adaptive demo/test.npz --error 0.005");
  command->callback([options] { replay_file(*options); });
}

}  // namespace cubcal::app
