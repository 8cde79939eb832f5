#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>

#include "commands.h"
#include "cubcal/core/error.h"
#include "cubcal/core/seed_stream.h"
#include "cubcal/io/logits_file.h"
#include "example_images.h"
#include "option_checks.h"

namespace cubcal::app {

namespace {

struct ExampleOptions {
  std::string folder;
  std::size_t samples = 1500;
  std::size_t passes = 40;
  std::uint64_t seed = 1;
  double evidence = 1.9;
  bool images = false;
};

constexpr double kClassShares[] = {0.6, 0.9, 1.0};  // cumulative: 60, 30 and 10 percent
constexpr std::size_t kClasses = 3;

/// Sex, site and age of a patient, the age of some not known. Where the model's evidence for the
/// true class is weak, the mobile unit is likelier: an audit finds that gap.
void add_patient(LogitsFile& file, SeedStream& stream, double evidence) {
  const double draw = stream.uniform();
  const double mobile = evidence < 1.2 ? 0.5 : 0.05;
  file.columns[0].values.push_back(stream.uniform() < 0.5 ? "female" : "male");
  file.columns[1].values.push_back(draw < mobile             ? "mobile unit"
                                   : draw < 0.5 + mobile / 2 ? "north"
                                                             : "south");
  const double age = 55 + 15 * stream.normal();
  const bool is_known = stream.uniform() < 0.95;
  file.columns[2].values.push_back(is_known ? std::to_string(std::lround(age)) : "");
}

/// Logits as an overconfident Bayesian classifier gives them: evidence for the true class that
/// varies from image to image, too large a scale, and passes that disagree more where evidence is
/// weak. Stream 2i+1 of the seed makes sample i and stream 2i the patient of samples i and i+1, so
/// more samples leave the first ones as they are. No patient is in two sets.
LogitsFile simulate(const ExampleOptions& options, std::uint64_t seed, const std::string& set) {
  LogitsFile file;
  file.logits = NdArray(DType::kF32, {options.passes, options.samples, kClasses});
  file.class_names = {"benign", "malignant", "other"};
  file.has_labels = true;
  file.columns = {{"sex", {}}, {"site", {}}, {"age", {}}};
  double of_patient = 0;  // the evidence of the patient's first image
  float* logits = file.logits.as<float>();
  for (std::size_t i = 0; i < options.samples; ++i) {
    SeedStream stream(seed, 2 * i + 1);
    const double draw = stream.uniform();
    std::size_t label = 0;
    while (draw >= kClassShares[label]) ++label;
    file.labels.push_back(static_cast<std::int64_t>(label));
    file.groups.push_back(set + " patient " + std::to_string(i / 2));
    double evidence[kClasses];
    for (std::size_t k = 0; k < kClasses; ++k) {
      evidence[k] = stream.normal() + (k == label ? options.evidence : 0.0);
    }
    if (i % 2 == 0) of_patient = evidence[label];
    SeedStream patient(seed, 2 * (i - i % 2));
    add_patient(file, patient, of_patient);
    const double disagreement = 0.6 + 0.8 * stream.uniform();
    for (std::size_t s = 0; s < options.passes; ++s) {
      for (std::size_t k = 0; k < kClasses; ++k) {
        const double z = 3.2 * evidence[k] + disagreement * stream.normal();
        logits[(s * options.samples + i) * kClasses + k] = static_cast<float>(z);
      }
    }
  }
  return file;
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw IoError("the folder '" + path + "' cannot be made: " + error.message());
}

void example(const ExampleOptions& options) {
  make_folder(options.folder);
  std::uint64_t seed = 2 * options.seed;
  for (const char* set : {"val", "test"}) {
    const std::string path =
        (std::filesystem::path(options.folder) / (std::string(set) + ".npz")).string();
    write_logits_file(path, simulate(options, seed++, set));
    std::cout << "wrote " << path << ": simulated logits, " << options.samples << " samples, "
              << options.passes << " passes, " << kClasses << " classes\n";
  }
  if (!options.images) return;
  const std::string folder = (std::filesystem::path(options.folder) / "images").string();
  make_folder(folder);
  const std::size_t count = write_example_images(folder, options.seed);
  std::cout << "wrote " << folder << ": " << count << " drawn images and labels.csv\n";
}

}  // namespace

void add_example(CLI::App& app) {
  auto options = std::make_shared<ExampleOptions>();
  CLI::App* command =
      app.add_subcommand("example", "Write simulated logits to try the other commands on");
  command->add_option("--out", options->folder, "Folder for val.npz and test.npz")->required();
  command->add_option("--samples", options->samples, "Samples in each file")
      ->capture_default_str()
      ->check(within(std::size_t{1}, std::size_t{10000000}));
  command->add_option("--passes", options->passes, "Stochastic passes")
      ->capture_default_str()
      ->check(within(std::size_t{1}, std::size_t{10000}));
  command->add_option("--seed", options->seed, "Seed of the simulation")->capture_default_str();
  command
      ->add_option("--evidence", options->evidence,
                   "Mean evidence for the true class: less makes harder images")
      ->capture_default_str()
      ->check(within(-10.0, 10.0));
  command->add_flag("--images", options->images,
                    "Also draw a small data set of images, to try 'cubcal data' on");
  command->footer("Example:\n  cubcal example --out demo && cubcal evaluate demo/test.npz");
  command->callback([options] { example(*options); });
}

}  // namespace cubcal::app
