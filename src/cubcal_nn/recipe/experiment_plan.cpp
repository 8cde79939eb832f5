#include "cubcal_nn/recipe/experiment_plan.h"

#include <fnmatch.h>

#include <algorithm>

#include "cubcal/core/error.h"
#include "cubcal/core/path_part.h"
#include "cubcal/core/words.h"
#include "cubcal/io/utf8.h"
#include "cubcal_nn/recipe/strict_table.h"
#include "cubcal_nn/train/run_options.h"

namespace cubcal {

namespace {

std::vector<std::string> regime_overrides(const std::string& regime) {
  if (regime == "full") return {};
  if (regime == "balanced") return {"data.balance=true"};
  std::size_t used = 0;
  double percent = 0;
  try {
    percent = std::stod(regime, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || regime.substr(used) != "%" || !(percent > 0 && percent < 100)) {
    throw ArgumentError("there is no data regime '" + regime +
                        "'; known are full, balanced and a share of train and val such as 25%");
  }
  return {"data.fraction=" + std::to_string(percent / 100)};
}

void check_variant_name(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 ||
           std::string("+-._=").find(char(letter)) != std::string::npos;
  });
  if (!plain || !is_path_part(name)) {
    throw ArgumentError(
        "the name of a variant becomes a folder's, so it must be of letters, "
        "digits, + - . _ and =, and neither empty nor . or .., not '" +
        name + "'");
  }
}

std::map<std::string, std::vector<std::string>> read_lists(StrictTable table) {
  std::map<std::string, std::vector<std::string>> lists;
  for (const std::string& key : table.keys()) table.read(key.c_str(), lists[key]);
  table.finish();
  return lists;
}

/// What the plan sets for this method or regime.
void add_own(const ExperimentPlan& plan, const std::string& name,
             std::vector<std::string>& overrides) {
  const auto own = plan.set.find(name);
  if (own == plan.set.end()) return;
  overrides.insert(overrides.end(), own->second.begin(), own->second.end());
}

std::vector<std::string> method_overrides(const ExperimentPlan& plan, const std::string& method) {
  std::vector<std::string> overrides;
  if (is_made_of_deterministic(method)) {
    add_own(plan, kDeterministicMethod, overrides);
    return overrides;
  }
  if (method != kDeterministicMethod) overrides.push_back("stage2.method='" + method + "'");
  if (training_method(method).kind == LayerKind::kMcDropout) {
    overrides.emplace_back("stage2.passes=1");
  }
  add_own(plan, method, overrides);
  return overrides;
}

/// A regime and a seed: the deterministic run first, because the others start from it.
void add_runs(const ExperimentPlan& plan, const std::string& regime, std::uint64_t seed,
              std::vector<ExperimentRun>& runs) {
  const auto add = [&](const std::string& method, const std::vector<std::string>& overrides) {
    ExperimentRun run{regime, seed, method, regime_overrides(regime)};
    add_own(plan, regime, run.overrides);
    run.overrides.push_back("seed=" + std::to_string(seed));
    const bool first_stage = method == kDeterministicMethod || is_made_of_deterministic(method);
    run.overrides.emplace_back(first_stage ? "stages=[1]" : "stages=[2]");
    run.overrides.insert(run.overrides.end(), overrides.begin(), overrides.end());
    runs.push_back(std::move(run));
  };
  add(kDeterministicMethod, method_overrides(plan, kDeterministicMethod));
  for (const std::string& method : plan.methods) {
    if (method != kDeterministicMethod) add(method, method_overrides(plan, method));
  }
  if (regime != "full") return;
  for (const auto& [name, overrides] : plan.variants) add(name, overrides);
}

}  // namespace

bool is_made_of_deterministic(const std::string& method) {
  return method == kEnsembleMethod || method == kLaplaceMethod;
}

FitOptions CalibrationPlan::fit_options(CalibrationMethod method) const {
  FitOptions options;
  options.method = method;
  options.thresholds = thresholds;
  options.eta = eta;
  if (is_scalar(method)) options.box = box;
  if (method == CalibrationMethod::kDts) {
    options.box_high = box_high;
    options.box_low = box_low;
  }
  return options;
}

