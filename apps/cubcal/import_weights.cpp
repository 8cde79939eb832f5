#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>

#include "commands.h"
#include "cubcal/core/counted.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/weights/layers_model.h"
#include "cubcal/weights/weights_file.h"
#include "cubcal_nn/bayes/moped.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/infer/weight_import.h"
#include "cubcal_nn/models/registry.h"
#include "cubcal_nn/ood/verdict_folder.h"
#include "option_checks.h"
#include "text_lines.h"

namespace cubcal::app {

namespace {

constexpr std::size_t kLargestNames = std::size_t{1} << 20;  // bytes of a file of class names

struct ImportCommand {
  std::string file;
  std::string network;
  std::string head = "own";
  std::size_t classes = 0;
  std::vector<std::string> class_names;
  std::int64_t size = 224;
  std::int64_t channels = 3;
  std::vector<double> mean;
  std::vector<double> standard_deviation;
  std::string kind = "deterministic";
  std::optional<double> moped;
  std::string key;
  std::uint64_t seed = 0;
  std::string output;
  bool force = false;
  bool half = false;
  ImportOptions import;
};

Preprocessing preprocessing_of(const ImportCommand& command) {
  Preprocessing result;
  result.height = result.width = command.size;
  result.mean = command.mean;
  result.standard_deviation = command.standard_deviation;
  if (command.mean.empty() != command.standard_deviation.empty()) {
    throw ArgumentError("--mean and --std go together");
  }
  if (command.mean.empty()) {
    if (command.channels != 3) {
      throw ArgumentError("--mean and --std are needed for images that have no 3 channels");
    }
    result.mean = kImageNetMean;
    result.standard_deviation = kImageNetDeviation;
  }
  const auto channels = static_cast<std::size_t>(command.channels);
  if (result.mean.size() != channels || result.standard_deviation.size() != channels) {
    throw ArgumentError("--mean and --std need one number per channel, which are " +
                        std::to_string(channels));
  }
  return result;
}

/// A single name that is a file's holds the names, a line each.
std::vector<std::string> given_class_names(const ImportCommand& command) {
  if (command.class_names.size() != 1 ||
      !std::filesystem::is_regular_file(command.class_names.front())) {
    return command.class_names;
  }
  std::istringstream lines(read_text_file(command.class_names.front(), kLargestNames));
  return text_lines(lines);
}

std::vector<std::string> class_names_of(const ImportCommand& command) {
  std::vector<std::string> given = given_class_names(command);
  if (!given.empty()) {
    if (command.classes > 0 && given.size() != command.classes) {
      throw ArgumentError("--class-names names " + std::to_string(given.size()) +
                          " classes, and --classes says " + std::to_string(command.classes));
    }
    return given;
  }
  std::vector<std::string> names;
  for (std::size_t k = 0; k < command.classes; ++k) names.push_back("class " + std::to_string(k));
  return names;
}

ModelDescription describe_model(const ImportCommand& command) {
  ModelDescription description;
  description.network = command.network;
  description.class_names = class_names_of(command);
  description.kind = parse_layer_kind(command.kind);
  description.head = parse_head_kind(command.head);
  description.preprocessing = preprocessing_of(command);
  description.provenance.seed = command.seed;
  description.provenance.stage = "imported";
  description.provenance.recipe = "cubcal import " + command.file;
  return description;
}

void list(std::ostream& out, const char* title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  out << title << " (" << names.size() << "):\n";
  for (const std::string& name : names) out << "  " << name << '\n';
}

bool makes_weights_file(const ImportCommand& command) {
  return std::filesystem::path(command.output).extension() == ".safetensors";
}

/// Which options are needed, and which mean something, hangs on what -o asks for.
void check_options(const CLI::App& parsed, const ImportCommand& command) {
  if (!makes_weights_file(command)) {
    if (parsed.count("--network") == 0) {
      throw ArgumentError("--network is required for a model folder");
    }
    if (parsed.count("--classes") == 0 && parsed.count("--class-names") == 0) {
      throw ArgumentError("--classes or --class-names is required for a model folder");
    }
    if (command.half) throw ArgumentError("--half goes with an output that ends in .safetensors");
    return;
  }
  for (const char* useless :
       {"--network", "--head", "--classes", "--class-names", "--size", "--channels", "--mean",
        "--std", "--kind", "--moped", "--allow-missing", "--seed"}) {
    if (parsed.count(useless) > 0) {
      throw ArgumentError(std::string(useless) +
                          " is for a model folder, and an output that ends in .safetensors is a "
                          "file of weights");
    }
  }
}

void check_target(const ImportCommand& command) {
  const std::filesystem::path folder = resolved_model_folder(command.output);
  if (!command.force && std::filesystem::exists(folder / "model.json")) {
    throw ArgumentError("'" + command.output + "' holds a model: --force replaces it");
  }
}

/// What would make the file fit, where that can be told.
std::string way_out(const ImportReport& report, const StateDict& weights, const Network& network,
                    const ImportCommand& command) {
  const std::string prefix = common_prefix_of(weights, network);
  if (command.import.strip_prefix.empty() && !prefix.empty()) {
    return "the names of " + command.file + " begin with '" + prefix +
           "', which the network's do not: --strip-prefix " + prefix + " takes it off";
  }
  const auto& lacking = report.unexpected;
  if (network.options().head == HeadKind::kOwn &&
      std::find(lacking.begin(), lacking.end(), command.import.strip_prefix + "fc.weight") !=
          lacking.end()) {
    return command.file +
           " ends in one linear layer, 'fc': --head linear keeps it, --ignore fc --allow-missing "
           "fc leaves it out";
  }
  return {};
}

/// Unmatched names go to stderr, one per line, before the sentence that ends the program.
void require_complete(const ImportReport& report, const StateDict& weights, const Network& network,
                      const ImportCommand& command) {
  if (report.complete()) return;
  const std::string& file = command.file;
  const std::string hint = way_out(report, weights, network, command);
  if (!hint.empty()) throw DataError(hint + "; nothing was written");
  list(std::cerr, "in the network but not in the file", report.missing);
  list(std::cerr, "in the file but not in the network", report.unexpected);
  list(std::cerr, "of another shape", report.misshapen);
  throw DataError(
      file +
      " does not fit the network, and nothing was written; --allow-missing PATH lets parts "
      "of the network keep their initial weights, --ignore PATH leaves parts of the file out");
}

void print_report(const ImportReport& report, const ImportCommand& command) {
  std::cout << "wrote " << command.output << ": " << report.imported.size() << " tensors from "
            << command.file << '\n';
  if (command.network == "resnet50" && is_layers_model(command.file)) {
    std::cout << "these weights stride the first 1x1 convolution of a stage and resnet50 its 3x3: "
                 "resnet50-v1 is the network they were trained in\n";
  }
  list(std::cout, "freshly initialised", report.fresh);
  list(std::cout, "left out as asked", report.ignored);
  if (!report.dropped.empty()) {
    std::cout << "dropped, of no use here: " << counted(report.dropped.size(), "tensor")
              << " such as " << report.dropped.front() << '\n';
  }
  if (!report.no_prior.empty()) {
    std::cout << "the file has no prior mean for " << report.no_prior.size()
              << " Gaussian parameters; it is 0\n";
  }
}

StateDict read_weights(const ImportCommand& command) {
  StateDictOptions reading;
  reading.key = command.key;
  return read_state_dict(command.file, reading);
}

void write_weights(const ImportCommand& command) {
  if (!command.force && std::filesystem::exists(command.output)) {
    throw ArgumentError("'" + command.output + "' exists: --force replaces it");
  }
  WeightsFileOptions options;
  options.ignore = command.import.ignore;
  options.strip_prefix = command.import.strip_prefix;
  options.half = command.half;
  const WeightsFileReport report =
      write_weights_file(command.output, read_weights(command), options);
  std::cout << "wrote " << command.output << ": " << report.written << " tensors from "
            << command.file << '\n';
  list(std::cout, "left out as asked", report.ignored);
}

void make_model(const ImportCommand& command) {
  check_target(command);
  ModelDescription description = describe_model(command);
  const bool by_moped = command.moped.has_value();
  if (by_moped && description.kind != LayerKind::kVariational) {
    throw ArgumentError("--moped makes Gaussian weights and so needs --kind variational");
  }
  const StateDict weights = read_weights(command);
  NetworkOptions options = description.network_options(c10::Device(c10::DeviceType::CPU));
  std::unique_ptr<Network> target = make_network(description.network, options);
  std::unique_ptr<Network> point;
  if (by_moped) {
    options.kind = LayerKind::kDeterministic;
    point = make_network(description.network, options);
  }
  Network& filled = by_moped ? *point : *target;
  const ImportReport report = import_weights(weights, filled, command.import);
  require_complete(report, weights, filled, command);
  if (by_moped) {
    MopedOptions moped;
    moped.delta = *command.moped;
    convert_by_moped(point->parameters(), target->parameters(), moped);
  }
  if (report.prior_sigma) description.prior_sigma = *report.prior_sigma;
  save_model(command.output, description, *target);
  remove_detector(command.output);
  print_report(report, command);
}

}  // namespace

void add_import(CLI::App& app) {
  auto options = std::make_shared<ImportCommand>();
  CLI::App* command =
      app.add_subcommand("import", "Make a model of weights trained by another program");
  command
      ->add_option("FILE", options->file,
                   "State dict: .pth, .pt or .safetensors; or the model.json, or its folder, of "
                   "Keras' ResNet-50 "
                   "for TensorFlow.js")
      ->required();
  command->add_option("--network", options->network, "Architecture the weights are for")
      ->check(CLI::IsMember(network_names()));
  command
      ->add_option(
          "--head", options->head,
          "own: the network's, for residual networks the paper's hidden layer; linear: one "
          "layer, as torchvision's fc")
      ->capture_default_str()
      ->check(CLI::IsMember({"own", "linear"}));
  command->add_option("--classes", options->classes, "Number of classes")
      ->check(CLI::Range(std::size_t{2}, std::size_t{100000}));
  command
      ->add_option("--class-names", options->class_names,
                   "Their names, separated by commas, or a file with a name on each line")
      ->delimiter(',');
  command->add_option("--size", options->size, "Height and width of the images")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{8}, std::int64_t{4096}));
  command->add_option("--channels", options->channels, "Channels of the images")
      ->capture_default_str()
      ->check(CLI::IsMember(std::vector<std::int64_t>{1, 3}));
  command
      ->add_option("--mean", options->mean,
                   "Mean per channel, of values in [0,1] (default: ImageNet's)")
      ->delimiter(',');
  command
      ->add_option("--std", options->standard_deviation,
                   "Standard deviation per channel (default: ImageNet's)")
      ->delimiter(',');
  command
      ->add_option("--kind", options->kind,
                   "deterministic, variational (Bayesian-Torch's names) or mc-dropout")
      ->capture_default_str()
      ->check(CLI::IsMember({"deterministic", "variational", "mc-dropout"}));
  command->add_option("--moped", options->moped,
                      "Make deterministic weights w Gaussian: mu = w, sigma = this times |w|");
  command->add_option("--key", options->key, "Where the state dict lies in a checkpoint file");
  command->add_option("--strip-prefix", options->import.strip_prefix,
                      "What every name in the file starts with, for example module.");
  command
      ->add_option("--allow-missing", options->import.allow_missing,
                   "Paths of the network, separated by commas, that may keep initial weights")
      ->delimiter(',');
  command
      ->add_option("--ignore", options->import.ignore,
                   "Paths of the file, separated by commas, to leave out")
      ->delimiter(',');
  command->add_option("--seed", options->seed, "Seed of weights that stay as initialised")
      ->capture_default_str()
      ->check(not_negative());
  command
      ->add_option("-o,--output", options->output,
                   "Model folder to write; or, ending in .safetensors, a file of the weights alone")
      ->required();
  command->add_flag("--half", options->half,
                    "In a file of weights: kernels in float16, half the size");
  command->add_flag("--force", options->force,
                    "Replace the model in -o, and its verdict, or the file of weights");
  command->footer(
      "Names must match exactly: torchvision's are the network's own (timm's for vit-s16), for\n"
      "residual networks with --head linear, and\n"
      "Bayesian-Torch's mu_kernel, rho_kernel, mu_weight, rho_weight, mu_bias and rho_bias are\n"
      "known. Every name without a partner is reported, and then nothing is written.\n"
      "num_batches_tracked is dropped.\n\n"
      "Keras' ResNet-50 for TensorFlow.js gets torchvision's names and ImageNet's mean and\n"
      "deviation; exact with --network resnet50-v1, whose strides are Keras'. Its last layer for\n"
      "1000 classes is 'fc'.\n\n"
      "-o with .safetensors makes a file for model.pretrained of a recipe; --network, --classes\n"
      "and what else describes a model are not for it.\n\n"
      "Examples:\n"
      "  cubcal import densenet.pth --network densenet121 --class-names names.txt -o model\n"
      "  cubcal import finetuned.pth --network resnet50 --head linear --classes 4 -o model\n"
      "  cubcal import resnet34.pth --network resnet34 --classes 5 --kind variational \\\n"
      "    --moped 0.1 --allow-missing fc --ignore fc -o pretrained\n"
      "  cubcal import ResNet50/model.json --ignore fc --half -o imagenet.safetensors\n"
      "  cubcal import ResNet50/model.json --network resnet50-v1 --classes 7 \\\n"
      "    --allow-missing fc --ignore fc -o pretrained");
  command->callback([options, command] {
    check_options(*command, *options);
    makes_weights_file(*options) ? write_weights(*options) : make_model(*options);
  });
}

}  // namespace cubcal::app
