#include "cubcal_nn/experiment/experiment_runner.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "cubcal/core/check.h"
#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/folder_lock.h"
#include "cubcal_nn/experiment/derived_part.h"
#include "cubcal_nn/experiment/part_record.h"

namespace cubcal {

namespace {

using Clock = std::chrono::steady_clock;

/// Little of everything: shows that an experiment runs, not what comes of it.
const std::vector<std::string> kSmokeOverrides = {
    "stage1.epochs=1",   "stage1.batch=64",     "stage2.epochs=1",
    "stage2.batch=64",   "stage2.passes=2",     "stage2.beta_warmup_epochs=0",
    "stage2.patience=0", "stage2.min_epochs=0", "validation.passes=2"};
/// Of images on disk, where the recipe names nothing else.
const std::vector<std::string> kSmokeData = {"data.sample=0.03", "data.image_size=32",
                                             "data.resize_to=32"};
constexpr std::size_t kSmokePasses = 8;
constexpr std::size_t kSmokeReplicates = 100;

/// How long runs took, by method, and what that says of those to come.
class Timing {
 public:
  void add(const std::string& method, double seconds) {
    for (Mean* mean : {&all_, &by_method_[method]}) {
      mean->sum += seconds;
      mean->count += 1;
    }
  }
  /// Nothing before the first run is done.
  std::optional<double> left(const std::vector<ExperimentRun>& missing, std::size_t from) const {
    if (all_.count == 0) return std::nullopt;
    double sum = 0;
    for (std::size_t i = from; i < missing.size(); ++i) {
      const auto own = by_method_.find(missing[i].method);
      sum += (own == by_method_.end() ? all_ : own->second).value();
    }
    return sum;
  }

 private:
  struct Mean {
    double sum = 0;
    double count = 0;
    double value() const { return sum / count; }
  };

  Mean all_;
  std::map<std::string, Mean> by_method_;
};

std::string duration_text(double seconds) {
  if (seconds < 90) return fixed(seconds, 0) + " s";
  if (seconds < 90 * 60) return fixed(seconds / 60, 0) + " min";
  return fixed(seconds / 3600, 1) + " h";
}

/// The images of the last run, kept while the next ones take the same.
class KeptImages {
 public:
  explicit KeptImages(WorkObserver& observer) : observer_(observer) {}

  const ImageSet& of(const Recipe& recipe) {
    const DataOptions& data = recipe.data;
    const bool follows_seed = data.sample < 1 || data.fraction < 1 || data.balance;
    std::string key;
    for (const auto& [name, value] : recipe.settings) {
      const bool is_choice = starts_with(name, "data.") && name != "data.normalise";
      if (is_choice && (follows_seed || name != "data.seed")) {
        key.append(name).append("=").append(value).append("\n");
      }
    }
    if (!set_ || key != key_) {
      set_.reset();
      cannot_be_read_ = true;
      set_.emplace(observer_.read_images(recipe.data));
      cannot_be_read_ = false;
      key_ = key;
    }
    return *set_;
  }
  bool cannot_be_read() const { return cannot_be_read_; }