ExperimentPlan read_experiment(StrictTable table) {
  ExperimentPlan plan;
  table.read("name", plan.name);
  table.read("paper", plan.paper);
  table.read("methods", plan.methods);
  table.read("regimes", plan.regimes);
  table.read("smoke", plan.smoke);
  table.read("seeds", plan.seeds);
  table.read("passes", plan.passes);
  table.read("members", plan.members);
  table.read("model", plan.model);
  table.read("ood_by", plan.ood_by);
  plan.set = read_lists(table.section("set"));
  plan.variants = read_lists(table.section("variants"));
  table.finish();
  return plan;
}

namespace {

bool is_method(const std::string& name) {
  const std::vector<TrainingMethod> methods = training_methods();
  return std::any_of(methods.begin(), methods.end(),
                     [&name](const TrainingMethod& each) { return each.name == name; });
}

}  // namespace

void check_experiment_plan(const ExperimentPlan& plan) {
  for (const std::string& regime : plan.regimes) regime_overrides(regime);
  for (const std::string& method : plan.methods) {
    if (!is_made_of_deterministic(method)) training_method(method);
  }
  for (const auto& [name, overrides] : plan.set) {
    const bool is_regime =
        std::find(plan.regimes.begin(), plan.regimes.end(), name) != plan.regimes.end();
    if (is_made_of_deterministic(name)) {
      throw ArgumentError("experiment.set." + name +
                          " has no effect: it is made of deterministic runs");
    }
    if (!is_regime) training_method(name);
  }
  for (const auto& [name, overrides] : plan.variants) {
    check_variant_name(name);
    if (is_method(name) || is_made_of_deterministic(name)) {
      throw ArgumentError("a variant cannot be named '" + name + "', which is a method");
    }
  }
  if (plan.members < 2 || plan.members > 100) {
    throw ArgumentError("experiment.members must be 2 to 100");
  }
  if (!plan.name.empty() && !is_path_part(plan.name)) {
    throw ArgumentError("experiment.name cannot be " + in_quotes(plan.name) + ": " + kPathPartRule);
  }
  if (plan.regimes.empty()) throw ArgumentError("experiment.regimes lists none");
  if (plan.passes == 0 || plan.seeds == 0) {
    throw ArgumentError("experiment.passes and experiment.seeds must be at least 1");
  }
  const std::vector<std::string> papers = {"", "chest", "retina", "skin"};
  if (std::find(papers.begin(), papers.end(), plan.paper) == papers.end()) {
    throw ArgumentError("experiment.paper must be chest, retina or skin, not '" + plan.paper + "'");
  }
  if (plan.model != "last" && plan.model != "best") {
    throw ArgumentError("experiment.model must be last or best, not '" + plan.model + "'");
  }
}

std::string ExperimentRun::id() const {
  return regime + "/seed" + std::to_string(seed) + "/" + method;
}

std::string ExperimentRun::start_id() const {
  return regime + "/seed" + std::to_string(seed) + "/" + kDeterministicMethod;
}

ExperimentRun ensemble_member(const ExperimentRun& ensemble, std::size_t index) {
  constexpr std::uint64_t kApart = 1000;  // beyond the seeds of an experiment
  ExperimentRun run = ensemble;
  run.method += "/member" + std::to_string(index + 1);
  run.overrides.push_back("seed=" + std::to_string(ensemble.seed + kApart * index));
  return run;
}

std::vector<ExperimentRun> experiment_runs(const ExperimentPlan& plan, std::size_t seeds,
                                           const std::vector<std::string>& only) {
  std::vector<ExperimentRun> all;
  for (const std::string& regime : plan.regimes) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) add_runs(plan, regime, seed, all);
  }
  if (only.empty()) return all;
  std::vector<std::string> wanted;
  for (const std::string& pattern : only) {
    const std::size_t before = wanted.size();
    for (const ExperimentRun& run : all) {
      if (::fnmatch(pattern.c_str(), run.id().c_str(), 0) != 0) continue;
      wanted.push_back(run.id());
      wanted.push_back(run.start_id());
    }
    if (wanted.size() > before) continue;
    std::vector<std::string> known;
    known.reserve(all.size());
    for (const ExperimentRun& run : all) known.push_back(run.id());
    throw ArgumentError("the option 'only' '" + pattern + "' matches no run; there are " +
                        joined(known, ", "));
  }
  std::vector<ExperimentRun> chosen;
  for (ExperimentRun& run : all) {
    const bool is_wanted = std::find(wanted.begin(), wanted.end(), run.id()) != wanted.end();
    if (is_wanted) chosen.push_back(std::move(run));
  }
  return chosen;
}

}  // namespace cubcal
