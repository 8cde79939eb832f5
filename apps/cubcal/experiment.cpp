#include <algorithm>
#include <iostream>
#include <memory>

#include "bootstrap_options.h"
#include "commands.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/report/write_report.h"
#include "cubcal/results/experiment_tables.h"
#include "cubcal/results/results_files.h"
#include "cubcal_nn/experiment/experiment_runner.h"
#include "option_checks.h"
#include "shard_option.h"
#include "work_view.h"

namespace cubcal::app {

namespace {

/// All methods and seeds there are of the whole data (else of the first regime), the paper's method
/// first.
std::vector<std::string> reported_runs(const ExperimentOptions& options,
                                       const std::vector<results::ResultRecord>& records) {
  const bool has_full = std::any_of(records.begin(), records.end(),
                                    [](const auto& record) { return record.regime == "full"; });
  const std::string regime = has_full ? "full" : records.front().regime;
  std::vector<std::string> first;
  std::vector<std::string> others;
  for (const results::ResultRecord& record : records) {
    if (record.regime != regime) continue;
    std::vector<std::string>& list = record.method == "bnn+cub" ? first : others;
    const ExperimentRun run{record.regime, record.seed, record.method, {}};
    list.push_back(run.method + "=" + options.out + "/" + run.id());
  }
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

/// As a shell takes it.
std::string shell_word(const std::string& text) {
  const bool plain =
      !text.empty() && text.find_first_of(" \t'\"\\$`*?[](){}<>|&;!#~") == std::string::npos;
  if (plain) return text;
  std::string word = "'";
  for (const char letter : text)
    word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return word + "'";
}

std::string command_text(const ExperimentOptions& options) {
  std::string text = "cubcal experiment " + shell_word(options.recipe);
  if (!options.data.empty()) text += " --data " + shell_word(options.data);
  text += " --out " + shell_word(options.out);
  for (const std::string& each : options.only) text += " --only " + shell_word(each);
  if (options.seeds > 0) text += " --seeds " + std::to_string(options.seeds);
  for (const std::string& each : options.overrides) text += " --set " + shell_word(each);
  if (options.smoke) text += " --smoke";
  if (options.bootstrap.replicates != BootstrapOptions{}.replicates) {
    text += " --bootstrap " + std::to_string(options.bootstrap.replicates);
  }
  return text;
}

void experiment(ExperimentOptions options, bool threads_given) {
  const std::string whole_command = command_text(options);
  options.command = whole_command;
  if (options.shard) options.command += " --shard " + shard_text(*options.shard);
  WorkView view(threads_given);
  const ExperimentOutcome outcome = run_experiment(options, view);
  if (outcome.failed > 0) {
    throw Error(std::to_string(outcome.failed) + " of " + std::to_string(outcome.runs.size()) +
                " runs " + (outcome.failed == 1 ? "was" : "were") +
                " not made: the warnings say why; run again, the command tries " +
                (outcome.failed == 1 ? "it" : "them") + ", and 'cubcal results " +
                shell_word(outcome.records) + "' makes the tables of the others");
  }
  if (outcome.missing > 0) {
    std::cout << "\nshard " << shard_text(*options.shard) << " is done; " << outcome.missing
              << " of " << outcome.runs.size()
              << " runs are left to other shards, the last of which makes the "
              << "tables\nrecords: " << outcome.records << '\n';
    return;
  }
  const std::vector<results::ResultRecord> records =
      results::read_result_records({outcome.records});
  std::cout << '\n';
  std::cout << results::to_markdown(results::experiment_tables(records).front());
  results::write_result_tables(options.out + "/tables", records);
  results::write_result_figures(options.out + "/tables", records);
  write_file_atomically(options.out + "/results.md",
                        results::results_markdown(records, whole_command, "tables"));
  report::ReportOptions page;
  page.output = options.out + "/report.html";
  page.runs = reported_runs(options, records);
  page.bootstrap = outcome.bootstrap;
  page.data = options.data;
  page.title = outcome.plan.name;
  report::write_report(page);
  std::cout << "tables: " << options.out << "/results.md, and as CSV and LaTeX in " << options.out
            << "/tables\nrecords: " << outcome.records << "\nthe report: " << page.output << '\n';
}

}  // namespace

void add_experiment(CLI::App& app) {
  auto options = std::make_shared<ExperimentOptions>();
  CLI::App* command = app.add_subcommand(
      "experiment", "All runs behind a recipe's tables: regimes, methods, seeds, calibrations");
  command->add_option("RECIPE", options->recipe, "TOML file with an [experiment] table")
      ->required();
  command->add_option("--data", options->data,
                      "The data set at this path instead of the recipe's: see docs/data.md");
  command->add_option("--out", options->out, "Folder for runs, records, tables and report")
      ->required();
  command
      ->add_option("--only", options->only,
                   "Only runs whose name matches, such as 'full/seed1/*'; may be repeated")
      ->take_all()
      ->expected(1);
  command->add_option("--seeds", options->seeds, "So many seeds, from 1 on (default: the recipe's)")
      ->check(within(std::size_t{1}, std::size_t{1000}));
  command
      ->add_option("--set", options->overrides,
                   "Change a key of the recipe in every run, for example device=cuda")
      ->take_all()
      ->expected(1);
  auto list = std::make_shared<bool>(false);
  command->add_flag("--list", *list,
                    "Only name the runs and say which are there; a name is what --only matches");
  auto shard = std::make_shared<std::string>();
  add_shard_option(*command, *shard, "runs");
  command->add_flag("--smoke", options->smoke,
                    "A sample of the data, small images, an epoch each: shows that it runs");
  command->add_option("--bootstrap", options->bootstrap.replicates, "Replicates of the intervals")
      ->capture_default_str()
      ->check(enough_replicates());
  command->footer(
      "For each data regime and seed a deterministic network is trained once, and every method\n"
      "starts from it. Each run leaves logits of val, test and ood, its calibrations and a record\n"
      "in OUT/records; tables are made of all records there. Run again, it makes what is missing:\n"
      "after Ctrl-C, with more seeds, or side by side in two processes with different --only. A "
      "run\n"
      "that fails is told and left out with those that start from it; the exit code is then 1.\n"
      "With --shard i/n, n processes share the runs out, on one machine or on many that see OUT: "
      "a\n"
      "run is claimed by a lock in its folder, a process that dies loses its claims, and the one\n"
      "that ends last makes tables and report; 'cubcal results' makes tables of what is there.\n\n"
      "Example:\n"
      "  cubcal experiment recipes/retina.toml --data aptos --out runs/retina --set device=cuda\n"
      "  cubcal results runs/retina/records --markdown results.md");
  command->callback([options, list, shard, &app] {
    options->shard = chosen_shard(*shard);
    if (*list) {
      WorkView view;
      return list_experiment(*options, view);
    }
    experiment(*options, app.count("--threads") > 0);
  });
}

}  // namespace cubcal::app