 private:
  WorkObserver& observer_;
  std::string key_;
  std::optional<ImageSet> set_;
  bool cannot_be_read_ = false;
};

/// What the grid itself decides: a change by the user would make runs that are not what they say.
void check_user_overrides(const std::vector<std::string>& overrides) {
  for (const std::string& each : overrides) {
    const std::string key = each.substr(0, each.find('='));
    if (key == "seed" || key == "stages") {
      throw ArgumentError(
          "the option 'set' " + key + " does not go with an experiment, which has runs of " +
          (key == "seed" ? "several seeds: use the option 'seeds' and the option 'only'"
                         : "both stages: use the option 'only'"));
    }
  }
}

/// The recipe with the changes of a run, then those of --smoke, then those of the user, then what
/// the run must start from: weights that the recipe or the user names belong to the first stage.
Recipe recipe_of(const ExperimentOptions& options, const ExperimentPlan& plan,
                 std::vector<std::string> overrides, const std::string& start = "") {
  const auto add = [&overrides](const std::vector<std::string>& more) {
    overrides.insert(overrides.end(), more.begin(), more.end());
  };
  if (!options.data.empty()) {
    add({text_override("data.kind", "path"), text_override("data.path", options.data)});
  }
  if (options.smoke) {
    add(kSmokeOverrides);
    add(plan.smoke);
  }
  add(options.overrides);
  if (!start.empty()) add({text_override("model.pretrained", start)});
  return load_recipe(options.recipe, overrides);
}

ExperimentPlan read_plan(const ExperimentOptions& options) {
  check_user_overrides(options.overrides);
  const Recipe recipe = recipe_of(options, {}, {});
  ExperimentPlan plan = recipe.experiment;
  const bool on_disk = recipe.data.kind == DataKind::kPath;
  if (!plan.paper.empty() && !on_disk) {
    throw ArgumentError("'" + options.recipe + "' names no data set: give the option 'data'");
  }
  if (plan.smoke.empty() && on_disk) plan.smoke = kSmokeData;
  if (plan.name.empty()) plan.name = std::filesystem::path(options.recipe).stem().string();
  if (options.smoke) {
    plan.passes = kSmokePasses;
    plan.seeds = 1;
  }
  if (options.seeds > 0) plan.seeds = options.seeds;
  return plan;
}

RunPart part_of(const ExperimentOptions& options, const ExperimentPlan& plan,
                const ExperimentRun& run) {
  const bool starts_afresh = run.is_start() || is_made_of_deterministic(run.method);
  const std::string start = starts_afresh ? "" : run.start_id() + "/last";
  const std::string weights = starts_afresh ? "" : options.out + "/" + start;
  Recipe recipe = recipe_of(options, plan, run.overrides, weights);
  return {run.id(), options.out + "/" + run.id(), std::move(recipe), plan.passes, plan.model,
          start};
}

/// The parts an ensemble is made of: the deterministic run of its seed, and others that see the
/// same images.
std::vector<RunPart> members_of(const ExperimentOptions& options, const ExperimentPlan& plan,
                                const ExperimentRun& ensemble, const RunPart& part) {
  std::vector<RunPart> members;
  const DataOptions& data = part.recipe.data;
  for (std::size_t i = 0; i < plan.members; ++i) {
    ExperimentRun run = ensemble_member(ensemble, i);
    run.overrides.push_back("data.seed=" + std::to_string(data.seed));
    run.overrides.push_back("data.phantom.seed=" + std::to_string(data.phantom.seed));
    const std::string id = i == 0 ? run.start_id() : run.id();
    members.push_back({id, options.out + "/" + id,
                       i == 0 ? part.recipe : recipe_of(options, plan, run.overrides), plan.passes,
                       plan.model});
  }
  return members;
}

/// "records/25-seed1-bnn+cub.json".
std::string record_path(const std::string& folder, const ExperimentRun& run) {
  std::string name = run.id();
  std::replace(name.begin(), name.end(), '/', '-');
  name.erase(std::remove(name.begin(), name.end(), '%'), name.end());
  return folder + "/" + name + ".json";
}

/// Before any run is made.
ExperimentOutcome planned(const ExperimentOptions& options) {
  ExperimentOutcome outcome;
  outcome.plan = read_plan(options);
  outcome.runs = experiment_runs(outcome.plan, outcome.plan.seeds, options.only);
  outcome.records = options.out + "/records";
  outcome.bootstrap = options.bootstrap;
  if (options.smoke) outcome.bootstrap.replicates = kSmokeReplicates;
  return outcome;
}

bool is_there(const ExperimentOutcome& outcome, const ExperimentRun& run) {
  return std::filesystem::exists(record_path(outcome.records, run));
}

/// How often a shard that waits for others looks.
constexpr std::chrono::seconds kLook{2};

/// The runs of a shard: neighbours in the grid go to different ones, and so do the same methods of
/// different seeds, which take equally long.
std::vector<ExperimentRun> share_of(const std::vector<ExperimentRun>& runs, const Shard& shard) {
  std::vector<ExperimentRun> share;
  std::size_t group = 0;
  std::size_t place = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i > 0 && runs[i].start_id() != runs[i - 1].start_id()) {
      ++group;
      place = 0;
    }
    if ((group + place++) % shard.count == shard.index - 1) share.push_back(runs[i]);
  }
  // What others start from comes first.
  std::stable_partition(share.begin(), share.end(),
                        [](const ExperimentRun& run) { return run.is_start(); });
  return share;
}

