#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "commands.h"
#include "cubcal/core/counted.h"
#include "cubcal/core/error.h"
#include "cubcal/record/model_paths.h"
#include "cubcal/weights/layers_model.h"
#include "cubcal/weights/torchscript_file.h"
#include "cubcal/weights/weights_file.h"
#include "cubcal_nn/bayes/moped.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/models/registry.h"
#include "import_command.h"
#include "option_checks.h"

namespace cubcal::app {

namespace {

ModelDescription describe_model(const ImportCommand& command) {
  ModelDescription description;
  description.network = command.network;
  description.class_names = class_names_of(command);
  description.kind = parse_layer_kind(command.kind);
  description.head = parse_head_kind(command.head);
  description.preprocessing = preprocessing_of(command);
  description.provenance.seed = command.seed;
  description.provenance.stage = "imported";
  description.provenance.recipe = "cubcal import " + command.file();
  return description;
}

void list(std::ostream& out, const char* title, const std::vector<std::string>& names,
          std::size_t shown) {
  if (names.empty()) return;
  out << title << " (" << names.size() << "):\n";
  for (std::size_t i = 0; i < shown; ++i) out << "  " << names[i] << '\n';
  if (shown < names.size()) out << "  and " << names.size() - shown << " more\n";
}

void list(std::ostream& out, const char* title, const std::vector<std::string>& names) {
  list(out, title, names, names.size());
}

/// A few of them; a file of another network has hundreds that do not match.
void list_few(std::ostream& out, const char* title, const std::vector<std::string>& names) {
  constexpr std::size_t kFew = 5;
  list(out, title, names, names.size() <= kFew + 1 ? names.size() : kFew);
}

bool makes_weights_file(const ImportCommand& command) {
  return std::filesystem::path(command.output).extension() == ".safetensors";
}

/// Not Keras' folder, which has a model.json too.
bool is_model_folder(const std::string& path) {
  return std::filesystem::exists(ModelPaths{resolved_model_folder(path)}.weights());
}

bool takes_script(const ImportCommand& command) {
  return command.trust || is_torchscript(command.file());
}

bool takes_models(const ImportCommand& command) {
  return std::filesystem::is_directory(command.file()) && is_model_folder(command.file());
}

void refuse(const CLI::App& parsed, std::initializer_list<const char*> useless,
            const std::string& why) {
  for (const char* option : useless) {
    if (parsed.count(option) > 0) throw ArgumentError(option + (" is of no use with " + why));
  }
}

void check_script_options(const CLI::App& parsed, const ImportCommand& command) {
  if (!command.trust) {
    throw ArgumentError("'" + command.file() +
                        "' is TorchScript, which is code that runs when it is loaded: --trust says "
                        "that you trust where it comes from");
  }
  refuse(parsed,
         {"--network", "--head", "--size", "--channels", "--kind", "--moped", "--key",
          "--strip-prefix", "--allow-missing", "--ignore", "--seed", "--half"},
         "TorchScript, which brings its network along");
  if (makes_weights_file(command)) {
    throw ArgumentError("TorchScript becomes a model folder, and -o ends in .safetensors");
  }
  if (command.input.empty()) {
    throw ArgumentError("--input is required for TorchScript: what its images are, as 3x224x224");
  }
  if (parsed.count("--classes") == 0 && parsed.count("--class-names") == 0) {
    throw ArgumentError("--classes or --class-names is required for TorchScript");
  }
}

void check_ensemble_options(const CLI::App& parsed) {
  refuse(parsed,
         {"--network", "--head", "--classes", "--class-names", "--input", "--size", "--channels",
          "--mean", "--std", "--kind", "--moped", "--key", "--strip-prefix", "--allow-missing",
          "--ignore", "--seed", "--half", "--features"},
         "models, which say all of it themselves");
}

/// Which options are needed, and which mean something, hangs on what -o asks for.
void check_options(const CLI::App& parsed, const ImportCommand& command) {
  if (command.files.size() > 1) {
    throw ArgumentError("only TorchScript files, and folders of models, can be several");
  }
  refuse(parsed, {"--features"}, "weights: features are the network's own");
  if (parsed.count("--input") > 0) refuse(parsed, {"--size", "--channels"}, "--input");
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
       {"--network", "--head", "--classes", "--class-names", "--input", "--size", "--channels",
        "--mean", "--std", "--kind", "--moped", "--allow-missing", "--seed"}) {
    if (parsed.count(useless) > 0) {
      throw ArgumentError(std::string(useless) +
                          " is for a model folder, and an output that ends in .safetensors is a "
                          "file of weights");
    }
  }
}

/// What would make the file fit, where that can be told.
std::string way_out(const ImportReport& report, const StateDict& weights, const Network& network,
                    const ImportCommand& command) {
  const std::string prefix = common_prefix_of(weights, network);
  if (command.import.strip_prefix.empty() && !prefix.empty()) {
    return "the names of " + command.file() + " begin with '" + prefix +
           "', which the network's do not: --strip-prefix " + prefix + " takes it off";
  }
  const auto& lacking = report.unexpected;
  if (network.options().head == HeadKind::kOwn &&
      std::find(lacking.begin(), lacking.end(), command.import.strip_prefix + "fc.weight") !=
          lacking.end()) {
    return command.file() +
           " ends in one linear layer, 'fc': --head linear keeps it, --ignore fc --allow-missing "
           "fc leaves it out";
  }
  return {};
}

/// Some unmatched names go to stderr, one per line, before the sentence that ends the program.
void require_complete(const ImportReport& report, const StateDict& weights, const Network& network,
                      const ImportCommand& command) {
  if (report.complete()) return;
  const std::string& file = command.file();
  const std::string hint = way_out(report, weights, network, command);
  if (!hint.empty()) throw DataError(hint + "; nothing was written");
  list_few(std::cerr, "in the network but not in the file", report.missing);
  list_few(std::cerr, "in the file but not in the network", report.unexpected);
  list_few(std::cerr, "of another shape", report.misshapen);
  throw DataError(
      file +
      " does not fit the network, and nothing was written; --allow-missing PATH lets parts "
      "of the network keep their initial weights, --ignore PATH leaves parts of the file out");
}

void print_report(const ImportReport& report, const ImportCommand& command) {
  std::cout << "wrote " << command.output << ": " << report.imported.size() << " tensors from "
            << command.file() << '\n';
  if (command.network == "resnet50" && is_layers_model(command.file())) {
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
  try {
    return read_state_dict(command.file(), reading);
  } catch (const KeyIsNeeded& error) {
    throw DataError(std::string(error.what()) + ": --key names it");
  }
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
            << command.file() << '\n';
  list(std::cout, "left out as asked", report.ignored);
}

void make_model(const ImportCommand& command) {
  check_target(command);
  ModelDescription description = describe_model(command);
  const bool by_moped = command.moped.has_value();
  if (by_moped && !has_gaussians(description.kind)) {
    throw ArgumentError(
        "--moped makes Gaussian weights and so needs --kind variational or last-layer");
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
  write_import(command, description, *target);
  print_report(report, command);
}

}  // namespace

void add_import(CLI::App& app) {
  auto options = std::make_shared<ImportCommand>();
  CLI::App* command =
      app.add_subcommand("import", "Make a model of weights trained by another program");
  command
      ->add_option("FILE", options->files,
                   "State dict: .pth, .pt or .safetensors; or the model.json, or its folder, of "
                   "Keras' ResNet-50 for TensorFlow.js; or TorchScript, several of which are an "
                   "ensemble; or several model or run folders, which are one too")
      ->required();
  command->add_flag("--trust", options->trust,
                    "Load TorchScript, which is code: you trust where it comes from");
  command->add_option("--input", options->input,
                      "Channels, height and width of the images, as 3x224x224, instead of --size "
                      "and --channels");
  command->add_option("--features", options->features,
                      "TorchScript: the layer whose output are the features for 'cubcal ood' "
                      "(default: what goes into the last linear layer)");
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
      ->check(within(std::size_t{2}, std::size_t{100000}));
  command
      ->add_option("--class-names", options->class_names,
                   "Their names, separated by commas, or a file with a name on each line")
      ->delimiter(',');
  command->add_option("--size", options->size, "Height and width of the images")
      ->capture_default_str()
      ->check(within(std::int64_t{8}, std::int64_t{4096}));
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
                   "deterministic, variational (Bayesian-Torch's names), last-layer or mc-dropout")
      ->capture_default_str()
      ->check(CLI::IsMember({"deterministic", "variational", "last-layer", "mc-dropout"}));
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
      ->capture_default_str();
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
      "TorchScript: one file draws its dropout layers in every pass, whether or not it was saved\n"
      "after eval(); several files, or several models of 'cubcal train', are an ensemble of as\n"
      "many passes. Batch norms stay as they are.\n\n"
      "-o with .safetensors makes a file for model.pretrained of a recipe; --network, --classes\n"
      "and what else describes a model are not for it.\n\n"
      "Examples:\n"
      "  cubcal import densenet.pth --network densenet121 --class-names names.txt -o model\n"
      "  cubcal import finetuned.pth --network resnet50 --head linear --classes 4 -o model\n"
      "  cubcal import net.ts --trust --input 3x224x224 --class-names names.txt -o model\n"
      "  cubcal import a.ts b.ts c.ts --trust --input 1x64x64 --mean 0.5 --std 0.25 \\\n"
      "    --classes 2 -o ensemble\n"
      "  cubcal import runA runB runC -o ensemble\n"
      "  cubcal import resnet34.pth --network resnet34 --classes 5 --kind variational \\\n"
      "    --moped 0.1 --allow-missing fc --ignore fc -o pretrained\n"
      "  cubcal import ResNet50/model.json --ignore fc --half -o imagenet.safetensors\n"
      "  cubcal import ResNet50/model.json --network resnet50-v1 --classes 7 \\\n"
      "    --allow-missing fc --ignore fc -o pretrained");
  command->callback([options, command] {
    if (takes_script(*options)) {
      check_script_options(*command, *options);
      return import_script(*options);
    }
    if (takes_models(*options)) {
      check_ensemble_options(*command);
      return import_ensemble(*options);
    }
    check_options(*command, *options);
    makes_weights_file(*options) ? write_weights(*options) : make_model(*options);
  });
}

}  // namespace cubcal::app
