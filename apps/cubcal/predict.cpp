#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "commands.h"
#include "compute_setup.h"
#include "cubcal/classifier.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/regular_file.h"
#include "cubcal/io/utc_time.h"
#include "cubcal/io/utf8.h"
#include "cubcal/service/answer_json.h"
#include "cubcal/service/prediction_lines.h"
#include "image_arguments.h"
#include "interrupt.h"
#include "model_warnings.h"
#include "number_text.h"
#include "option_checks.h"
#include "option_flags.h"
#include "pass_options.h"
#include "predict_shard.h"
#include "progress_bar.h"
#include "shard_option.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

struct PredictOptions {
  std::string model;
  std::vector<std::string> images;
  bool json = false;
  bool csv = false;
  std::string lines;  ///< where lines of JSON go; empty: nowhere
  bool no_time = false;
  std::string shard;
  ClassifierOptions classifier;
  PassChoice passes;
};

/// Images of earlier calls and of this one, of all there are.
struct Steps {
  std::size_t done = 0;
  std::size_t now = 1;
  std::size_t of = 1;
};

/// What the words of the last column mean for this model.
std::string legend(const ModelFacts& model) {
  const std::string threshold = fixed(model.refer_above, 4);
  if (!model.detector) return "refer: total uncertainty above eta = " + threshold;
  const std::string refer = model.set_level ? "the prediction set at " +
                                                  significant(100 * *model.set_level, 4) +
                                                  "% holds another class than the answer, or none"
                                            : "total uncertainty above " + threshold;
  return "out-of-scope: p at most " + to_text(model.alpha) + " by " + *model.detector +
         "; refer: " + refer;
}

/// "nevus|melanoma".
std::string set_text(const Answer& answer, const ModelFacts& model) {
  std::string text;
  for (const std::size_t k : *answer.prediction_set) {
    text += (text.empty() ? "" : "|") + model.class_names[k];
  }
  return text;
}

/// The place of the region, which only a calibration gives a meaning, in the table.
constexpr std::ptrdiff_t kRegionColumn = 6;

void print_table(const std::vector<FileAnswer>& files, const ModelFacts& model,
                 const PredictOptions& options) {
  const bool has_regions = !model.calibration.empty();
  std::vector<std::string> header{"image",     "class",     "confidence", "total",
                                  "aleatoric", "epistemic", "OOD p",      "verdict"};
  if (has_regions) header.insert(header.begin() + kRegionColumn, "region");
  if (options.passes.adaptive) header.push_back("passes");
  TextTable table(header);
  for (const FileAnswer& file : files) {
    if (!file.answer) continue;
    const Answer& each = *file.answer;
    std::vector<std::string> row{no_formula(file.path),
                                 no_formula(each.label),
                                 fixed(each.confidence, 4),
                                 fixed(each.total, 4),
                                 fixed(each.aleatoric, 4),
                                 fixed(each.epistemic, 4),
                                 each.ood_p_value ? fixed(*each.ood_p_value, 3) : "-",
                                 decision_name(each.decision)};
    if (has_regions) row.insert(row.begin() + kRegionColumn, region_name(each));
    if (options.passes.adaptive) row.push_back(std::to_string(each.passes));
    table.add(row);
  }
  if (table.empty()) return;
  std::cout << table << '\n';
  if (!model.name.empty()) {
    std::cout << printable(model.name) << ", version " << model.version << ", status "
              << model.status;
    if (!model.intended_use.empty()) {
      std::cout << ". Intended use: " << printable(model.intended_use);
    }
    std::cout << '\n';
  }
  std::cout << "Uncertainty in nats; " << legend(model) << ". "
            << (model.calibration.empty() ? "Not calibrated" : "Calibrated with ")
            << model.calibration << ". ";
  if (options.passes.adaptive) {
    std::cout << "Mean passes " << fixed(mean_passes(files), 1) << " of " << model.passes
              << "; at most " << in_percent(options.passes.stopping.error, 2)
              << "% of decisions should differ from those of all. ";
  }
  std::cout << "A research tool, not a medical device.\n";
}

