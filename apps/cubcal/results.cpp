#include <filesystem>
#include <iostream>
#include <memory>

#include "commands.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/results/experiment_tables.h"
#include "cubcal/results/results_files.h"
#include "logits_input.h"

namespace cubcal::app {

namespace {

struct ResultsOptions {
  std::vector<std::string> records;
  std::string markdown;
  std::string tables;
  std::string figures;
};

std::string command_text(const ResultsOptions& options) {
  std::string text = "cubcal results";
  for (const std::string& each : options.records) text += " " + each;
  text += " --markdown FILE";
  return options.figures.empty() ? text : text + " --figures FOLDER";
}

/// The folder of figures as a page beside `markdown` names it; empty where there is none.
std::string figures_seen_from(const std::string& markdown, const std::string& figures) {
  if (figures.empty() || markdown.empty()) return figures;
  namespace fs = std::filesystem;
  return fs::absolute(figures).lexically_relative(fs::absolute(markdown).parent_path()).string();
}

void results_command(const ResultsOptions& options) {
  check_output(options.markdown, options.records);
  const std::vector<results::ResultRecord> records = results::read_result_records(options.records);
  const std::string page = results::results_markdown(
      records, command_text(options), figures_seen_from(options.markdown, options.figures));
  if (options.markdown.empty() && options.tables.empty() && options.figures.empty())
    std::cout << page;
  if (!options.markdown.empty()) {
    write_file_atomically(options.markdown, page);
    std::cout << "wrote " << options.markdown << ": " << records.size() << " records\n";
  }
  if (!options.tables.empty()) {
    results::write_result_tables(options.tables, records);
    std::cout << "wrote " << options.tables << ": each table as .csv and .tex\n";
  }
  if (!options.figures.empty()) {
    results::write_result_figures(options.figures, records);
    std::cout << "wrote " << options.figures << ": charts as .svg\n";
  }
}

}  // namespace

void add_results(CLI::App& app) {
  auto options = std::make_shared<ResultsOptions>();
  CLI::App* command =
      app.add_subcommand("results", "Tables of experiments from their records, beside the paper's");
  command
      ->add_option("RECORD", options->records,
                   "Records of 'cubcal experiment', or folders to search for them")
      ->required();
  command->add_option("--markdown", options->markdown, "Write the tables to this file");
  command->add_option("--tables", options->tables,
                      "Write each table to this folder as .csv and .tex (booktabs)");
  command->add_option(
      "--figures", options->figures,
      "Write charts to this folder as .svg: what a better AvU costs, uncertainty of right "
      "and wrong answers, the boundary curve under each calibration");
  command->footer(
      "Example:\n"
      "  cubcal results runs/retina/records\n"
      "  cubcal results results/chest results/retina --markdown docs/results.md");
  command->callback([options] { results_command(*options); });
}

}  // namespace cubcal::app
