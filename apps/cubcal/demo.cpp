#include <sys/utsname.h>

#include <iostream>
#include <memory>
#include <sstream>
#include <thread>

#include "commands.h"
#include "cubcal/core/parallel.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/report/write_report.h"
#include "demo_tables.h"
#include "option_checks.h"
#include "recipe_setup.h"
#include "report_images.h"
#include "text_table.h"
#include "work_view.h"

namespace cubcal::app {

namespace {

struct DemoCommandOptions {
  DemoOptions demo;
  std::size_t seeds = 1;
  std::string markdown;
};

/// "aarch64, 2 processors, 2 threads".
std::string machine_text() {
  utsname machine{};
  const std::string architecture = ::uname(&machine) == 0 ? machine.machine : "unknown";
  return architecture + ", " + std::to_string(std::thread::hardware_concurrency()) +
         " processors, " + std::to_string(thread_count()) + " threads";
}

std::string command_text(const DemoCommandOptions& options) {
  std::string text = "cubcal demo --out " + options.demo.folder;
  if (options.demo.seed != 1) text += " --seed " + std::to_string(options.demo.seed);
  if (options.seeds > 1) text += " --seeds " + std::to_string(options.seeds);
  if (options.demo.quick) text += " --quick";
  return text;
}

DemoTables run_demo(const DemoOptions& options, const std::string& command) {
  const std::vector<RunPart> parts = demo_parts(options);
  const ImageSet set = load_data(parts.front().recipe.data);
  WorkView view;
  for (const RunPart& part : parts) {
    make_part(
        part, [&set]() -> const ImageSet& { return set; }, "", command, view);
  }
  return demo_tables(parts);
}

std::string as_text(const results::ResultTable& table) {
  TextTable aligned(results::header_texts(table));
  for (const results::ResultRow& row : table.rows) aligned.add(results::row_texts(table, row));
  std::ostringstream text;
  text << table.title << "\n\n" << aligned << '\n';
  return text.str();
}

using WriteTable = std::string (*)(const results::ResultTable&);

void print_all(std::ostream& out, const std::vector<DemoTables>& repeats, WriteTable write) {
  for (results::ResultTable DemoTables::*table :
       {&DemoTables::methods, &DemoTables::post_hoc, &DemoTables::detection}) {
    std::vector<results::ResultTable> tables;
    for (const DemoTables& each : repeats) tables.push_back(each.*table);
    out << write(results::merged(tables));
  }
}

void write_markdown(const DemoCommandOptions& options, const std::vector<DemoTables>& repeats) {
  std::ostringstream out;
  out << "# What the demo shows\n\n"
      << "Made by `" << command_text(options) << " --markdown FILE` on " << machine_text()
      << ". Do not edit: run it again.\n\n"
      << "The phantom set: drawn lesions of four classes, 3% wrong labels, two kinds of lesion "
         "that training never sees. Every network starts from the same deterministic one; "
         "settings in `recipes/phantom.toml`. A seed changes images, first weights and order "
         "alike. U in nats; ECE, UCE, BCCE with 15 bins; AvU at U = 0.325; 80 passes.\n\n";
  out << "How to read it: BCCE alone has a degenerate optimum, so `ts-bcce` and `dts` end on the "
         "bounds of their boxes and pay in NLL and ECE; `dts-guarded` bounds that price "
         "([calibration](calibration.md)). AvU counts right and certain or wrong and uncertain "
         "answers ([metrics](metrics.md)).\n\n";
  out << "## Seed " << options.demo.seed << "\n\n";
  print_all(out, {repeats.front()}, results::to_markdown);
  if (repeats.size() > 1) {
    out << "## " << repeats.size() << " seeds, mean ± standard deviation\n\n";
    print_all(out, repeats, results::to_markdown);
  }
  write_file_atomically(options.markdown, out.str());
}

/// The options of the repeat with the `index`-th seed.
DemoOptions repeat_of(const DemoCommandOptions& options, std::size_t index) {
  DemoOptions one = options.demo;
  one.seed += index;
  if (options.seeds > 1) one.folder += "/seed" + std::to_string(one.seed);
  return one;
}

/// All methods and seeds on one page, the paper's method first.
std::string write_demo_report(const DemoCommandOptions& options) {
  report::ReportOptions page;
  page.output = options.demo.folder + "/report.html";
  for (std::size_t i = 0; i < options.seeds; ++i) {
    const std::vector<RunPart> parts = demo_parts(repeat_of(options, i));
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      page.runs.push_back(part->folder);
    }
  }
  page.test_image = drawn_test_images(page.runs.front(), "phantom");
  report::write_report(page);
  return page.output;
}

void demo(const DemoCommandOptions& options, bool threads_given) {
  const std::string command = command_text(options);
  set_up_computing(demo_parts(options.demo).front().recipe, threads_given, "");
  std::vector<DemoTables> repeats;
  for (std::size_t i = 0; i < options.seeds; ++i) {
    repeats.push_back(run_demo(repeat_of(options, i), command));
    std::cout << '\n';
    print_all(std::cout, {repeats.back()}, as_text);
    for (const std::string& warning : repeats.back().warnings) {
      std::cerr << "cubcal: warning: " << warning << '\n';
    }
  }
  if (repeats.size() > 1) {
    std::cout << repeats.size() << " seeds, mean ± standard deviation\n\n";
    print_all(std::cout, repeats, as_text);
  }
  if (!options.markdown.empty()) {
    write_markdown(options, repeats);
    std::cout << "wrote " << options.markdown << '\n';
  }
  std::cout << "everything is in " << options.demo.folder << '\n'
            << "the report: " << write_demo_report(options) << '\n';
}

}  // namespace

void add_demo(CLI::App& app) {
  auto options = std::make_shared<DemoCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "demo", "The whole story on drawn images: train, calibrate, compare (minutes)");
  options->demo.folder = "runs/demo";
  command->add_option("--out", options->demo.folder, "Folder for everything")
      ->capture_default_str();
  command->add_option("--seed", options->demo.seed, "Of images, first weights and all draws")
      ->capture_default_str();
  command->add_option("--seeds", options->seeds, "Repeat with so many seeds; adds mean ± sd")
      ->capture_default_str()
      ->check(within(std::size_t{1}, std::size_t{100}));
  command->add_flag("--quick", options->demo.quick,
                    "Few images and epochs: shows that it runs, not what it can do");
  command->add_option("--markdown", options->markdown, "Also write the tables to this file");
  command->footer(
      "Trains a deterministic network, then from it MC dropout, BNN, BNN + AvUC and BNN + CUB;\n"
      "draws 80 passes for val, test and ood; fits ts-nll, ts-bcce, dts and dts-guarded on val;\n"
      "ends with a report of it all, OUT/report.html.\n"
      "Run again, it goes on where it was and makes nothing twice.\n\n"
      "Example:\n  cubcal demo --out runs/demo");
  command->callback([options, &app] { demo(*options, app.count("--threads") > 0); });
}

}  // namespace cubcal::app