void print_csv(const std::vector<FileAnswer>& files, const ModelFacts& model,
               const PredictOptions& options) {
  std::vector<std::string> header{"image",     "class",  "confidence", "total",  "aleatoric",
                                  "epistemic", "region", "ood_p",      "verdict"};
  if (options.passes.adaptive) header.push_back("passes");
  if (model.set_level) header.push_back("set");
  for (const std::string& name : model.class_names) header.push_back("p " + name);
  std::cout << csv_row(header);
  for (const FileAnswer& file : files) {
    if (!file.answer) continue;
    const Answer& each = *file.answer;
    std::vector<std::string> row{file.path,
                                 each.label,
                                 to_text(each.confidence),
                                 to_text(each.total),
                                 to_text(each.aleatoric),
                                 to_text(each.epistemic),
                                 region_name(each),
                                 each.ood_p_value ? to_text(*each.ood_p_value) : "",
                                 decision_name(each.decision)};
    if (options.passes.adaptive) row.push_back(std::to_string(each.passes));
    if (each.prediction_set) row.push_back(set_text(each, model));
    for (const double probability : each.probabilities) row.push_back(to_text(probability));
    std::cout << csv_row(row);
  }
}

PredictionSettings settings_of(const PredictOptions& options) {
  PredictionSettings settings;
  settings.seed = options.classifier.seed;
  if (options.passes.adaptive) {
    const AdaptiveOptions& stopping = options.passes.stopping;
    settings.stopping =
        StoppingSettings{stopping.error, stopping.first, stopping.block, !options.passes.no_gamma};
  }
  settings.frame = options.classifier.dicom_frame;
  return settings;
}

/// Where a list of paths was taken for an image.
std::string list_hint(const std::string& path) {
  const std::string end = std::filesystem::path(path).extension().string();
  if (end != ".txt" && end != ".csv" && end != ".list" && end != ".lst") return {};
  constexpr std::size_t kLooked = 512;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  const std::string start = head_of_file(path, kLooked);
  const bool is_text = !start.empty() && std::all_of(start.begin(), start.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\r' || c == '\t';
  });
  return is_text
             ? "; a list of paths is read from standard input, 'cubcal predict - < " + path + "'"
             : "";
}

void tell_of_unreadable(const std::vector<FileAnswer>& files) {
  for (const FileAnswer& file : files) {
    if (file.answer) continue;
    std::cerr << "cubcal: " << printable(options_as_flags(file.problem) + list_hint(file.path))
              << '\n';
  }
}

void fail_for_unreadable(std::size_t unreadable, std::size_t of) {
  if (unreadable == 0) return;
  throw DataError(std::to_string(unreadable) + " of " + std::to_string(of) +
                  " images could not be read");
}

/// A few images at a time, so that what is answered is on the disk whatever ends the program.
void predict_lines(Classifier& classifier, const PredictOptions& options,
                   std::unique_ptr<ProgressBar>& bar, Steps& steps) {
  constexpr std::size_t kAtATime = 32;
  const std::size_t images = options.images.size();
  PredictionLines lines(options.lines, classifier.facts(), options.classifier.seed,
                        options.passes.adaptive, !options.no_time,
                        options.lines == "-" ? &std::cout : nullptr);
  std::vector<std::string> left;
  for (const std::string& path : options.images) {
    if (!lines.has(path)) left.push_back(path);
  }
  std::size_t unreadable = 0;
  steps.of = left.size();
  for (steps.done = 0; steps.done < left.size();) {
    const std::size_t count = std::min(kAtATime, left.size() - steps.done);
    steps.now = count;
    const auto first = left.begin() + static_cast<std::ptrdiff_t>(steps.done);
    const std::vector<FileAnswer> files =
        classifier.predict_files({first, first + static_cast<std::ptrdiff_t>(count)});
    lines.add(files);
    steps.done += count;
    if (answered_count(files) < files.size()) bar->wipe();
    tell_of_unreadable(files);
    unreadable += files.size() - answered_count(files);
  }
  bar.reset();
  std::ostream& out = options.lines == "-" ? std::cerr : std::cout;
  out << images << (images == 1 ? " image" : " images") << ": " << left.size() - unreadable
      << " answered, " << unreadable << " not readable";
  if (left.size() < images) out << ", " << images - left.size() << " answered before";
  if (options.lines != "-") out << "; lines of JSON in " << options.lines;
  out << '\n';
  fail_for_unreadable(unreadable, images);
}

/// Refuses what does not go with --shard.
std::optional<Shard> checked_shard(const PredictOptions& options) {
  const std::optional<Shard> shard = chosen_shard(options.shard);
  if (!shard) return shard;
  if (options.lines.empty() || options.lines == "-") {
    throw ArgumentError("--shard needs --jsonl with the name of a file");
  }
  return shard;
}

