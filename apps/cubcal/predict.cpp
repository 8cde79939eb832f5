#include <ATen/ATen.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "adaptive_options.h"
#include "commands.h"
#include "compute_setup.h"
#include "cubcal/boundary/regions.h"
#include "cubcal/core/check.h"
#include "cubcal/image/image_file.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/utf8.h"
#include "cubcal_nn/infer/adaptive_prediction.h"
#include "cubcal_nn/infer/image_input.h"
#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/ood/verdict_folder.h"
#include "interrupt.h"
#include "number_text.h"
#include "option_checks.h"
#include "progress_bar.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

using Json = nlohmann::ordered_json;

struct PredictOptions {
  std::string model;
  std::vector<std::string> images;
  std::string device = "cpu";
  std::string precision = "auto";
  bool json = false;
  bool csv = false;
  std::optional<std::size_t> passes;  ///< where --mc gives them
  std::optional<std::size_t> frame;   ///< of DICOM files that have several
  McOptions mc;
  bool adaptive = false;  ///< stop each image once it is settled
  AdaptiveOptions stopping;
  bool no_gamma = false;
};

struct UnreadableFile {
  std::string path;
  std::string reason;
};

struct Input {
  std::vector<std::string> paths;  ///< of the images that could be read
  at::Tensor images;
  std::vector<UnreadableFile> unreadable;
};

struct ImagePrediction {
  std::string path;
  std::size_t predicted;
  std::vector<double> probabilities;
  double confidence;
  double total;
  double aleatoric;
  double epistemic;
  std::string region;  ///< from the unscaled prediction
  Decision decision;   ///< without a verdict in the model: refer where U exceeds eta
  std::optional<double> ood_p_value;
  std::optional<std::size_t> passes;  ///< taken; with --adaptive
};

Input read_input(const PredictOptions& options, const Preprocessing& preprocessing) {
  Input input;
  std::vector<at::Tensor> tensors;
  ImageFileOptions file_options;
  file_options.dicom_window = preprocessing.dicom_window;
  file_options.dicom_frame = options.frame;
  for (const std::string& path : options.images) {
    try {
      tensors.push_back(image_input(read_image_file(path, file_options), preprocessing));
      input.paths.push_back(path);
    } catch (const Error& error) {
      input.unreadable.push_back({path, error.what()});
    }
  }
  if (!tensors.empty()) input.images = at::cat(tensors);
  return input;
}

/// What the network says of the images.
struct NetworkOutput {
  Predictive unscaled;
  Predictive calibrated;
  std::vector<std::size_t> passes;  ///< per image, with --adaptive
  std::vector<double> ood_scores;   ///< where the model carries a verdict
};

/// U above it is referred.
double refer_above(const ModelDescription& model, const std::optional<VerdictModel>& verdict) {
  return verdict ? verdict->policy.uncertainty : model.operating_point().eta;
}

/// What must be settled before an image stops: what judge_image looks at.
DecisionOptions deciding(const ModelDescription& model, const std::optional<VerdictModel>& verdict,
                         bool no_gamma) {
  DecisionOptions decision;
  decision.uncertainty = refer_above(model, verdict);
  if (no_gamma) decision.gamma.reset();
  return decision;
}

NetworkOutput run_network(const LoadedModel& model, const std::optional<VerdictModel>& verdict,
                          const Input& input, const PredictOptions& options) {
  const InterruptWatch watch;
  ProgressBar bar("predicting");
  McOptions mc = options.mc;
  mc.compute.precision = parse_precision(options.precision);
  mc.interrupted = InterruptWatch::interrupted;
  mc.progress = [&bar](std::size_t done, std::size_t of) { bar.show(done, of); };
  // Each image is the first of a set of its own, so that its prediction depends on no other.
  mc.samples.assign(input.paths.size(), 0);
  McEngine engine(*model.network, model.description.preprocessing);
  const std::optional<Calibration>& calibration = model.description.calibration;
  NetworkOutput output;
  if (options.adaptive) {
    AdaptivePrediction adaptive =
        predict_adaptively(engine, *model.network, input.images, mc, options.stopping,
                           deciding(model.description, verdict, options.no_gamma), calibration);
    output.unscaled = std::move(adaptive.unscaled);
    output.calibrated = std::move(adaptive.calibrated);
    output.passes = std::move(adaptive.passes);
  } else {
    const NdArray array = engine.run(input.images, mc).logits;
    const McLogits logits(array);
    output.unscaled = predict(logits);
    output.calibrated =
        calibration ? apply_calibration(*calibration, logits, output.unscaled) : output.unscaled;
  }
  if (verdict) output.ood_scores = verdict_scores(*verdict, engine, input.images, mc);
  return output;
}

