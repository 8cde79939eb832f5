#include <iostream>
#include <memory>

#include "class_choice.h"
#include "commands.h"
#include "compute_setup.h"
#include "cubcal/core/error.h"
#include "cubcal/core/parse_number.h"
#include "cubcal/version.h"
#include "cubcal_nn/experiment/model_data.h"
#include "logits_input.h"
#include "ood_text.h"
#include "option_checks.h"
#include "work_view.h"

namespace cubcal::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kConformalRule = "conformal";

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
  std::string probes = "refuse";
  std::string accept_rule = "uncertainty";
  std::string set_score = "lac";
  std::optional<double> set_level;
  bool set_by_class = false;
  std::vector<std::string> misses;
  std::string json;
  std::string svg;
  bool fit = false;
  bool ignore_groups = false;
  double shrinkage = -1;
  double risk_target = 0;
  double risk_confidence = 0;
  OodRunOptions run;
  VerdictFit verdict;
  BootstrapOptions bootstrap;
};

std::optional<ConformalOptions> set_options(const OodOptions& options) {
  if (options.accept_rule != kConformalRule) {
    if (!options.set_level && !options.set_by_class && options.set_score == "lac") return {};
    throw ArgumentError("--set-level, --set-score and --set-by-class go with --accept-rule " +
                        std::string(kConformalRule));
  }
  if (options.risk_target > 0 || !options.misses.empty()) {
    throw ArgumentError(
        "--risk-target and --miss-target move a threshold on U, and --accept-rule conformal has "
        "none");
  }
  ConformalOptions sets;
  sets.score.score = score_from_name(options.set_score);
  sets.alpha = alpha_of_level(options.set_level.value_or(0.9));
  sets.by_class = options.set_by_class;
  return sets;
}

void complete(OodOptions& options) {
  options.run.features = feature_source_from_name(options.features);
  if (options.shrinkage >= 0) options.run.detector.shrinkage = options.shrinkage;
  if (options.risk_target > 0) options.verdict.options.risk_target = options.risk_target;
  if (options.risk_confidence > 0) {
    options.verdict.options.risk_confidence = options.risk_confidence;
  }
  options.verdict.options.sets = set_options(options);
  options.verdict.probes = probe_rule_from_name(options.probes);
  options.verdict.seed = options.run.mc.seed;
  check_detector_options(options.run.detector);
  check_verdict_options(options.verdict.options);
  if (options.fit) detector_entry(options.verdict.detector);
}

/// Of "CLASS=SHARE" each.
std::vector<MissTarget> miss_targets(const std::vector<std::string>& texts,
                                     const std::vector<std::string>& class_names) {
  std::vector<MissTarget> targets;
  for (const std::string& text : texts) {
    const std::size_t sign = text.rfind('=');
    const std::optional<double> share =
        sign == std::string::npos ? std::nullopt : parse_number(text.substr(sign + 1));
    if (!share) {
      throw ArgumentError("--miss-target must be CLASS=SHARE, such as melanoma=0.05, not '" + text +
                          "'");
    }
    targets.push_back({class_named("--miss-target", text.substr(0, sign), class_names), *share});
  }
  return targets;
}

Json head_json(const OodOptions& options, const ImageSet& set, OodRun& run) {
  Json json = {{"format", "cubcal-ood"},
               {"version", 1},
               {"program", std::string("cubcal ") + kVersion},
               {"model", options.model},
               {"data", set.name},
               {"fit_split", options.verdict.fit_split},
               {"id_split", options.id},
               {"ood_split", options.ood},
               {"features", options.features},
               {"passes", options.run.mc.passes},
               {"seed", options.run.mc.seed}};
  json["epsilon"] = run.epsilon() ? Json(*run.epsilon()) : Json();
  return json;
}

