#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "commands.h"
#include "cubcal/core/error.h"
#include "cubcal/io/folder_lock.h"
#include "cubcal_nn/experiment/train_run.h"
#include "cubcal_nn/train/training_run.h"
#include "distributed_options.h"
#include "exit_code.h"
#include "interrupt.h"
#include "rank_view.h"
#include "read_images.h"
#include "recipe_setup.h"
#include "work_view.h"

namespace cubcal::app {

namespace {

/// What rank 0 tells the others of a run that is finished.
constexpr const char* kNothingToDo = "nothing to do";

struct TrainCommandOptions {
  std::string recipe;
  std::string data;
  std::string folder;
  std::vector<std::string> overrides;
  bool resume = false;
  bool force = false;
  DistributedOptions distributed;
};

/// The recipe that was named, or for --resume without one the run's own.
Recipe read_recipe(const TrainCommandOptions& options) {
  std::string path = options.recipe;
  if (path.empty()) {
    if (!options.resume || options.folder.empty()) {
      throw ArgumentError("train needs a RECIPE, or --resume and --out to go on with a run");
    }
    path = RunFolder{options.folder}.recipe();
  }
  std::vector<std::string> overrides = options.overrides;
  if (!options.data.empty()) {
    overrides.push_back(text_override("data.kind", "path"));
    overrides.push_back(text_override("data.path", options.data));
  }
  return load_recipe(path, overrides);
}

/// A run is never mixed with what an earlier one left.
void remove_run(const RunFolder& run) {
  for (const std::string& path : {run.checkpoint(), run.metrics(), run.log(), run.events(),
                                  run.record(), run.best(), run.last(), run.path + "/stage1"}) {
    std::filesystem::remove_all(path);
  }
}

/// Whether there is anything to train in the folder; throws where what is in it must not be
/// touched.
bool has_work(const RunFolder& run, const Recipe& recipe, const TrainCommandOptions& options) {
  if (options.force) return true;
  switch (run_status(run, recipe.run.stages.size())) {
    case RunStatus::kEmpty: break;
    case RunStatus::kFinished:
      if (options.resume) return false;
      throw ArgumentError("'" + run.path + "' holds a finished run: --force replaces it");
    case RunStatus::kUnfinished:
      if (options.resume) return true;
      throw ArgumentError("'" + run.path +
                          "' holds an unfinished run: --resume goes on with it, --force starts "
                          "over");
  }
  return true;
}

/// Its part of a run whose files and words are rank 0's.
void train_beside(const Recipe& recipe, const TrainCommandOptions& options,
                  const TrainingRanks& ranks) {
  if (ranks.group->text_of_first("") == kNothingToDo) return;
  std::ostream nowhere(nullptr);
  set_up_computing(recipe, /*threads_given=*/true, "", nowhere);
  const ImageSet set = read_images(recipe.data, nowhere);
  RankView view;
  try {
    run_recipe(recipe, set, options.folder, "", "", view, ranks.split);
  } catch (const Interrupted&) {
    throw ExitCode(InterruptWatch::exit_code());  // rank 0 says it
  }
}

void train_command(TrainCommandOptions options, bool threads_given) {
  Recipe recipe = read_recipe(options);
  if (options.folder.empty()) {
    options.folder = "runs/" + std::filesystem::path(options.recipe).stem().string();
  }
  const TrainingRanks ranks = join_training(options.distributed, recipe, threads_given);
  if (!ranks.split.is_first()) return train_beside(recipe, options, ranks);
  const RunFolder run{options.folder};
  const bool works = has_work(run, recipe, options);
  if (ranks.group) ranks.group->text_of_first(works ? "" : kNothingToDo);
  if (!works) {
    std::cout << "'" << run.path << "' holds a finished run: there is nothing to go on with\n";
    return;
  }
  std::optional<FolderLock> lock;  // before anything in the folder is touched
  if (std::filesystem::exists(run.path)) lock.emplace(run.path);
  if (ranks.group) std::cout << ranks_line(ranks) << '\n';
  set_up_computing(recipe, threads_given || ranks.group, options.force ? "" : options.folder);
  const ImageSet set = read_images(recipe.data, std::cout);
  if (options.force) {
    check_training(set, recipe.run);  // before anything is removed
    remove_run(run);
  }
  WorkView view(threads_given);
  run_recipe(recipe, set, options.folder, "", "cubcal train --resume --out " + options.folder, view,
             ranks.split);
  std::cout << "wrote " << options.folder << ": models in best and last, metrics.jsonl, "
            << "record.json\n";
}

}  // namespace

void add_train(CLI::App& app) {
  auto options = std::make_shared<TrainCommandOptions>();
  CLI::App* command =
      app.add_subcommand("train", "Train a network as a recipe says: deterministic, then Bayesian");
  command->add_option("RECIPE", options->recipe,
                      "TOML file; may be left out with --resume, which finds the run's own");
  command->add_option(
      "--data", options->data,
      "Train on the data set at this path instead of the recipe's: see docs/data.md");
  command->add_option("--out", options->folder, "Run folder (default: runs/RECIPE's name)");
  command
      ->add_option("--set", options->overrides,
                   "Change a key of the recipe, for example stage2.beta=0.3; may be repeated")
      ->take_all()
      ->expected(1);
  command->add_flag("--resume", options->resume,
                    "Go on with an unfinished run, exactly as if it had not been interrupted");
  command->add_flag("--force", options->force, "Replace the run in --out");
  add_distributed_options(*command, options->distributed);
  command->footer(
      "Writes best/ and last/ (model folders), metrics.jsonl (a line per epoch), train.log (what "
      "is\n"
      "printed, with the time), recipe.toml (as used), checkpoint.safetensors and record.json.\n"
      "Ctrl-C leaves a run that --resume goes on with; so does any other end. Data that were "
      "moved\n"
      "and are the same are named with --data. On a CPU with the same --threads the result is the "
      "same bit\n"
      "for bit.\n\n"
      "Example:\n"
      "  cubcal train recipes/phantom.toml --out runs/phantom --set stage2.method=bnn\n"
      "  cubcal logits --model runs/phantom/best --data phantom --split val -o val.npz");
  command->callback([options, &app] { train_command(*options, app.count("--threads") > 0); });
}

}  // namespace cubcal::app