/// The model's verdict, or what its thresholds alone can say.
Verdict judge_image(const std::optional<VerdictModel>& verdict, const NetworkOutput& output,
                    std::size_t image, double uncertainty, double eta) {
  if (verdict) return judge(verdict->policy, output.ood_scores[image], uncertainty);
  return {0, uncertainty <= eta ? Decision::kAccept : Decision::kRefer};
}

std::vector<ImagePrediction> predict_images(const LoadedModel& model,
                                            const std::optional<VerdictModel>& verdict,
                                            const Input& input, const PredictOptions& options) {
  if (input.paths.empty()) return {};
  const NetworkOutput output = run_network(model, verdict, input, options);
  const Predictive& unscaled = output.unscaled;
  const Predictive& final = output.calibrated;
  const Thresholds thresholds = model.description.operating_point();
  std::vector<ImagePrediction> predictions;
  for (std::size_t i = 0; i < final.samples; ++i) {
    const auto row = final.probabilities.begin() + static_cast<std::ptrdiff_t>(i * final.classes);
    const ScalingRegion region =
        scaling_region(unscaled.confidence[i], unscaled.entropy[i], thresholds);
    const Verdict judged = judge_image(verdict, output, i, final.entropy[i], thresholds.eta);
    predictions.push_back({input.paths[i],
                           static_cast<std::size_t>(final.predicted[i]),
                           {row, row + static_cast<std::ptrdiff_t>(final.classes)},
                           final.confidence[i],
                           final.entropy[i],
                           final.aleatoric[i],
                           final.epistemic(i),
                           region == ScalingRegion::kSharpen ? "sharpen" : "soften",
                           judged.decision,
                           verdict ? std::optional(judged.p_value) : std::nullopt,
                           options.adaptive ? std::optional(output.passes[i]) : std::nullopt});
  }
  return predictions;
}

/// What the words of the last column mean for this model.
std::string legend(const ModelDescription& model, const std::optional<VerdictModel>& verdict) {
  const std::string threshold = fixed(refer_above(model, verdict), 4);
  if (!verdict) {
    return "refer: total uncertainty above eta = " + threshold;
  }
  return "out-of-scope: p at most " + to_text(verdict->policy.options.alpha) + " by " +
         verdict->policy.detector + "; refer: total uncertainty above " + threshold;
}

double mean_passes(const std::vector<ImagePrediction>& predictions) {
  double sum = 0;
  for (const ImagePrediction& each : predictions) sum += static_cast<double>(*each.passes);
  return sum / static_cast<double>(predictions.size());
}

