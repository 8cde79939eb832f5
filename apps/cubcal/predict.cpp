#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "adaptive_options.h"
#include "commands.h"
#include "compute_setup.h"
#include "cubcal/classifier.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/utf8.h"
#include "cubcal/service/answer_json.h"
#include "image_arguments.h"
#include "interrupt.h"
#include "model_warnings.h"
#include "number_text.h"
#include "option_checks.h"
#include "option_flags.h"
#include "progress_bar.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

using Json = nlohmann::ordered_json;

struct PredictOptions {
  std::string model;
  std::vector<std::string> images;
  bool json = false;
  bool csv = false;
  ClassifierOptions classifier;
  bool adaptive = false;  ///< stop each image once it is settled
  AdaptiveOptions stopping;
  bool no_gamma = false;
};

/// What the words of the last column mean for this model.
std::string legend(const ModelFacts& model) {
  const std::string threshold = fixed(model.refer_above, 4);
  if (!model.detector) return "refer: total uncertainty above eta = " + threshold;
  return "out-of-scope: p at most " + to_text(model.alpha) + " by " + *model.detector +
         "; refer: total uncertainty above " + threshold;
}

/// Files with an answer.
std::size_t answered(const std::vector<FileAnswer>& files) {
  std::size_t count = 0;
  for (const FileAnswer& file : files) count += file.answer ? 1 : 0;
  return count;
}

double mean_passes(const std::vector<FileAnswer>& files) {
  double sum = 0;
  for (const FileAnswer& file : files) {
    if (file.answer) sum += static_cast<double>(file.answer->passes);
  }
  return sum / static_cast<double>(answered(files));
}

void print_table(const std::vector<FileAnswer>& files, const ModelFacts& model,
                 const PredictOptions& options) {
  std::vector<std::string> header{"image",     "class",  "confidence", "total",  "aleatoric",
                                  "epistemic", "region", "OOD p",      "verdict"};
  if (options.adaptive) header.push_back("passes");
  TextTable table(header);
  for (const FileAnswer& file : files) {
    if (!file.answer) continue;
    const Answer& each = *file.answer;
    std::vector<std::string> row{
        no_formula(file.path),       no_formula(each.label),
        fixed(each.confidence, 4),   fixed(each.total, 4),
        fixed(each.aleatoric, 4),    fixed(each.epistemic, 4),
        region_name(each),           each.ood_p_value ? fixed(*each.ood_p_value, 3) : "-",
        decision_name(each.decision)};
    if (options.adaptive) row.push_back(std::to_string(each.passes));
    table.add(row);
  }
  if (table.empty()) return;
  std::cout << table << "\nUncertainty in nats; " << legend(model) << ". "
            << (model.calibration.empty() ? "Not calibrated" : "Calibrated with ")
            << model.calibration << ". ";
  if (options.adaptive) {
    std::cout << "Mean passes " << fixed(mean_passes(files), 1) << " of " << model.passes
              << "; at most " << fixed(100 * options.stopping.error, 2)
              << "% of decisions should differ from those of all. ";
  }
  std::cout << "A research tool, not a medical device.\n";
}

void print_csv(const std::vector<FileAnswer>& files, const ModelFacts& model,
               const PredictOptions& options) {
  std::vector<std::string> header{"image",     "class",  "confidence", "total",  "aleatoric",
                                  "epistemic", "region", "ood_p",      "verdict"};
  if (options.adaptive) header.push_back("passes");
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
    if (options.adaptive) row.push_back(std::to_string(each.passes));
    for (const double probability : each.probabilities) row.push_back(to_text(probability));
    std::cout << csv_row(row);
  }
}

Json answer_json(const FileAnswer& file, const ModelFacts& model, bool adaptive) {
  Json json = prediction_json(file.path, *file.answer, model);
  if (adaptive) json["passes"] = file.answer->passes;
  return json;
}