void ood(OodOptions options) {
  complete(options);
  const std::vector<OodRow> rows = chosen_rows(options.detectors);
  options.run.device = set_up_device(options.device);
  options.run.mc.compute.precision = parse_precision(options.precision);
  LoadedModel model = load_model(options.model, options.run.device);
  if (model.description.kind == LayerKind::kDeterministic) options.run.mc.passes = 1;
  std::ostream& out = options.json == "-" ? std::cerr : std::cout;
  WorkView view(/*threads_given=*/false, out);
  options.verdict.options.miss_targets =
      miss_targets(options.misses, model.description.class_names);
  check_verdict_options(options.verdict.options);
  const ImageSet set = model_data(options.data, model.description, view);
  if (!options.fit || set.has_split(options.ood)) set.split(options.ood);
  const ImageSplit& id = set.split(options.id);
  if (id.outliers) throw ArgumentError("--id names a split of outliers: '" + options.id + "'");
  if (options.fit) check_held_out(set, options.verdict);

  OodRun run(model, set, options.run, view);
  Json json;
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
    json = head_json(options, set, run);
    json.update(ood_table_json(table));
    if (!options.svg.empty()) write_ood_figures(options.svg, table);
    out << '\n';
    print_referral(out, run, id);
    json["referral"] = referral_json(run, id);
  } else {
    json = head_json(options, set, run);
    out << "There is no split '" << options.ood << "': no outliers to score detectors on.\n";
  }
  if (options.fit) {
    const FittedVerdict verdict = fit_and_attach(run, options.model, model, set, options.run,
                                                 options.verdict, options.id, options.ood);
    out << '\n';
    print_verdict(out, verdict, model.description.class_names);
    for (const std::string& each : verdict.warnings) view.warning(each);
    out << "The model in " << options.model << " carries it now.\n";
    json["verdict"] = verdict_json(verdict);
  }
  if (!options.json.empty()) write_text(options.json, json.dump(2) + "\n");
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
      ->check(CLI::Range(std::size_t{1}, std::size_t{100000}));
  command->add_option("--seed", options->run.mc.seed, "Seed of the passes")
      ->capture_default_str()
      ->check(not_negative());
  command
      ->add_option("--features", options->features,
                   "Features at mean weights (mean), or averaged over the passes (mc)")
      ->capture_default_str()
      ->check(CLI::IsMember({"mean", "mc"}));
  command->add_option("--fit-split", options->verdict.fit_split, "Split the detectors learn from")
      ->capture_default_str();
  command->add_option("--id", options->id, "Split of ID images to score")->capture_default_str();
  command->add_option("--ood", options->ood, "Split of outliers")->capture_default_str();
  command->add_option("--by", options->by,
                      "Column that tells the kinds of outliers apart (default: label_name)");
  command
      ->add_option("--shrinkage", options->shrinkage,
                   "Of the covariances, 0 to 1 (default: none while they are regular, else OAS)")
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--neighbours", options->run.detector.neighbours, "k of kNN")
      ->capture_default_str();
  command
      ->add_option("--explained", options->run.detector.explained_variance,
                   "Share of variance that the PCA detectors explain")
      ->capture_default_str();
  command->add_option("--bootstrap", options->bootstrap.replicates, "Replicates of the intervals")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}));
  command->add_flag("--ignore-groups", options->ignore_groups,
                    "Resample single images even where the set has groups");
  CLI::Option* fit =
      command->add_flag("--fit", options->fit,
                        "Fit a verdict (accept, refer, out-of-scope) and write it into the model");
  command
      ->add_option("--verdict-detector", options->verdict.detector,
                   "With --fit: the feature detector to use")
      ->needs(fit)
      ->capture_default_str();
  command
      ->add_option("--probes", options->probes,
                   "With --fit: a verdict that accepts noise, inverted, shuffled, recoloured or "
                   "blank images is not written (refuse), or is with a warning (warn)")
      ->needs(fit)
      ->capture_default_str()
      ->check(CLI::IsMember({"refuse", "warn"}));
  command
      ->add_option("--alpha", options->verdict.options.alpha,
                   "With --fit: share of ID images that may be called out-of-scope")
      ->needs(fit)
      ->capture_default_str();
  command
      ->add_option("--risk-target", options->risk_target,
                   "With --fit: refer so that the error rate among accepted validation images "
                   "is at most this (default: refer where U exceeds eta)")
      ->needs(fit)
      ->check(CLI::Range(1e-9, 1.0));
  command
      ->add_option("--risk-confidence", options->risk_confidence,
                   "With --risk-target: meet it with the upper bound of this confidence")
      ->needs(fit)
      ->check(CLI::Range(1e-9, 1.0));
  command
      ->add_option(
          "--miss-target", options->misses,
          "With --fit: CLASS=SHARE: refer so that of the validation images of this class at "
          "most this share is accepted with a wrong answer; may be repeated")
      ->needs(fit)
      ->take_all();
  command
      ->add_option("--accept-rule", options->accept_rule,
                   "With --fit: accept what U leaves certain (uncertainty), or what has a "
                   "prediction set that holds the answer alone (conformal)")
      ->needs(fit)
      ->capture_default_str()
      ->check(CLI::IsMember({"uncertainty", kConformalRule}));
  command
      ->add_option("--set-level", options->set_level,
                   "With --accept-rule conformal: share of sets that hold the true class (default: "
                   "0.9)")
      ->needs(fit)
      ->check(CLI::Range(1e-9, 1 - 1e-9));
  command
      ->add_option("--set-score", options->set_score,
                   "With --accept-rule conformal: lac, aps or raps")
      ->needs(fit)
      ->capture_default_str()
      ->check(CLI::IsMember({"lac", "aps", "raps"}));
  command
      ->add_flag("--set-by-class", options->set_by_class,
                 "With --accept-rule conformal: keep the level for each class by itself")
      ->needs(fit);
  command
      ->add_option("--batch", options->run.mc.batch,
                   "Images at a time: bounds the memory, results do not depend on it")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000}));
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