void print_table(const std::vector<ImagePrediction>& predictions, const ModelDescription& model,
                 const std::optional<VerdictModel>& verdict, const PredictOptions& options) {
  std::vector<std::string> header{"image",     "class",  "confidence", "total",  "aleatoric",
                                  "epistemic", "region", "OOD p",      "verdict"};
  if (options.adaptive) header.push_back("passes");
  TextTable table(header);
  for (const ImagePrediction& each : predictions) {
    std::vector<std::string> row{no_formula(each.path),
                                 no_formula(model.class_names[each.predicted]),
                                 fixed(each.confidence, 4),
                                 fixed(each.total, 4),
                                 fixed(each.aleatoric, 4),
                                 fixed(each.epistemic, 4),
                                 each.region,
                                 each.ood_p_value ? fixed(*each.ood_p_value, 3) : "-",
                                 decision_name(each.decision)};
    if (each.passes) row.push_back(std::to_string(*each.passes));
    table.add(row);
  }
  if (table.empty()) return;
  std::cout << table << "\nUncertainty in nats; " << legend(model, verdict) << ". "
            << (model.calibration
                    ? std::string("Calibrated with ") + method_name(model.calibration->method)
                    : std::string("Not calibrated"))
            << ". ";
  if (options.adaptive) {
    std::cout << "Mean passes " << fixed(mean_passes(predictions), 1) << " of " << options.mc.passes
              << "; at most " << fixed(100 * options.stopping.error, 2)
              << "% of decisions should differ from those of all. ";
  }
  std::cout << "A research tool, not a medical device.\n";
}

void print_csv(const std::vector<ImagePrediction>& predictions, const ModelDescription& model,
               const PredictOptions& options) {
  std::vector<std::string> header{"image",     "class",  "confidence", "total",  "aleatoric",
                                  "epistemic", "region", "ood_p",      "verdict"};
  if (options.adaptive) header.push_back("passes");
  for (const std::string& name : model.class_names) header.push_back("p " + name);
  std::cout << csv_row(header);
  for (const ImagePrediction& each : predictions) {
    std::vector<std::string> row{each.path,
                                 model.class_names[each.predicted],
                                 to_text(each.confidence),
                                 to_text(each.total),
                                 to_text(each.aleatoric),
                                 to_text(each.epistemic),
                                 each.region,
                                 each.ood_p_value ? to_text(*each.ood_p_value) : "",
                                 decision_name(each.decision)};
    if (each.passes) row.push_back(std::to_string(*each.passes));
    for (const double probability : each.probabilities) row.push_back(to_text(probability));
    std::cout << csv_row(row);
  }
}

/// The rule behind the verdicts.
Json policy_json(const ModelDescription& model, const std::optional<VerdictModel>& verdict,
                 std::size_t passes) {
  return {{"detector", verdict ? Json(verdict->policy.detector) : Json()},
          {"alpha", verdict ? Json(verdict->policy.options.alpha) : Json()},
          {"refer_above", refer_above(model, verdict)},
          {"passes", passes}};
}

