#include <unistd.h>

#include <chrono>
#include <iostream>
#include <memory>

#include "cubcal/core/error.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/dataset/sample_reader.h"
#include "cubcal/inspection/correction.h"
#include "cubcal/inspection/inspection_json.h"
#include "cubcal/inspection/inspection_page.h"
#include "cubcal/inspection/thumbnails.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/utf8.h"
#include "data_commands.h"
#include "inspection_text.h"
#include "logits_input.h"
#include "progress_bar.h"
#include "row_options.h"
#include "table_options.h"

namespace cubcal::app {

namespace {

struct DataInspectOptions {
  std::string path;
  RowOptions rows;
  TableOptions table;
  std::string page;
  std::string json;
  ExamineOptions examine;
  PageOptions page_options;
  bool strict = false;
  std::string fix;
};

/// A bar on a terminal; elsewhere a line every ten seconds, so that a log shows life.
class ReadingProgress {
 public:
  void show(std::size_t done, std::size_t of) {
    bar_.show(done, of);
    const Clock::time_point now = Clock::now();
    if (is_terminal_ || done == of || now - last_ < std::chrono::seconds(10)) return;
    last_ = now;
    std::cerr << "read " << done << " of " << of << " images\n";
  }

 private:
  using Clock = std::chrono::steady_clock;

  ProgressBar bar_{"reading images"};
  bool is_terminal_ = ::isatty(STDERR_FILENO) == 1;
  Clock::time_point last_ = Clock::now();
};

std::vector<ImageFacts> read_facts(const Catalog& catalog, const SampleReader& reader) {
  ReadingProgress progress;
  return gather_facts(
      catalog.samples.size(), [&](std::size_t i) { return reader.read(i); },
      [&](std::size_t done, std::size_t of) { progress.show(done, of); });
}

/// The corrected manifest, and what became of it, in words.
void write_fix(const DataInspectOptions& options, const Catalog& catalog,
               const std::vector<ImageFacts>& facts) {
  const Correction correction = corrected(catalog, facts, options.examine.near);
  write_manifest(options.fix, correction.catalog);
  std::ostream& out = options.json == "-" ? std::cerr : std::cout;
  out << "\ncorrected:" << (correction.changes.empty() ? " nothing was found to correct" : "")
      << '\n';
  for (const std::string& change : correction.changes) out << "    " << printable(change) << '\n';
  if (!correction.left.empty()) out << "left for you to decide:\n";
  for (const std::string& open : correction.left) out << "    " << printable(open) << '\n';
  out << "wrote " << options.fix << ": " << correction.catalog.samples.size() << " of "
      << catalog.samples.size() << " images\n";
}

/// Nothing is corrected in place.
void check_fix(const DataInspectOptions& options) {
  if (options.fix.empty()) return;
  if (extension_of(options.fix) != "csv") {
    throw ArgumentError("--fix must end in .csv, not be '" + options.fix + "'");
  }
  refuse_manifest_over_input(options.fix, options.path);
}

void data_inspect(const DataInspectOptions& options) {
  check_fix(options);
  const Selection selection = options.rows.selection();
  OpenOptions open = options.table.open();
  open.tolerant = true;
  Catalog catalog = open_catalog(options.path, open);
  check_table_options(options.table, options.path, catalog.kind);
  if (!selection.where.empty() || !selection.hold_out.empty() || !selection.drop_class.empty()) {
    catalog = select(catalog, selection);
  }
  const SampleReader reader(catalog);
  const std::vector<ImageFacts> facts = read_facts(catalog, reader);
  const std::vector<Finding> findings = examine(catalog, facts, options.examine);
  if (!options.json.empty()) {
    write_text(options.json, inspection_json(catalog, facts, findings, options.examine));
  }
  if (!options.page.empty()) {
    const auto thumbnails = [&](const SampleList& images) {
      return thumbnail_uris(images, [&](std::size_t i) { return reader.read(i); });
    };
    write_file_atomically(
        options.page, inspection_page(catalog, facts, findings, thumbnails, options.page_options));
  }
  if (options.json != "-") {
    print_inspection(std::cout, catalog, facts, findings);
    if (!options.page.empty()) std::cout << "\nwrote " << options.page << '\n';
  }
  if (!options.fix.empty()) write_fix(options, catalog, facts);
  if (options.strict && has_leak(findings)) {
    throw DataError("'" + options.path + "' has leaks between its splits");
  }
}

}  // namespace

void add_data_inspect(CLI::App& data) {
  auto options = std::make_shared<DataInspectOptions>();
  CLI::App* command = data.add_subcommand(
      "inspect", "Look for leaks, duplicates, confounding and unreadable or blurred images");
  command->add_option("PATH", options->path, "Manifest, folder or npz set")->required();
  add_row_options(*command, options->rows);
  add_table_options(*command, options->table);
  command->add_option("--html", options->page, "Write a page with the images to this file");
  command->add_option("--json", options->json,
                      "Write everything as JSON to this file, '-': stdout");
  command
      ->add_option("--near", options->examine.near.max_distance,
                   "Bits of 256 in which the perceptual hashes of near-duplicates may differ")
      ->capture_default_str()
      ->check(CLI::Range(0, 256));
  command
      ->add_option("--near-correlation", options->examine.near.min_correlation,
                   "Least correlation of near-duplicates")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  command
      ->add_option("--imbalance", options->examine.imbalance,
                   "Warn where the largest class has so many times the images of the smallest")
      ->capture_default_str();
  command->add_option("--seed", options->page_options.seed, "Seed of the images on the page")
      ->capture_default_str();
  command->add_option("--fix", options->fix,
                      "Write a manifest with what can be corrected (.csv) and list the changes");
  command->add_flag("--strict", options->strict, "Exit with 1 where there is a leak");
  command->footer(
      "Example:\n"
      "  cubcal data inspect scans --html scans.html\n"
      "  cubcal data inspect table.csv --fix corrected.csv");
  command->callback([options] { with_table_options([&options] { data_inspect(*options); }); });
}

}  // namespace cubcal::app
