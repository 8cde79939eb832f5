#include <iostream>
#include <memory>

#include "bootstrap_options.h"
#include "commands.h"
#include "compute_setup.h"
#include "cubcal/core/error.h"
#include "cubcal/version.h"
#include "cubcal_nn/experiment/model_data.h"
#include "logits_input.h"
#include "ood_text.h"
#include "option_checks.h"
#include "verdict_options.h"
#include "work_view.h"

namespace cubcal::app {

namespace {

struct OodOptions {
  std::string model;
  std::string data;
  std::string detectors = "all";
  std::string id = "test";
  std::string ood = "ood";
  std::string by;
  std::string features = "mean";
  std::string device = "cpu";
  std::string precision = "auto";
  std::string json;
  std::string svg;
  bool fit = false;
  bool ignore_groups = false;
  double shrinkage = -1;
  OodRunOptions run;
  VerdictChoice choice;
  VerdictFit verdict;  ///< what the choice comes to
  BootstrapOptions bootstrap;
};

void complete(OodOptions& options) {
  options.run.features = feature_source_from_name(options.features);
  if (options.shrinkage >= 0) options.run.detector.shrinkage = options.shrinkage;
  options.verdict = options.choice.fit;
  check_detector_options(options.run.detector);
  if (options.fit) check_choice(options.choice);
}

OodSetup setup_of(const OodOptions& options, OodRun& run) {
  OodSetup setup;
  setup.program = std::string("cubcal ") + kVersion;
  setup.model = options.model;
  setup.fit_split = options.verdict.fit_split;
  setup.id_split = options.id;
  setup.ood_split = options.ood;
  setup.features = options.features;
  setup.passes = options.run.mc.passes;
  setup.seed = options.run.mc.seed;
  setup.epsilon = run.epsilon();
  return setup;
}

void ood(OodOptions options) {
  complete(options);
  const std::vector<OodRow> rows = chosen_rows(options.detectors);
  options.run.device = set_up_device(options.device);
  options.run.mc.compute.precision = parse_precision(options.precision);
  LoadedModel model = load_model(options.model, options.run.device);
  options.run.mc.passes = drawn_passes(*model.network, options.run.mc);
  std::ostream& out = options.json == "-" ? std::cerr : std::cout;
  WorkView view(/*threads_given=*/false, out);
  if (options.fit) {
    options.verdict =
        verdict_fit(options.choice, model.description.class_names, options.run.mc.seed);
  }
  const ImageSet set = model_data(options.data, model.description, view);
  if (!options.fit || set.has_split(options.ood)) set.split(options.ood);
  const ImageSplit& id = set.split(options.id);
  if (id.outliers) throw ArgumentError("--id names a split of outliers: '" + options.id + "'");
  if (options.fit) check_held_out(set, options.verdict);

  OodRun run(model, set, options.run, view);
  OodRecord record;
  record.data = set.name;
  if (set.has_split(options.ood)) {
    const ImageSplit& ood = set.split(options.ood);
    run.fit(rows, options.verdict.fit_split);
    const OodTable table = make_ood_table(run, rows, id, ood, ood_categories(set, ood, options.by),
                                          options.bootstrap, !options.ignore_groups);
    out << "ID: " << id.size() << " images of '" << id.name << "'; OOD: " << ood.size() << " of '"
        << ood.name << "'; features at "
        << (options.run.features == FeatureSource::kMeanWeights ? "mean weights"
                                                                : "the passes' mean")
        << ", fitted on '" << options.verdict.fit_split << "'";
    if (run.epsilon()) out << "; perturbation by " << *run.epsilon();
    out << ".\n\n";
    print_ood_table(out, table);
    record.table = table_record(table);
    if (!options.svg.empty()) write_ood_figures(options.svg, table);
    out << '\n';
    print_referral(out, run, id);
    record.referral = referral_json(run, id);
  } else {
    out << "There is no split '" << options.ood << "': no outliers to score detectors on.\n";
  }
  record.setup = setup_of(options, run);
  if (options.fit) {
    const FittedVerdict verdict = fit_and_attach(run, options.model, model, set, options.run,
                                                 options.verdict, options.id, options.ood);
    out << '\n';
    print_verdict(out, verdict, model.description.class_names);
    for (const std::string& each : verdict.warnings) view.warning(each);
    out << "The model in " << options.model << " carries it now.\n";
    record.verdict = verdict_json(verdict);
  }
  if (!options.json.empty()) write_text(options.json, to_json(record).dump(2) + "\n");
}

}  // namespace

void add_ood(CLI::App& app) {
  auto options = std::make_shared<OodOptions>();
  CLI::App* command = app.add_subcommand(
      "ood", "Tell images unlike the training images: table of detectors, verdict of a model");
  command->add_option("--model", options->model, "Model folder, or run folder of 'cubcal train'")
      ->required();
  command
      ->add_option("--data", options->data,
                   "phantom, phantom:SEED, or the path of a data set: manifest, folder, .npz, pack")
      ->required();
  command
      ->add_option("--detectors", options->detectors,
                   "all, or names that commas separate (see below)")
      ->capture_default_str();
  command->add_option("--mc", options->run.mc.passes, "Stochastic passes")
      ->capture_default_str()
      ->check(within(std::size_t{1}, std::size_t{100000}));
  command->add_option("--seed", options->run.mc.seed, "Seed of the passes")->capture_default_str();
  command
      ->add_option("--features", options->features,
                   "Features at mean weights (mean), or averaged over the passes (mc)")
      ->capture_default_str()
      ->check(CLI::IsMember({"mean", "mc"}));
  command
      ->add_option("--fit-split", options->choice.fit.fit_split, "Split the detectors learn from")
      ->capture_default_str();
  command->add_option("--id", options->id, "Split of ID images to score")->capture_default_str();
  command->add_option("--ood", options->ood, "Split of outliers")->capture_default_str();
  command->add_option("--by", options->by,
                      "Column that tells the kinds of outliers apart (default: label_name)");
  command
      ->add_option("--shrinkage", options->shrinkage,
                   "Of the covariances, 0 to 1 (default: none while they are regular, else OAS)")
      ->check(within(0.0, 1.0));
  command->add_option("--neighbours", options->run.detector.neighbours, "k of kNN")
      ->capture_default_str();
  command
      ->add_option("--explained", options->run.detector.explained_variance,
                   "Share of variance that the PCA detectors explain")
      ->capture_default_str();
  command->add_option("--bootstrap", options->bootstrap.replicates, "Replicates of the intervals")
      ->capture_default_str()
      ->check(enough_replicates());
  command->add_flag("--ignore-groups", options->ignore_groups,
                    "Resample single images even where the set has groups");
  CLI::Option* fit =
      command->add_flag("--fit", options->fit,
                        "Fit a verdict (accept, refer, out-of-scope) and write it into the model");
  add_verdict_options(*command, options->choice, fit);
  command
      ->add_option("--batch", options->run.mc.batch,
                   "Images at a time: bounds the memory, results do not depend on it")
      ->capture_default_str()
      ->check(within(std::int64_t{1}, std::int64_t{1000000}));
  command->add_option("--json", options->json, "Write everything as JSON here, '-': stdout");
  command->add_option("--svg", options->svg, "Write score histograms as PREFIX-<detector>.svg");
  add_device_option(*command, options->device);
  add_precision_option(*command, options->precision);
  std::string known;
  for (const OodRow& row : ood_rows()) known += (known.empty() ? "" : ", ") + row.key;
  command->footer(
      "Detectors are fitted on ID training images alone. Names: " + known +
      ".\nThresholds of DTS, of the perturbation and of the verdict come from split 'val'.\n\n"
      "Example:\n"
      "  cubcal ood --model run --data phantom --detectors uncertainty,mahalanobis,knn\n"
      "  cubcal ood --model run --data phantom --fit --risk-target 0.05\n"
      "  cubcal ood --model run --data phantom --fit --accept-rule conformal --set-level 0.9");
  command->callback([options] { ood(*options); });
}

}  // namespace cubcal::app
