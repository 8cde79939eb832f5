#include <chrono>
#include <iostream>
#include <memory>

#include "cubcal/dataset/dicom_window.h"
#include "cubcal/dataset/load_samples.h"
#include "cubcal/dataset/pack_file.h"
#include "cubcal/dataset/selection.h"
#include "cubcal/io/utf8.h"
#include "data_commands.h"
#include "interrupt.h"
#include "logits_input.h"
#include "option_checks.h"
#include "progress_bar.h"
#include "row_options.h"
#include "table_options.h"

namespace cubcal::app {

namespace {

struct DataPackOptions {
  std::string path;
  std::string output;
  std::size_t size = 0;
  std::string fit = "stretch";
  std::string dicom_window = "file";
  bool skip_bad = false;
  bool eight_bits = false;
  RowOptions rows;
  TableOptions table;
  LoadOptions load;
};

void data_pack(DataPackOptions options) {
  if (!is_pack_file(options.output)) {
    throw ArgumentError("-o '" + options.output + "' must end in .safetensors");
  }
  check_output(options.output, {options.path});
  LoadOptions& load = options.load;
  load.shape.height = load.shape.width = options.size;
  load.shape.fit = parse_image_fit(options.fit);
  load.shape.keep_16_bits = !options.eight_bits;
  load.files.dicom_window = parse_dicom_window(options.dicom_window);
  load.bad_files = options.skip_bad ? BadFilePolicy::kSkip : BadFilePolicy::kFail;

  load.open = options.table.open();

  const InterruptWatch watch;
  ProgressBar bar("reading images");
  load.interrupted = InterruptWatch::interrupted;
  load.progress = [&bar](std::size_t done, std::size_t of) { bar.show(done, of); };
  const Selection selection = options.rows.selection();
  const auto start = std::chrono::steady_clock::now();
  const SampleBlock block = open_samples(options.path, load, [&](const Catalog& catalog) {
    check_table_options(options.table, options.path, catalog.kind);
    return select(catalog, selection);
  });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  bar.wipe();
  for (const std::string& reason : block.skipped) {
    std::cerr << "cubcal: skipped: " << printable(reason) << '\n';
  }
  const std::string hash = write_pack(options.output, block);
  const std::size_t count = block.images.shape()[0];
  std::cout << options.path << ": " << catalog_kind_name(block.catalog.kind) << ", " << count
            << " images read at "
            << static_cast<std::size_t>(static_cast<double>(count) / seconds.count())
            << " a second\n";
  print_notes(std::cout, block.catalog);
  std::cout << "wrote " << options.output << ": " << (block.is_deep() ? "16" : "8")
            << "-bit images of " << block.channels() << " x " << block.height() << " x "
            << block.width() << ", content hash " << hash << '\n';
}

}  // namespace

void add_data_pack(CLI::App& data) {
  auto options = std::make_shared<DataPackOptions>();
  CLI::App* command = data.add_subcommand(
      "pack", "Decode a data set once and write it as one file that is mapped, not read");
  command->add_option("PATH", options->path, "Manifest, folder, npz set or pack")->required();
  command->add_option("-o,--output", options->output, "File to write (.safetensors)")->required();
  command
      ->add_option("--size", options->size,
                   "Height and width images are brought to (default: theirs, if equal)")
      ->check(within(std::size_t{8}, std::size_t{8192}));
  command
      ->add_option("--reduce-to", options->load.shape.reduce_to,
                   "First make every image this small (its shorter side), so that resolution does "
                   "not tell a source")
      ->check(within(std::size_t{8}, std::size_t{8192}));
  command->add_option("--fit", options->fit, "stretch, or crop: keep proportions, take the middle")
      ->capture_default_str()
      ->check(CLI::IsMember({"stretch", "crop"}));
  command
      ->add_option("--channels", options->load.shape.channels,
                   "1 or 3 (default: 1 where every image is gray)")
      ->check(CLI::IsMember(std::vector<std::size_t>{1, 3}));
  command->add_flag("--8-bit", options->eight_bits, "Reduce images of 16 bits to 8");
  command
      ->add_option("--dicom-window", options->dicom_window,
                   "How DICOM values become levels: file, percentile or full")
      ->capture_default_str()
      ->check(CLI::IsMember({"file", "percentile", "full"}));
  command->add_flag("--skip-bad", options->skip_bad,
                    "Leave out files that cannot be decoded, and name them, instead of failing");
  add_row_options(*command, options->rows);
  add_table_options(*command, options->table);
  command->footer(
      "Training and 'cubcal logits' take the pack wherever they take a data set. The content hash\n"
      "goes into the record of every run trained on it.\n\n"
      "Example:\n"
      "  cubcal data pack scans.csv --size 224 -o scans.safetensors");
  command->callback([options] { with_table_options([&options] { data_pack(*options); }); });
}

}  // namespace cubcal::app
