#include <unistd.h>

#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>

#include "cubcal/core/error.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/dataset/pack_file.h"
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
#include "option_checks.h"
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

using ReadImage = std::function<Image(std::size_t)>;

std::vector<ImageFacts> read_facts(const Catalog& catalog, const ReadImage& read) {
  ReadingProgress progress;
  return gather_facts(catalog.samples.size(), read,
                      [&](std::size_t done, std::size_t of) { progress.show(done, of); });
}

/// What is looked at; of a pack its images lie in memory.
struct InspectedSet {
  Catalog catalog;
  std::optional<SampleBlock> pack = std::nullopt;
};

InspectedSet open_inspected(const DataInspectOptions& options) {
  InspectedSet set;
  OpenOptions open = options.table.open();
  if (is_pack_file(options.path)) {
    set.pack = read_pack(options.path);
    set.catalog = set.pack->catalog;
  } else {
    open.tolerant = true;
    set.catalog = open_catalog(options.path, open);
  }
  check_table_options(options.table, options.path, set.catalog.kind);
  const Selection selection = options.rows.selection();
  if (!selection.where.empty() || !selection.hold_out.empty() || !selection.drop_class.empty()) {
    set.catalog = select(set.catalog, selection);
    if (set.pack) {
      set.pack = subset(*set.pack, set.catalog);
      set.catalog = set.pack->catalog;
    }
  }
  return set;
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
  if (is_pack_file(options.path)) {
    throw ArgumentError("--fix writes a table of image files, and '" + options.path +
                        "' is a pack: correct the set it was made of and pack that again");
  }
  refuse_manifest_over_input(options.fix, options.path);
}

void data_inspect(const DataInspectOptions& options) {
  check_fix(options);
  const InspectedSet set = open_inspected(options);
  const Catalog& catalog = set.catalog;
  const SampleReader reader(catalog);
  const ReadImage read = [&](std::size_t i) {
    return set.pack ? image_of(*set.pack, i) : reader.read(i);
  };
  const std::vector<ImageFacts> facts = read_facts(catalog, read);
  const std::vector<Finding> findings = examine(catalog, facts, options.examine);
  if (!options.json.empty()) {
    write_text(options.json, inspection_json(catalog, facts, findings, options.examine));
  }
  if (!options.page.empty()) {
    const auto thumbnails = [&](const SampleList& images) { return thumbnail_uris(images, read); };
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
  command->add_option("PATH", options->path, "Manifest, folder, npz set or pack")->required();
  add_row_options(*command, options->rows);
  add_table_options(*command, options->table);
  command->add_option("--html", options->page, "Write a page with the images to this file");
  command->add_option("--json", options->json,
                      "Write everything as JSON to this file, '-': stdout");
  command
      ->add_option("--near", options->examine.near.max_distance,
                   "Bits of 256 in which the perceptual hashes of near-duplicates may differ")
      ->capture_default_str()
      ->check(within(0, 256));
  command
      ->add_option("--near-correlation", options->examine.near.min_correlation,
                   "Least correlation of near-duplicates")
      ->capture_default_str()
      ->check(within(0.0, 1.0));
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