/// Says how many runs there are and returns those to make. Throws where one that is there was made
/// with other settings.
std::vector<ExperimentRun> missing_runs(const ExperimentOptions& options,
                                        const ExperimentOutcome& outcome, WorkObserver& observer) {
  std::vector<ExperimentRun> missing;
  for (const ExperimentRun& run : outcome.runs) {
    if (is_there(outcome, run)) {
      recipe_text(part_of(options, outcome.plan, run));
    } else {
      missing.push_back(run);
    }
  }
  observer.line(outcome.plan.name + ": " + std::to_string(outcome.runs.size()) + " runs, " +
                std::to_string(outcome.runs.size() - missing.size()) + " of them there already");
  return missing;
}

/// Makes runs, one after the other; tells of those that fail and goes on without them.
class RunMaker {
 public:
  RunMaker(const ExperimentOptions& options, const ExperimentOutcome& outcome,
           WorkObserver& observer)
      : options_(options), outcome_(outcome), observer_(observer), images_(observer) {}

  void make_all(const std::vector<ExperimentRun>& missing) {
    for (std::size_t i = 0; i < missing.size(); ++i) {
      if (is_hopeless(missing[i])) continue;
      const auto left = timing_.left(missing, i);
      make_or_tell(missing[i], "[" + std::to_string(i + 1) + "/" + std::to_string(missing.size()) +
                                   "] " + missing[i].id() +
                                   (left ? ", about " + duration_text(*left) + " left" : ""));
    }
  }

  void make_share(std::vector<ExperimentRun> pending) {
    const std::size_t all = pending.size();
    while (true) {
      pending.erase(std::remove_if(pending.begin(), pending.end(),
                                   [&](const auto& run) { return is_hopeless(run); }),
                    pending.end());
      if (pending.empty()) return;
      const std::size_t failed_before = failed_.size();
      const std::string title =
          "[" + std::to_string(all - pending.size() + 1) + "/" + std::to_string(all) + "] ";
      const auto made = std::find_if(pending.begin(), pending.end(), [&](const auto& run) {
        return is_start_there(run, title) && try_to_make(run, title + run.id());
      });
      if (made != pending.end()) {
        pending.erase(made);
        is_waiting_ = false;
        continue;
      }
      if (failed_.size() > failed_before) continue;
      if (!is_waiting_) {
        observer_.line("waiting for other processes: " + std::to_string(pending.size()) +
                       (pending.size() == 1
                            ? " run is, or starts from one that is, being made"
                            : " runs are, or start from some that are, being made"));
      }
      is_waiting_ = true;
      std::this_thread::sleep_for(kLook);
    }
  }

  std::size_t failed() const { return failed_.size(); }

 private:
  /// Of one that failed, and of one that starts from such a one, which then counts as failed too.
  bool is_hopeless(const ExperimentRun& run) {
    if (failed_.count(run.id()) > 0) return true;
    if (run.is_start() || failed_.count(run.start_id()) == 0) return false;
    fail(run, DataError("it starts from " + run.start_id()));
    return true;
  }

  void fail(const ExperimentRun& run, const std::exception& error) {
    failed_.insert(run.id());
    observer_.run_failed(run.id(), error);
  }

  /// Makes the run it starts from, too, where nobody else does.
  bool is_start_there(const ExperimentRun& run, const std::string& title) {
    if (run.is_start()) return true;
    const auto start =
        std::find_if(outcome_.runs.begin(), outcome_.runs.end(),
                     [&](const ExperimentRun& each) { return each.id() == run.start_id(); });
    return start == outcome_.runs.end() || is_there(outcome_, *start) ||
           try_to_make(*start, title + start->id() + ", which " + run.id() + " starts from");
  }

