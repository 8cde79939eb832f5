#include <iostream>
#include <memory>

#include "commands.h"
#include "cubcal/core/error.h"
#include "cubcal_nn/experiment/train_job.h"
#include "distributed_options.h"
#include "exit_code.h"
#include "interrupt.h"
#include "rank_view.h"
#include "work_view.h"

namespace cubcal::app {

namespace {

struct TrainCommandOptions {
  TrainJob job;
  DistributedOptions distributed;
};

/// Its part of a run whose files and words are rank 0's.
void train_beside(const TrainJob& job) {
  RankView view;
  try {
    train_as_asked(job, "", view);
  } catch (const Interrupted&) {
    throw ExitCode(InterruptWatch::exit_code());  // rank 0 says it
  }
}

void train_command(const TrainCommandOptions& options, bool threads_given) {
  TrainJob job = options.job;
  std::unique_ptr<RankMeeting> ranks;
  if (options.distributed.is_wanted()) {
    ranks = std::make_unique<RankMeeting>(options.distributed, threads_given);
    job.join = [&ranks](Recipe& recipe) { return ranks->join(recipe); };
    if (!ranks->is_first()) return train_beside(job);
  }
  WorkView view(threads_given || ranks);
  const TrainJobResult result = train_as_asked(job, "cubcal train --resume --out ", view);
  if (!result.had_work) {
    std::cout << "'" << result.folder << "' holds a finished run: there is nothing to go on with\n";
    return;
  }
  std::cout << "wrote " << result.folder << ": models in best and last, metrics.jsonl, "
            << "record.json\n";
}

}  // namespace

void add_train(CLI::App& app) {
  auto options = std::make_shared<TrainCommandOptions>();
  CLI::App* command =
      app.add_subcommand("train", "Train a network as a recipe says: deterministic, then Bayesian");
  command->add_option("RECIPE", options->job.recipe,
                      "TOML file; may be left out with --resume, which finds the run's own");
  command->add_option(
      "--data", options->job.data,
      "Train on the data set at this path instead of the recipe's: see docs/data.md");
  command->add_option("--out", options->job.folder, "Run folder (default: runs/RECIPE's name)");
  command
      ->add_option("--set", options->job.overrides,
                   "Change a key of the recipe, for example stage2.beta=0.3; may be repeated")
      ->take_all()
      ->expected(1);
  command->add_flag("--resume", options->job.resume,
                    "Go on with an unfinished run, exactly as if it had not been interrupted");
  command->add_flag("--force", options->job.force, "Replace the run in --out");
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