void print_json(const std::vector<FileAnswer>& files, const ModelFacts& model,
                const PredictOptions& options) {
  Json document;
  document["model"] = model.network;
  document["calibration"] = model.calibration.empty() ? Json() : Json(model.calibration);
  document["eta"] = model.eta;
  document["policy"] = policy_json(model);
  if (options.adaptive) {
    document["adaptive"] = {
        {"error", options.stopping.error},
        {"passes", model.passes},
        {"mean_passes", answered(files) > 0 ? Json(mean_passes(files)) : Json()}};
  }
  document["predictions"] = Json::array();
  document["unreadable"] = Json::array();
  for (const FileAnswer& file : files) {
    if (file.answer) {
      document["predictions"].push_back(answer_json(file, model, options.adaptive));
    } else {
      document["unreadable"].push_back({{"image", file.path}, {"reason", file.problem}});
    }
  }
  std::cout << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void predict_files(PredictOptions options) {
  options.images = image_arguments(options.images, std::cin);
  if (options.classifier.device == "cpu") advise_on_blas();
  if (options.adaptive) {
    options.classifier.adaptive_stop = AdaptiveStop{options.stopping.error, options.stopping.first,
                                                    options.stopping.block, !options.no_gamma};
  }
  const InterruptWatch watch;
  auto bar = std::make_unique<ProgressBar>("predicting");
  options.classifier.interrupted = InterruptWatch::interrupted;
  options.classifier.progress = [&bar](std::size_t done, std::size_t of) { bar->show(done, of); };
  Classifier classifier(options.model, options.classifier);
  const ModelFacts& model = classifier.facts();
  for (const std::string& warning : model_warnings(model)) {
    std::cerr << "cubcal: warning: " << warning << '\n';
  }
  const std::vector<FileAnswer> files = classifier.predict_files(options.images);
  bar.reset();
  if (options.json) {
    print_json(files, model, options);
  } else if (options.csv) {
    print_csv(files, model, options);
  } else {
    print_table(files, model, options);
  }
  std::cout.flush();
  for (const FileAnswer& file : files) {
    if (!file.answer) std::cerr << "cubcal: " << printable(options_as_flags(file.problem)) << '\n';
  }
  const std::size_t unreadable = files.size() - answered(files);
  if (unreadable > 0) {
    throw DataError(std::to_string(unreadable) + " of " + std::to_string(files.size()) +
                    " images could not be read");
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* command = app.add_subcommand("predict", "Classify image files and say how sure it is");
  command->add_option("--model", options->model, "Model folder, or run folder of 'cubcal train'")
      ->required();
  command
      ->add_option("IMAGE", options->images,
                   "PNG, JPEG or DICOM files, folders of them, or '-' for paths on standard input, "
                   "one a line")
      ->required();
  CLI::Option* json = command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--csv", options->csv, "Print CSV with every class's probability")
      ->excludes(json);
  command
      ->add_option("--mc", options->classifier.passes,
                   "Stochastic passes (default: those of the model's verdict, else 80)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100000}));
  CLI::Option* adaptive = command->add_flag("--adaptive", options->adaptive,
                                            "Stop each image once more passes would not change it");
  add_stopping_options(*command, options->stopping, options->no_gamma);
  for (const char* name : {"--error", "--first", "--block", "--no-gamma"}) {
    command->get_option(name)->needs(adaptive);
  }
  command->add_option("--seed", options->classifier.seed, "Seed of the passes")
      ->capture_default_str()
      ->check(not_negative());
  command->add_option("--batch", options->classifier.batch, "Images at a time: bounds the memory")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}));
  command
      ->add_option("--frame", options->classifier.dicom_frame,
                   "Frame to take of DICOM files that have several, from 0")
      ->check(not_negative());
  add_device_option(*command, options->classifier.device);
  add_precision_option(*command, options->classifier.precision);
  command->footer(
      "Images are brought to the model's size as its training images were. Gray goes to all\n"
      "channels of a colour model, colour to luma for a gray one, transparency on black. The\n"
      "model's calibration is applied where it carries one, and its verdict ('cubcal ood --fit'):\n"
      "accept, refer or out-of-scope. Without one only U is held against eta. Files that cannot\n"
      "be read are named, the others still predicted; the exit code is then 1.\n"
      "With --adaptive, passes are drawn in blocks, --mc at most, until class, accept/refer and\n"
      "side of gamma are settled; 'cubcal adaptive' checks what that changes.\n\n"
      "Example:\n"
      "  cubcal predict --model run lesion.png other.jpg --json\n"
      "  cubcal predict --model run scans/ --csv > answers.csv");
  command->callback([options] { predict_files(*options); });
}

}  // namespace cubcal::app
