#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "cubcal/core/error.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/dataset/manifest.h"
#include "cubcal/dataset/splitting.h"
#include "data_commands.h"
#include "option_checks.h"
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

/// The manifest of the input must not be lost.
void check_output(const DataSplitOptions& options, const Catalog& catalog) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::string input = options.path;
  if (fs::is_directory(input, ignored)) input = find_manifest(catalog.root).value_or(input);
  if (fs::equivalent(options.output, input, ignored)) {
    throw ArgumentError("-o '" + options.output +
                        "' is the data set that is read: name another file");
  }
}

Catalog prepared(const DataSplitOptions& options) {
  Catalog catalog = open_catalog(options.path, options.table.open());
  check_table_options(options.table, options.path, catalog.kind);
  catalog = select(catalog, options.rows.selection());
  if (!options.keep_splits) {
    SplitOptions split = options.split;
    parse_ratios(options.ratios, split);
    catalog = split_catalog(catalog, split);
  } else if (!catalog.has_splits()) {
    throw DataError("'" + options.path + "' has no splits to keep: leave --keep-splits out");
  }
  return options.fraction < 1 ? take_fraction(catalog, options.fraction, options.split.seed)
                              : catalog;
}

std::string in_split(std::size_t count) { return count == 0 ? "–" : std::to_string(count); }

/// Images by class and split, then all of them, then the groups.
TextTable count_table(const Catalog& catalog) {
  const std::vector<std::string> splits = catalog.split_names();
  std::map<std::string, std::map<std::string, std::size_t>> classes, outliers;
  std::map<std::string, std::size_t> all;
  std::map<std::string, std::set<std::string>> groups;
  for (const Sample& sample : catalog.samples) {
    auto& counts = sample.label == kNoLabel ? outliers : classes;
    for (const std::string& split : {sample.split, std::string("all")}) {
      ++counts[sample.label_name][split];
      ++all[split];
      if (!sample.group.empty()) groups[split].insert(sample.group);
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
  const Catalog catalog = prepared(options);
  check_output(options, catalog);
  write_manifest(options.output, catalog);
  std::cout << options.path << ": " << catalog_kind_name(catalog.kind) << '\n';
  print_notes(std::cout, catalog);
  std::cout << count_table(catalog);
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
  command->add_option("--seed", options->split.seed, "Seed of the draw")
      ->capture_default_str()
      ->check(not_negative());
  CLI::Option* stratify =
      command->add_option("--stratify-by", options->split.stratify_by,
                          "Column to stratify by besides the class (may be repeated)");
  command
      ->add_flag("--keep-splits", options->keep_splits,
                 "Keep the splits there are; only choose rows")
      ->excludes(ratios)
      ->excludes(stratify);
  add_row_options(*command, options->rows);
  add_table_options(*command, options->table);
  command
      ->add_option("--fraction", options->fraction,
                   "Share of the groups of train and val to keep; test stays as it is")
      ->check(CLI::Range(0.0, 1.0));
  stratify->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->footer(
      "A group is never in two splits, and the same seed gives the same splits.\n\n"
      "Example:\n"
      "  cubcal data split scans --ratios 80:10:10 -o scans.csv");
  command->callback([options] { data_split(*options); });
}

}  // namespace cubcal::app