void predict_files(PredictOptions options) {
  const std::optional<Shard> shard = checked_shard(options);
  if (!shard) options.images = image_arguments(options.images, std::cin);
  if (options.classifier.device == "cpu") advise_on_blas();
  apply_choice(options.passes, options.classifier);
  const InterruptWatch watch;
  auto bar = std::make_unique<ProgressBar>("predicting");
  options.classifier.interrupted = InterruptWatch::interrupted;
  Steps steps;
  options.classifier.progress = [&](std::size_t done, std::size_t of) {
    if (shard) return;  // of how many is not known before the end
    bar->show(steps.done * of + steps.now * done, std::max<std::size_t>(1, steps.of) * of);
  };
  Classifier classifier(options.model, options.classifier);
  const ModelFacts& model = classifier.facts();
  for (const std::string& warning : model_warnings(model)) {
    std::cerr << "cubcal: warning: " << warning << '\n';
  }
  if (shard) {
    return predict_shard(classifier, {*shard, options.images, options.lines, settings_of(options)},
                         std::cin);
  }
  if (!options.lines.empty()) return predict_lines(classifier, options, bar, steps);
  const std::vector<FileAnswer> files = classifier.predict_files(options.images);
  bar.reset();
  if (options.json) {
    std::cout << predictions_document(files, model, settings_of(options), utc_time());
  } else if (options.csv) {
    print_csv(files, model, options);
  } else {
    print_table(files, model, options);
  }
  std::cout.flush();
  tell_of_unreadable(files);
  fail_for_unreadable(files.size() - answered_count(files), files.size());
}

}  // namespace

void add_predict(CLI::App& app) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* command = app.add_subcommand("predict", "Classify image files and say how sure it is");
  command->add_option("--model", options->model, "Model folder, or run folder of 'cubcal train'")
      ->required();
  command
      ->add_option("IMAGE", options->images,
                   "Image or DICOM files, folders of them, or '-' for paths on standard input, "
                   "one a line")
      ->required();
  CLI::Option* json = command->add_flag("--json", options->json, "Print JSON");
  CLI::Option* csv =
      command->add_flag("--csv", options->csv, "Print CSV with every class's probability")
          ->excludes(json);
  CLI::Option* lines =
      command
          ->add_option(
              "--jsonl", options->lines,
              "Add a line of JSON for each image to this file, '-': standard output; images "
              "that this model has answered in it are passed over")
          ->excludes(json)
          ->excludes(csv);
  command
      ->add_flag("--no-time", options->no_time,
                 "Lines do not say when they were written, so that equal runs give equal bytes")
      ->needs(lines);
  add_shard_option(*command, options->shard, "images")->needs(lines);
  add_pass_options(*command, options->classifier, options->passes);
  command->add_option("--batch", options->classifier.batch, "Images at a time: bounds the memory")
      ->capture_default_str()
      ->check(within(std::size_t{1}, std::size_t{1000000}));
  command->add_option("--frame", options->classifier.dicom_frame,
                      "Frame to take of DICOM files that have several, from 0");
  add_device_option(*command, options->classifier.device);
  add_precision_option(*command, options->classifier.precision);
  add_convolution_option(*command, options->classifier.convolution);
  command->footer(
      "Images are brought to the model's size as its training images were. Gray goes to all\n"
      "channels of a colour model, colour to luma for a gray one, transparency on black. The\n"
      "model's calibration is applied where it carries one, and its verdict ('cubcal ood --fit'):\n"
      "accept, refer or out-of-scope. Without one only U is held against eta. Files that cannot\n"
      "be read are named, the others still predicted; the exit code is then 1.\n"
      "With --jsonl, answers are written as they come, with name, version and hash of the model,\n"
      "program, seed, time and the UIDs of DICOM files; stopped, the same command goes on.\n"
      "With --shard, lines go to a file named after the shard (answers.2-of-4.jsonl for --jsonl\n"
      "answers.jsonl), which appears when it is whole; 'cubcal merge' puts them together. A shard\n"
      "that is there is left as it is, and an image that cannot be read is a row of it.\n"
      "With --adaptive, passes are drawn in blocks, --mc at most, until class, accept/refer and\n"
      "side of gamma are settled; 'cubcal adaptive' checks what that changes.\n\n"
      "Example:\n"
      "  cubcal predict --model run lesion.png other.jpg --json\n"
      "  cubcal predict --model run scans/ --csv > answers.csv\n"
      "  cubcal predict --model models/skin scans/ --jsonl answers.jsonl\n"
      "  cubcal predict --model models/skin scans/ --jsonl answers.jsonl --shard 2/4");
  command->callback([options] { predict_files(*options); });
}

}  // namespace cubcal::app