void print_json(const std::vector<ImagePrediction>& predictions, const Input& input,
                const LoadedModel& loaded, const std::optional<VerdictModel>& verdict,
                const PredictOptions& options) {
  const ModelDescription& model = loaded.description;
  Json document;
  document["model"] = model.network;
  document["calibration"] =
      model.calibration ? Json(method_name(model.calibration->method)) : Json();
  document["eta"] = model.operating_point().eta;
  document["policy"] = policy_json(model, verdict, drawn_passes(*loaded.network, options.mc));
  if (options.adaptive) {
    document["adaptive"] = {
        {"error", options.stopping.error},
        {"passes", options.mc.passes},
        {"mean_passes", predictions.empty() ? Json() : Json(mean_passes(predictions))}};
  }
  document["predictions"] = Json::array();
  for (const ImagePrediction& each : predictions) {
    Json probabilities = Json::object();
    for (std::size_t k = 0; k < model.classes(); ++k) {
      probabilities[model.class_names[k]] = each.probabilities[k];
    }
    document["predictions"].push_back(
        {{"image", each.path},
         {"class", model.class_names[each.predicted]},
         {"class_index", each.predicted},
         {"probabilities", probabilities},
         {"confidence", each.confidence},
         {"uncertainty",
          {{"total", each.total}, {"aleatoric", each.aleatoric}, {"epistemic", each.epistemic}}},
         {"region", each.region},
         {"ood_p_value", each.ood_p_value ? Json(*each.ood_p_value) : Json()},
         {"verdict", decision_name(each.decision)}});
    if (each.passes) document["predictions"].back()["passes"] = *each.passes;
  }
  document["unreadable"] = Json::array();
  for (const UnreadableFile& file : input.unreadable) {
    document["unreadable"].push_back({{"image", file.path}, {"reason", file.reason}});
  }
  std::cout << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

/// Thresholds on U are for the number of passes they were fitted with.
void choose_passes(PredictOptions& options, const LoadedModel& model,
                   const std::optional<VerdictModel>& verdict) {
  if (options.passes) {
    options.mc.passes = *options.passes;
  } else if (verdict) {
    options.mc.passes = verdict->policy.passes;
  }
  if (verdict && drawn_passes(*model.network, options.mc) != verdict->policy.passes) {
    std::cerr << "cubcal: warning: the thresholds of the model's verdict are for "
              << verdict->policy.passes << " passes, and --mc says " << options.mc.passes << '\n';
  }
}

void predict_files(PredictOptions options) {
  const c10::Device device = set_up_device(options.device);
  const LoadedModel model = load_model(options.model, device);
  const Input input = read_input(options, model.description.preprocessing);
  const std::optional<VerdictModel> verdict = load_verdict(options.model, device);
  if (options.adaptive && verdict && verdict->policy.features == FeatureSource::kPasses) {
    throw ArgumentError(
        "--adaptive cannot save passes with this model, whose verdict takes features of all of "
        "them");
  }
  choose_passes(options, model, verdict);
  const std::vector<ImagePrediction> predictions = predict_images(model, verdict, input, options);
  if (options.json) {
    print_json(predictions, input, model, verdict, options);
  } else if (options.csv) {
    print_csv(predictions, model.description, options);
  } else {
    print_table(predictions, model.description, verdict, options);
  }
  std::cout.flush();
  for (const UnreadableFile& file : input.unreadable) {
    std::cerr << "cubcal: " << printable(file.reason) << '\n';
  }
  if (!input.unreadable.empty()) {
    throw DataError(std::to_string(input.unreadable.size()) + " of " +
                    std::to_string(options.images.size()) + " images could not be read");
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* command = app.add_subcommand("predict", "Classify image files and say how sure it is");
  command->add_option("--model", options->model, "Model folder, or run folder of 'cubcal train'")
      ->required();
  command->add_option("IMAGE", options->images, "PNG, JPEG or DICOM files")->required();
  CLI::Option* json = command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--csv", options->csv, "Print CSV with every class's probability")
      ->excludes(json);
  command
      ->add_option("--mc", options->passes,
                   "Stochastic passes (default: those of the model's verdict, else 80)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100000}));
  CLI::Option* adaptive = command->add_flag("--adaptive", options->adaptive,
                                            "Stop each image once more passes would not change it");
  add_stopping_options(*command, options->stopping, options->no_gamma);
  for (const char* name : {"--error", "--first", "--block", "--no-gamma"}) {
    command->get_option(name)->needs(adaptive);
  }
  command->add_option("--seed", options->mc.seed, "Seed of the passes")
      ->capture_default_str()
      ->check(not_negative());
  command->add_option("--batch", options->mc.batch, "Images at a time: bounds the memory")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000}));
  command
      ->add_option("--frame", options->frame,
                   "Frame to take of DICOM files that have several, from 0")
      ->check(not_negative());
  add_device_option(*command, options->device);
  add_precision_option(*command, options->precision);
  command->footer(
      "Images are brought to the model's size as its training images were. Gray goes to all\n"
      "channels of a colour model, colour to luma for a gray one, transparency on black. The\n"
      "model's calibration is applied where it carries one, and its verdict ('cubcal ood --fit'):\n"
      "accept, refer or out-of-scope. Without one only U is held against eta. Files that cannot\n"
      "be read are named, the others still predicted; the exit code is then 1.\n"
      "With --adaptive, passes are drawn in blocks, --mc at most, until class, accept/refer and\n"
      "side of gamma are settled; 'cubcal adaptive' checks what that changes.\n\n"
      "Example:\n"
      "  cubcal predict --model run lesion.png other.jpg --json");
  command->callback([options] { predict_files(*options); });
}

}  // namespace cubcal::app
