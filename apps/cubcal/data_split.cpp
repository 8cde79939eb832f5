#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "cubcal/core/counted.h"
#include "cubcal/core/error.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/dataset/sample_block.h"
#include "cubcal/dataset/sample_reader.h"
#include "cubcal/dataset/splitting.h"
#include "cubcal/inspection/duplicates.h"
#include "data_commands.h"
#include "option_checks.h"
#include "progress_bar.h"
#include "row_options.h"
#include "table_options.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

struct DataSplitOptions {
  std::string path;
  std::string output;
  std::string ratios = "70:15:15";
  bool keep_splits = false;
  bool ignore_duplicates = false;
  SplitOptions split;
  RowOptions rows;
  TableOptions table;
  double fraction = 1;
};

/// "70:15:15" as shares of train, val and test.
void parse_ratios(const std::string& text, SplitOptions& options) {
  char rest = 0;
  const int parts = std::sscanf(text.c_str(), "%lf:%lf:%lf%c", &options.train, &options.val,
                                &options.test, &rest);
  if (parts != 3) {
    throw ArgumentError(
        "--ratios must be three numbers for train:val:test, such as 70:15:15, not '" + text + "'");
  }
}

void check_suffix(const std::string& output) {
  if (extension_of(output) != "csv") {
    throw ArgumentError("--output must end in .csv, not be '" + output + "'");
  }
}

struct SplitResult {
  Catalog catalog;
  std::string duplicates = {};  ///< what was done about them, in a sentence
};

/// Sets of identical images and pairs of near-duplicates, and a sentence about them.
std::vector<SampleList> find_duplicates(const Catalog& catalog, std::string& sentence) {
  const SampleReader reader(catalog);
  ProgressBar bar("looking for duplicates");
  const std::vector<ImageFacts> facts = gather_facts(
      catalog.samples.size(), [&](std::size_t i) { return reader.read(i); },
      [&](std::size_t done, std::size_t of) { bar.show(done, of); });
  bar.wipe();
  std::vector<SampleList> together = identical_images(facts);
  const std::size_t identical = together.size();
  const std::vector<NearPair> pairs = near_duplicates(facts);
  for (const NearPair& pair : pairs) together.push_back({pair.first, pair.second});
  const auto unreadable = static_cast<std::size_t>(std::count_if(
      facts.begin(), facts.end(), [](const ImageFacts& f) { return !f.is_readable(); }));
  if (!together.empty()) {
    sentence = counted(identical, "set") + " of identical images and " +
               counted(pairs.size(), "pair") + " of near-duplicates are kept together.\n";
  }
  if (unreadable > 0) {
    sentence += counted(unreadable, "image") + " could not be read to look for duplicates.\n";
  }
  return together;
}

SplitResult prepared(const DataSplitOptions& options) {
  SplitResult result;
  result.catalog = open_catalog(options.path, options.table.open());
  Catalog& catalog = result.catalog;
  check_table_options(options.table, options.path, catalog.kind);
  catalog = select(catalog, options.rows.selection());
  if (!options.keep_splits) {
    SplitOptions split = options.split;
    parse_ratios(options.ratios, split);
    std::vector<SampleList> together;
    if (!options.ignore_duplicates) together = find_duplicates(catalog, result.duplicates);
    catalog = split_catalog(catalog, split, together);
  } else if (!catalog.has_splits()) {
    throw DataError("'" + options.path + "' has no splits to keep: leave --keep-splits out");
  }
  if (options.fraction < 1) catalog = take_fraction(catalog, options.fraction, options.split.seed);
  return result;
}

std::string in_split(std::size_t count) { return count == 0 ? "–" : std::to_string(count); }

/// Images by class and split, then all of them, then the groups.
TextTable count_table(const Catalog& catalog) {
  const std::vector<std::string> splits = catalog.split_names();
  std::map<std::string, std::map<std::string, std::size_t>> classes, outliers;
  std::map<std::string, std::size_t> all;
  std::map<std::string, std::set<std::int64_t>> groups;
  const std::vector<std::int64_t> numbers = group_numbers(catalog);
  for (std::size_t i = 0; i < catalog.samples.size(); ++i) {
    const Sample& sample = catalog.samples[i];
    auto& counts = sample.label == kNoLabel ? outliers : classes;
    for (const std::string& split : {sample.split, std::string("all")}) {
      ++counts[sample.label_name][split];
      ++all[split];
      groups[split].insert(numbers[i]);
    }
  }
  std::vector<std::string> header{""};
  header.insert(header.end(), splits.begin(), splits.end());
  header.push_back("all");
  TextTable table(header);
  const auto add = [&](const std::string& title, const auto& count_of) {
    std::vector<std::string> row{title};
    for (std::size_t i = 1; i < header.size(); ++i) row.push_back(in_split(count_of(header[i])));
    table.add(row);
  };
  for (const std::string& name : catalog.class_names) {
    add(name, [&](const std::string& split) { return classes[name][split]; });
  }
  for (auto& [name, counts] : outliers) {
    add(name.empty() ? "(no class)" : name + " (no class)",
        [&, &row = counts](const std::string& split) { return row[split]; });
  }
  add("all", [&](const std::string& split) { return all[split]; });
  if (catalog.has_groups()) {
    add("groups", [&](const std::string& split) { return groups[split].size(); });
  }
  return table;
}

void data_split(const DataSplitOptions& options) {
  check_suffix(options.output);
  refuse_manifest_over_input(options.output, options.path);
  const SplitResult result = prepared(options);
  const Catalog& catalog = result.catalog;
  write_manifest(options.output, catalog);
  std::cout << options.path << ": " << catalog_kind_name(catalog.kind) << '\n';
  print_notes(std::cout, catalog);
  std::cout << count_table(catalog);
  std::cout << result.duplicates;
  if (!catalog.has_groups()) std::cout << "No groups are known: each image counts as its own.\n";
  std::cout << "wrote " << options.output << '\n';
}

}  // namespace

void add_data_split(CLI::App& data) {
  auto options = std::make_shared<DataSplitOptions>();
  CLI::App* command = data.add_subcommand(
      "split", "Deal a data set out to train, val and test and write it as a manifest");
  command->add_option("PATH", options->path, "Manifest, folder or npz set")->required();
  command->add_option("-o,--output", options->output, "Manifest to write (.csv)")->required();
  CLI::Option* ratios = command->add_option("--ratios", options->ratios, "Shares of train:val:test")
                            ->capture_default_str();
  command->add_option("--seed", options->split.seed, "Seed of the draw")->capture_default_str();
  CLI::Option* stratify =
      command->add_option("--stratify-by", options->split.stratify_by,
                          "Column to stratify by besides the class (may be repeated)");
  command
      ->add_flag("--keep-splits", options->keep_splits,
                 "Keep the splits there are; only choose rows")
      ->excludes(ratios)
      ->excludes(stratify);
  command->add_flag("--ignore-duplicates", options->ignore_duplicates,
                    "Do not read the images to keep identical and nearly identical ones together");
  add_row_options(*command, options->rows);
  add_table_options(*command, options->table);
  command
      ->add_option("--fraction", options->fraction,
                   "Share of the groups of train and val to keep; test stays as it is")
      ->check(within(0.0, 1.0));
  stratify->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->footer(
      "A group is never in two splits, nor are identical and nearly identical images, and the "
      "same\n"
      "seed gives the same splits.\n\n"
      "Example:\n"
      "  cubcal data split scans --ratios 80:10:10 -o scans.csv");
  command->callback([options] { with_table_options([&options] { data_split(*options); }); });
}

}  // namespace cubcal::app
