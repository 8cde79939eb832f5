#include <iostream>
#include <memory>

#include "bootstrap_options.h"
#include "calibration_choice_text.h"
#include "commands.h"
#include "compute_setup.h"
#include "cubcal/core/words.h"
#include "cubcal/io/utf8.h"
#include "cubcal_nn/deploy/deployment.h"
#include "identity_options.h"
#include "logits_input.h"
#include "ood_text.h"
#include "option_checks.h"
#include "verdict_options.h"
#include "work_view.h"

namespace cubcal::app {

namespace {

struct DeployCommandOptions {
  std::string device = "cpu";
  std::string precision = "auto";
  IdentityChoice identity;
  VerdictChoice verdict;
  DeployOptions deploy;
};

DeployReports reports_on(std::ostream& out) {
  DeployReports reports;
  reports.calibrated = [&out](const LogitsFile& validation, const CalibrationChoice& choice) {
    out << '\n';
    print_choice(out, describe(validation), choice, MetricOptions{});
    out << '\n' << std::flush;
  };
  reports.judged = [&out](const FittedVerdict& verdict, const std::vector<std::string>& names) {
    out << '\n';
    print_verdict(out, verdict, names);
    out << '\n' << std::flush;
  };
  return reports;
}

/// What a new network did or did not take over unasked.
void tell_what_was_kept(const IdentityChoice& choice, const ModelIdentity& now,
                        const ModelIdentity& before) {
  const std::string version = "version " + before.version;
  if (choice.status.empty() && before.status != now.status) {
    std::cout << "its status is " << name_of(kModelStatuses, now.status) << ": that of " << version
              << ", " << name_of(kModelStatuses, before.status)
              << ", is not taken over, state it with --status\n";
  }
  if (!choice.intended_use.empty() || before.intended_use.empty()) return;
  if (now.intended_use.empty()) {
    std::cout << "its intended use is not said: that of " << version
              << " is of a model called otherwise, state it with --intended-use\n";
  } else {
    std::cout << "its intended use is that of " << version << ": " << printable(now.intended_use)
              << '\n';
  }
}

void deploy_command(DeployCommandOptions options) {
  check_choice(options.verdict);
  DeployOptions& deploying = options.deploy;
  deploying.device = set_up_device(options.device);
  deploying.mc.compute.precision = parse_precision(options.precision);
  deploying.verdict = verdict_fit(
      options.verdict, read_model_description(deploying.run).class_names, deploying.mc.seed);
  deploying.identity = [&](const std::optional<ModelIdentity>& earlier) {
    std::optional<ModelIdentity> kept = earlier;
    if (kept) {
      const std::string& name = options.identity.name;
      kept = kept_identity(*kept, name.empty() ? kept->name : name);
    }
    return chosen_identity(options.identity, kept, last_part(deploying.output));
  };
  deploying.identity(std::nullopt);  // what is wrong with it is told before the work
  deploying.command = "cubcal deploy " + deploying.run + " -o " + deploying.output + " ...";
  WorkView view;
  const Deployment done = deploy(deploying, reports_on(std::cout), view);
  const std::string name = printable(identity_text(done.identity));
  if (done.done_before) {
    std::cout << done.folder << " holds " << name
              << ", made with these settings: there is nothing to do\n";
    return;
  }
  for (const std::string& note : done.notes) std::cerr << "cubcal: " << printable(note) << '\n';
  std::cout << "wrote " << done.folder << ": " << name << ", "
            << (done.calibration.empty() ? "without calibration"
                                         : "calibrated by " + done.calibration)
            << ", with a verdict, report.html and model-card.md\n";
  if (done.kept) {
    std::cout << "the version before it is kept in " << *done.kept << '\n';
    tell_what_was_kept(options.identity, done.identity, *done.earlier);
  }
}

}  // namespace

void add_deploy(CLI::App& app) {
  auto options = std::make_shared<DeployCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "deploy", "From a run to a model to use: calibration, verdict, report and model card");
  DeployOptions& deploying = options->deploy;
  command->add_option("RUN", deploying.run, "Run folder of 'cubcal train', or a model folder")
      ->required();
  command->add_option("-o,--output", deploying.output, "Folder of the model")->required();
  command->add_option("--data", deploying.data,
                      "phantom, or the path of the data set (default: the one it was trained on)");
  add_identity_options(*command, options->identity, "research, whatever was there");
  command->add_option("--mc", deploying.mc.passes, "Stochastic passes")
      ->capture_default_str()
      ->check(within(std::size_t{1}, std::size_t{100000}));
  command->add_option("--seed", deploying.mc.seed, "Seed of the passes")->capture_default_str();
  command
      ->add_option("--batch", deploying.mc.batch,
                   "Images at a time: bounds the memory, results do not depend on it")
      ->capture_default_str()
      ->check(within(std::int64_t{1}, std::int64_t{1000000}));
  add_verdict_options(*command, options->verdict, nullptr);
  command
      ->add_option("--bootstrap", deploying.bootstrap.replicates,
                   "Replicates of the intervals on the page")
      ->capture_default_str()
      ->check(enough_replicates());
  add_device_option(*command, options->device);
  add_precision_option(*command, options->precision);
  command->footer(
      "Draws logits of the validation and test images, takes the calibration that 'cubcal\n"
      "calibrate' advises, or none, fits the verdict as 'cubcal ood --fit' does, and writes the "
      "page\n"
      "and the model card, all into one folder, which appears when all of it is done. A stopped\n"
      "deployment goes on where it was with the same command. Onto a model that is there it makes\n"
      "the next version; the one before stays, in MODEL/versions/VERSION.\n\n"
      "Example:\n"
      "  cubcal deploy runs/skin -o models/skin --name \"Skin lesions\" --risk-target 0.05\n"
      "  cubcal predict --model models/skin photographs/");
  command->callback([options] { deploy_command(*options); });
}

}  // namespace cubcal::app