  /// False where another process is making it, and where it failed.
  bool try_to_make(const ExperimentRun& run, const std::string& title) {
    if (is_there(outcome_, run)) return true;
    if (failed_.count(run.id()) > 0) return false;
    try {
      return make_or_tell(run, title);
    } catch (const FolderTaken&) {
      return false;
    }
  }

  /// False where it failed for itself. Images that cannot be read and disks that cannot be written
  /// would fail the others too.
  bool make_or_tell(const ExperimentRun& run, const std::string& title) {
    try {
      make(run, title);
      return true;
    } catch (const DataError& error) {
      if (images_.cannot_be_read()) throw;
      fail(run, error);
    } catch (const c10::Error& error) {
      fail(run, error);
    }
    return false;
  }

  void make(const ExperimentRun& run, const std::string& title) {
    const Clock::time_point start = Clock::now();
    const RunPart part = part_of(options_, outcome_.plan, run);
    std::optional<FolderLock> claim;
    if (options_.shard) {
      make_folders(part.folder);
      claim.emplace(part.folder);
      if (is_there(outcome_, run)) return;  // made since
    }
    observer_.line(title);
    const ImagesOfPart of_part = [&]() -> const ImageSet& { return images_.of(part.recipe); };
    if (run.is_ensemble()) {
      make_ensemble_part(part, members_of(options_, outcome_.plan, run, part), of_part, "  ",
                         options_.command, observer_);
    } else if (run.is_laplace()) {
      const RunPart point{run.start_id(), options_.out + "/" + run.start_id(), part.recipe,
                          part.passes, part.model_name};
      make_laplace_part(part, point, of_part, "  ", options_.command, observer_);
    } else {
      make_part(part, of_part, "  ", options_.command, observer_);
    }
    const auto record =
        part_record(outcome_.plan, run, part, of_part, outcome_.bootstrap, observer_);
    make_folders(outcome_.records);
    if (claim) claim->check();
    write_file_atomically(record_path(outcome_.records, run), to_json(record).dump(1) + "\n");
    timing_.add(run.method, std::chrono::duration<double>(Clock::now() - start).count());
  }

  const ExperimentOptions& options_;
  const ExperimentOutcome& outcome_;
  WorkObserver& observer_;
  KeptImages images_;
  Timing timing_;
  std::set<std::string> failed_;
  bool is_waiting_ = false;
};

}  // namespace

void list_experiment(const ExperimentOptions& options, WorkObserver& observer) {
  const ExperimentOutcome outcome = planned(options);
  missing_runs(options, outcome, observer);
  for (const ExperimentRun& run : outcome.runs) {
    observer.line((is_there(outcome, run) ? "there    " : "missing  ") + run.id());
  }
}

ExperimentOutcome run_experiment(const ExperimentOptions& options, WorkObserver& observer) {
  ExperimentOutcome outcome = planned(options);
  std::vector<ExperimentRun> missing = missing_runs(options, outcome, observer);
  if (options.shard) {
    const std::vector<ExperimentRun> share = share_of(outcome.runs, *options.shard);
    missing = share;
    missing.erase(std::remove_if(missing.begin(), missing.end(),
                                 [&](const auto& run) { return is_there(outcome, run); }),
                  missing.end());
    observer.line("shard " + shard_text(*options.shard) + ": " + std::to_string(share.size()) +
                  " of them, " + std::to_string(missing.size()) + " to make");
  }
  if (!missing.empty()) {
    observer.computing_starts(part_of(options, outcome.plan, missing.front()).recipe, "");
    RunMaker maker(options, outcome, observer);
    if (options.shard) {
      maker.make_share(missing);
    } else {
      maker.make_all(missing);
    }
    outcome.failed = maker.failed();
  }
  for (const ExperimentRun& run : outcome.runs) outcome.missing += is_there(outcome, run) ? 0 : 1;
  return outcome;
}

}  // namespace cubcal
