// logits, predict and import as a user meets them: the program in a second process.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "cli/program.h"
#include "cubcal/core/content_hash.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/io/npz.h"
#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/infer/provenance.h"
#include "cubcal_nn/infer/tensor_exchange.h"
#include "cubcal_nn/models/registry.h"
#include "cubcal_nn/phantom/phantom.h"
#include "dicom/dicom_file.h"
#include "infer/tiny_model.h"

namespace cubcal::test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const std::string kImages = std::string(CUBCAL_TEST_DATA) + "/images/";

testing::AssertionResult has(const std::string& text, const std::string& words) {
  if (text.find(words) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << words << "' is not in: " << text;
}

/// A model of the phantom set in the folder "model", untrained, with a small set of its own.
class InferCommands : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch = new ScratchFolder;
    PhantomOptions phantom;
    phantom.seed = 3;
    phantom.train = 8;
    phantom.val = 10;
    phantom.test = 4;
    phantom.ood = 6;
    set = new ImageSet(make_phantom_set(phantom).set);
    description = new ModelDescription;
    description->network = "small-resnet";
    description->class_names = set->class_names;
    description->kind = LayerKind::kVariational;
    description->preprocessing = fit_preprocessing(set->split("train").images);
    description->provenance.data = "phantom";
    description->provenance.data_hash = content_hash(*set);
    description->provenance.phantom = to_json(phantom);
    network =
        make_network("small-resnet", description->network_options(c10::Device("cpu"))).release();
    save_model(scratch->file("model"), *description, *network);
  }
  static void TearDownTestSuite() {
    delete network;
    delete description;
    delete set;
    delete scratch;
  }

  static Outcome run(const std::vector<std::string>& arguments) {
    return run_cubcal(arguments, scratch->path());
  }
  static Outcome logits(const std::string& data, const std::string& split,
                        const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"logits",  "--model", "model", "--data",  data,
                                       "--split", split,     "-o",    "out.npz", "--mc",
                                       "3",       "--seed",  "4"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  static ScratchFolder* scratch;
  static ImageSet* set;
  static ModelDescription* description;
  static Network* network;
};

ScratchFolder* InferCommands::scratch = nullptr;
ImageSet* InferCommands::set = nullptr;
ModelDescription* InferCommands::description = nullptr;
Network* InferCommands::network = nullptr;

TEST_F(InferCommands, HelpHasAnExample) {
  for (const char* command : {"logits", "predict", "import"}) {
    const Outcome help = run({command, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_TRUE(has(help.out, "Example"));
    EXPECT_TRUE(has(run({"--help"}).out, command));
  }
}

TEST_F(InferCommands, LogitsOfTheModelsOwnPhantomSet) {
  const Outcome outcome = logits("phantom", "val", {"--batch", "4"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err.find("differs"), std::string::npos) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "3 x 10 x 4 logits"));
  const LogitsFile file = read_logits_file(scratch->file("out.npz"));
  EXPECT_EQ(file.class_names, set->class_names);
  ASSERT_TRUE(file.has_labels);
  const ImageSplit& split = set->split("val");
  for (std::int64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(file.labels[static_cast<std::size_t>(i)], split.labels[i].item<std::int64_t>());
    EXPECT_EQ(file.groups[static_cast<std::size_t>(i)],
              std::to_string(split.groups[i].item<std::int64_t>()));
  }
  McOptions options;
  options.passes = 3;
  options.seed = 4;
  McEngine engine(*network, description->preprocessing);
  const at::Tensor expected = tensor_of(engine.run(split.images, options).logits);
  EXPECT_TRUE(at::allclose(tensor_of(file.logits), expected, 1e-4, 1e-5));
}

TEST_F(InferCommands, LogitsOfOutliersHaveNoLabels) {
  ASSERT_EQ(logits("phantom", "ood").exit_code, 0);
  const LogitsFile file = read_logits_file(scratch->file("out.npz"));
  EXPECT_FALSE(file.has_labels);
  EXPECT_EQ(file.logits.shape(), (std::vector<std::size_t>{3, 6, 4}));
}

TEST_F(InferCommands, AnotherPhantomSeedIsAnotherSet) {
  ASSERT_EQ(logits("phantom:99", "val", {"--mean"}).exit_code, 0);
  const at::Tensor other = tensor_of(read_logits_file(scratch->file("out.npz")).logits);
  ASSERT_EQ(logits("phantom", "val", {"--mean"}).exit_code, 0);
  const at::Tensor own = tensor_of(read_logits_file(scratch->file("out.npz")).logits);
  EXPECT_EQ(own.size(0), 1) << "--mean is one pass";
  EXPECT_FALSE(at::allclose(own, other));
}

TEST_F(InferCommands, FeaturesComeWithTheLogits) {
  ASSERT_EQ(logits("phantom", "test", {"--features"}).exit_code, 0);
  const NpzReader npz(scratch->file("out.npz"));
  for (const std::string& name : network->feature_names()) {
    ASSERT_TRUE(npz.has("features_" + name));
    EXPECT_EQ(npz.peek("features_" + name).shape[0], 4U);
  }
  EXPECT_EQ(run({"evaluate", "out.npz"}).exit_code, 0);
}

TEST_F(InferCommands, LogitsOfAnNpzSet) {
  const at::Tensor images =
      set->split("test").images.permute({0, 2, 3, 1}).contiguous();  // [n, H, W, C]
  const auto write = [&](std::int64_t last_label) {
    const std::vector<std::int64_t> labels{0, 1, 2, last_label};
    NpzWriter npz(scratch->file("set.npz"));
    npz.add("test_images",
            ArrayView<const std::uint8_t>(images.data_ptr<std::uint8_t>(),
                                          static_cast<std::size_t>(images.numel())),
            {4, 32, 32, 3});
    npz.add("test_labels", ArrayView<const std::int64_t>(labels), {4, 1});
    npz.finish();
  };
  write(3);
  const Outcome unnamed = logits("set.npz", "test");
  ASSERT_EQ(unnamed.exit_code, 0) << unnamed.err;
  const std::vector<std::string>& names = set->class_names;
  EXPECT_TRUE(has(unnamed.err, "does not name its classes: its labels 0, 1, 2, 3 are taken for '" +
                                   names[0] + "', '" + names[1] + "'"));
  const at::Tensor from_file = tensor_of(read_logits_file(scratch->file("out.npz")).logits);
  ASSERT_EQ(logits("phantom", "test").exit_code, 0);
  const at::Tensor own = tensor_of(read_logits_file(scratch->file("out.npz")).logits);
  EXPECT_TRUE(at::allclose(from_file, own, 1e-4, 1e-5));
  write(7);
  const Outcome outcome = logits("set.npz", "test");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.err, "label 7 of image 3 in split 'test' is not a class of the model"));
}

TEST_F(InferCommands, PhantomLabelsAreNoClassesOfAnotherModel) {
  save_model(scratch->file("other"), tiny_description(LayerKind::kDeterministic),
             *tiny_network(LayerKind::kDeterministic));
  for (const char* command : {"logits", "ood"}) {
    std::vector<std::string> arguments{command, "--model", "other", "--data", "phantom"};
    if (command == std::string("logits")) arguments.insert(arguments.end(), {"-o", "other.npz"});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "is none of the model's, which are 'round', 'square', 'other'"));
  }
}

TEST_F(InferCommands, LogitsRefusesInOneSentence) {
  const auto refused = [&](const Outcome& outcome, int exit_code, const std::string& words) {
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_TRUE(has(outcome.err, words));
  };
  refused(logits("phantom", "holdout"), 2, "has no split 'holdout'; it has 'train', 'val'");
  refused(logits("phantom:x", "val"), 2, "--data phantom:SEED needs a whole number");
  refused(logits("absent.npz", "val"), 1, "absent.npz");
  refused(logits("phantom", "val", {"--mc", "0"}), 2, "--mc");
  refused(run({"logits", "--model", "nowhere", "--data", "phantom", "-o", "x.npz"}), 1,
          "nowhere/model.json");
  refused(run({"logits", "--model", "model", "--data", "phantom", "-o", "x.csv"}), 2,
          "--output must end in .npz, not be 'x.csv'");
}

TEST_F(InferCommands, PredictsImageFiles) {
  const Outcome outcome =
      run({"predict", "--model", "model", kImages + "rgb8.png", kImages + "cmyk.jpg",
           kImages + "gray16.png", "--mc", "5", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json document = Json::parse(outcome.out);
  EXPECT_TRUE(document["calibration"].is_null());
  EXPECT_EQ(document["unreadable"].size(), 0U);
  const Json& policy = document["policy"];
  EXPECT_TRUE(policy["detector"].is_null() && policy["alpha"].is_null()) << policy;
  EXPECT_EQ(policy["refer_above"], document["eta"]);
  EXPECT_EQ(policy["passes"], 5);
  ASSERT_EQ(document["predictions"].size(), 3U);
  for (const Json& each : document["predictions"]) {
    double sum = 0, largest = 0;
    for (const Json& probability : each["probabilities"]) {
      sum += probability.get<double>();
      largest = std::max(largest, probability.get<double>());
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_EQ(each["confidence"].get<double>(), largest);
    EXPECT_EQ(each["probabilities"][each["class"].get<std::string>()].get<double>(), largest);
    const Json& uncertainty = each["uncertainty"];
    EXPECT_NEAR(uncertainty["total"].get<double>(),
                uncertainty["aleatoric"].get<double>() + uncertainty["epistemic"].get<double>(),
                1e-9);
    const bool certain = uncertainty["total"].get<double>() <= document["eta"].get<double>();
    EXPECT_EQ(each["verdict"], certain ? "accept" : "refer");
    EXPECT_TRUE(each["region"] == "sharpen" || each["region"] == "soften");
  }
}

TEST_F(InferCommands, PredictionOfAnImageDependsOnNoOther) {
  const auto confidence = [](const std::vector<std::string>& images, std::size_t index) {
    std::vector<std::string> arguments{"predict", "--model", "model", "--json", "--mc", "4"};
    arguments.insert(arguments.end(), images.begin(), images.end());
    return Json::parse(run(arguments).out)["predictions"][index]["confidence"].get<double>();
  };
  EXPECT_NEAR(confidence({kImages + "rgb.jpg"}, 0),
              confidence({kImages + "rgb8.png", kImages + "rgb.jpg"}, 1), 1e-6);
}

TEST_F(InferCommands, AdaptivePredictionTellsItsPasses) {
  const std::vector<std::string> base{
      "predict", "--model", "model",     kImages + "rgb8.png", kImages + "gray16.png",
      "--mc",    "12",      "--adaptive"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = base;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  const Outcome json = with({"--json", "--first", "4", "--block", "2", "--error", "0.05"});
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const Json document = Json::parse(json.out);
  EXPECT_EQ(document["adaptive"]["error"], 0.05);
  EXPECT_EQ(document["adaptive"]["passes"], 12);
  double sum = 0;
  for (const Json& each : document["predictions"]) {
    const int passes = each["passes"];
    EXPECT_TRUE(passes >= 4 && passes <= 12 && passes % 2 == 0) << passes;
    sum += passes;
  }
  EXPECT_EQ(document["adaptive"]["mean_passes"], sum / 2);
  EXPECT_TRUE(has(with({}).out, "Mean passes"));
  EXPECT_TRUE(parse_csv(with({"--csv", "--no-gamma"}).out, "output").has_column("passes"));

  const Outcome plain = run({"predict", "--model", "model", kImages + "rgb8.png", "--json"});
  EXPECT_FALSE(Json::parse(plain.out).contains("adaptive")) << "off unless asked for";
  EXPECT_EQ(Json::parse(plain.out)["policy"]["passes"], 80);
  const Outcome lonely =
      run({"predict", "--model", "model", kImages + "rgb8.png", "--error", "0.1"});
  EXPECT_EQ(lonely.exit_code, 2);
  EXPECT_TRUE(has(lonely.err, "--error requires --adaptive"));
}

TEST_F(InferCommands, PredictNamesEveryBadFileAndKeepsTheGoodOnes) {
  const Outcome outcome = run({"predict", "--model", "model", kImages + "expected.npz",
                               kImages + "rgb8.png", "missing.jpg", "--mc", "2", "--csv"});
  EXPECT_EQ(outcome.exit_code, 1);
  const CsvTable table = parse_csv(outcome.out, "output");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0][table.column("image")], kImages + "rgb8.png");
  EXPECT_TRUE(table.has_column("p " + set->class_names[3]));
  EXPECT_TRUE(has(outcome.err, "expected.npz' is not an image of a format that is read (PNG, "));
  EXPECT_TRUE(has(outcome.err, "missing.jpg"));
  EXPECT_TRUE(has(outcome.err, "2 of 3 images could not be read"));
}

TEST_F(InferCommands, PredictsFoldersAndLists) {
  const fs::path folder = scratch->path() / "scans";
  fs::create_directories(folder / "later");
  fs::create_directories(scratch->path() / "empty");
  fs::copy_file(kImages + "rgb8.png", folder / "b.png");
  fs::copy_file(kImages + "gray8.png", folder / "a.png");
  fs::copy_file(kImages + "rgb.jpg", folder / "later" / "c.JPG");
  std::ofstream(folder / "notes.txt") << "no image";
  std::ofstream(folder / "d.heic") << "ftyp";
  const auto images = [](const Outcome& outcome) {
    const CsvTable table = parse_csv(outcome.out, "output");
    std::vector<std::string> found;
    for (const auto& row : table.rows) found.push_back(row[table.column("image")]);
    return found;
  };
  const Outcome walked = run({"predict", "--model", "model", "scans", "--mc", "2", "--csv"});
  ASSERT_EQ(walked.exit_code, 0) << walked.err;
  EXPECT_EQ(images(walked),
            std::vector<std::string>({"scans/a.png", "scans/b.png", "scans/later/c.JPG"}));
  EXPECT_TRUE(has(walked.err, "skipped: 'scans/d.heic' is of a format that is not read"));

  const Outcome empty = run({"predict", "--model", "model", "empty"});
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_TRUE(has(empty.err, "there is no image in the folder 'empty'"));
  EXPECT_EQ(run({"predict", "--model", "model", "-", "-"}).exit_code, 2);

  const std::string command = "cd '" + scratch->path().string() +
                              "' && printf 'scans/b.png\\r\\n\\nscans/a.png\\n' | '" CUBCAL_PROGRAM
                              "' predict --model model - --mc 2 --csv > listed.csv 2> listed.err";
  ASSERT_EQ(std::system(command.c_str()), 0) << contents_of(scratch->path() / "listed.err");
  EXPECT_EQ(images({0, contents_of(scratch->path() / "listed.csv"), ""}),
            std::vector<std::string>({"scans/b.png", "scans/a.png"}));
  const std::string nothing = "cd '" + scratch->path().string() +
                              "' && '" CUBCAL_PROGRAM
                              "' predict --model model - < /dev/null 2> nothing.err";
  EXPECT_NE(std::system(nothing.c_str()), 0);
  EXPECT_TRUE(has(contents_of(scratch->path() / "nothing.err"), "standard input names no image"));
  const std::string bytes = "cd '" + scratch->path().string() +
                            "' && cat scans/later/c.JPG | '" CUBCAL_PROGRAM
                            "' predict --model model - 2> bytes.err";
  EXPECT_NE(std::system(bytes.c_str()), 0);
  EXPECT_EQ(contents_of(scratch->path() / "bytes.err"),
            "cubcal: standard input is not a list of paths, one a line: name files themselves\n");
}

TEST_F(InferCommands, PredictsOneFrameOfSeveral) {
  auto file = DicomFileBuilder::gray(1, 2, 8);
  file.text(0x00280008, "IS", "2").bytes(0x7fe00010, "OB", std::string("\x01\x02\xf0\x10", 4));
  std::ofstream(scratch->file("frames.dcm"), std::ios::binary) << file.file();
  const auto frame = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"predict", "--model", "model", "frames.dcm",
                                       "--mc",    "2",       "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  EXPECT_TRUE(has(frame({}).err, "it has 2 frames, 0 to 1: name one by --frame"));
  EXPECT_TRUE(has(frame({"--frame", "2"}).err, "it has no frame 2, only 0 to 1"));
  EXPECT_EQ(frame({"--frame", "-1"}).exit_code, 2);
  const Outcome first = frame({"--frame", "0"}), second = frame({"--frame", "1"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_NE(first.out, second.out);
}

TEST_F(InferCommands, PredictAppliesTheModelsCalibration) {
  const fs::path folder = scratch->path() / "calibrated";
  fs::create_directory(folder);
  for (const char* name : {"model.json", "weights.safetensors"}) {
    fs::copy_file(scratch->path() / "model" / name, folder / name);
  }
  Calibration calibration;
  calibration.method = CalibrationMethod::kTsNll;
  calibration.classes = 4;
  calibration.thresholds = paper_thresholds();
  calibration.t_high = calibration.t_low = 50;
  calibration.box_high = calibration.box_low = {0.25, 50};
  save_calibration(scratch->file("cal.json"), calibration);
  const Outcome attached = run({"attach", "cal.json", "--model", "calibrated"});
  ASSERT_EQ(attached.exit_code, 0) << attached.err;
  const Outcome outcome =
      run({"predict", "--model", "calibrated", kImages + "rgb8.png", "--mc", "2", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json document = Json::parse(outcome.out);
  EXPECT_EQ(document["calibration"], "ts-nll");
  EXPECT_LT(document["predictions"][0]["confidence"].get<double>(), 0.35) << "T = 50 flattens";
  EXPECT_TRUE(has(run({"predict", "--model", "calibrated", kImages + "rgb8.png"}).out,
                  "Calibrated with ts-nll"));
}

TEST_F(InferCommands, AttachRefusesACalibrationOfOtherClasses) {
  Calibration calibration;
  calibration.method = CalibrationMethod::kTsNll;
  calibration.classes = 3;
  calibration.thresholds = paper_thresholds();
  save_calibration(scratch->file("three.json"), calibration);
  const std::string before = contents_of(scratch->path() / "model" / "model.json");
  const Outcome outcome = run({"attach", "three.json", "--model", "model"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.err, "4")) << outcome.err;
  EXPECT_EQ(contents_of(scratch->path() / "model" / "model.json"), before);
}

/// The network's tensors in a file, but for those whose name starts with `without`.
void write_weights(const Network& source, const std::string& path, const std::string& without,
                   const std::string& prefix = "") {
  const HostTensors tensors(source.parameters().named_tensors());
  std::vector<TensorView> kept;
  for (TensorView view : tensors.views()) {
    if (view.name.rfind(without, 0) == 0) continue;
    view.name.insert(0, prefix);
    kept.push_back(view);
  }
  write_safetensors(path, kept);
}

TEST_F(InferCommands, ImportsWhatFitsAndNothingElse) {
  const std::unique_ptr<Network> source = tiny_network(LayerKind::kDeterministic, 5);
  write_weights(*source, scratch->file("trunk.safetensors"), "fc.");
  const std::vector<std::string> command{
      "import", "trunk.safetensors", "--network", "small-resnet", "--classes", "3",     "--size",
      "16",     "--channels",        "1",         "--mean",       "0.5",       "--std", "0.25",
      "-o",     "imported"};
  const Outcome refused = run(command);
  EXPECT_EQ(refused.exit_code, 1);
  for (const char* name : {"fc.0.weight", "fc.0.bias", "fc.3.weight", "fc.3.bias"}) {
    EXPECT_TRUE(has(refused.err, std::string("\n  ") + name + "\n"));
  }
  EXPECT_TRUE(has(refused.err, "nothing was written"));
  EXPECT_FALSE(fs::exists(scratch->file("imported")));

  std::vector<std::string> allowed = command;
  allowed.insert(allowed.end(), {"--allow-missing", "fc", "--class-names", "a,b,c"});
  const Outcome outcome = run(allowed);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "freshly initialised (4):"));
  const LoadedModel model = load_model(scratch->file("imported"));
  EXPECT_EQ(model.description.class_names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(model.description.provenance.stage, "imported");
  const std::size_t conv = model.network->parameters().index_of("conv1.weight");
  EXPECT_TRUE(at::equal(model.network->parameters().mean_weights()[conv],
                        source->parameters().mean_weights()[conv]));
}

TEST_F(InferCommands, OfSeveralImportsAtOnceOneWrites) {
  constexpr int imports = 4;
  std::vector<std::thread> threads;
  std::vector<Outcome> outcomes(imports);
  for (int i = 0; i < imports; ++i) {
    const std::string file = "all" + std::to_string(i) + ".safetensors";
    write_weights(*tiny_network(LayerKind::kDeterministic, 5 + static_cast<std::uint64_t>(i)),
                  scratch->file(file), "-");
    threads.emplace_back([&outcomes, file, i] {
      outcomes[static_cast<std::size_t>(i)] =
          run({"import", file, "--network", "small-resnet", "--classes", "3", "--size", "16",
               "--channels", "1", "--mean", "0.5", "--std", "0.25", "-o", "at-once"});
    });
  }
  for (std::thread& thread : threads) thread.join();
  int written = 0;
  for (const Outcome& outcome : outcomes) {
    written += outcome.exit_code == 0 ? 1 : 0;
    if (outcome.exit_code == 0) continue;
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(has(outcome.err, "'at-once' holds a model: --force replaces it"));
  }
  EXPECT_EQ(written, 1);
  EXPECT_NO_THROW(load_model(scratch->file("at-once")));
}

TEST_F(InferCommands, OfAWrongNetworkAFewNamesAreEnough) {
  const std::unique_ptr<Network> source = tiny_network(LayerKind::kDeterministic, 5);
  write_weights(*source, scratch->file("small.safetensors"), "-");
  const auto import = [&](const char* name) {
    return run({"import", "small.safetensors", "--network", name, "--classes", "3", "-o", "w"});
  };
  const Outcome other = import("densenet121");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_LT(std::count(other.err.begin(), other.err.end(), '\n'), 25) << other.err;
  EXPECT_TRUE(has(other.err, " more\n")) << other.err;
  EXPECT_TRUE(has(other.err, "in the network but not in the file (")) << other.err;
  const Outcome unknown = import("resnet35");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(has(unknown.err,
                  "--network: 'resnet35' is none of the 11 there are; near it are resnet34, "
                  "resnet18, resnet50 (see 'cubcal import --help')"))
      << unknown.err;
  EXPECT_FALSE(fs::exists(scratch->file("w")));
}

TEST_F(InferCommands, ImportTakesALinearHeadAndNamesOfAFile) {
  NetworkOptions options = tiny_network(LayerKind::kDeterministic, 5)->options();
  options.head = HeadKind::kLinear;
  const auto source = make_network("small-resnet", options);
  write_weights(*source, scratch->file("theirs.safetensors"), "-", "module.backbone.");
  std::ofstream(scratch->file("names.txt")) << "\xEF\xBB\xBFno finding\r\npneumonia \n\nCOVID-19\n";
  std::vector<std::string> command{"import",
                                   "theirs.safetensors",
                                   "--network",
                                   "small-resnet",
                                   "--size",
                                   "16",
                                   "--mean",
                                   "0.5",
                                   "--std",
                                   "0.25",
                                   "--channels",
                                   "1",
                                   "-o",
                                   "linear",
                                   "--class-names",
                                   "names.txt"};
  const Outcome prefixed = run(command);
  EXPECT_EQ(prefixed.exit_code, 1);
  EXPECT_EQ(
      prefixed.err,
      "cubcal: the names of theirs.safetensors begin with 'module.backbone.', which the "
      "network's do not: --strip-prefix module.backbone. takes it off; nothing was written\n");
  command.insert(command.end(), {"--strip-prefix", "module.backbone."});
  const Outcome headless = run(command);
  EXPECT_EQ(headless.exit_code, 1);
  EXPECT_TRUE(has(headless.err, "ends in one linear layer, 'fc': --head linear keeps it"));
  command.insert(command.end(), {"--head", "linear"});
  const Outcome outcome = run(command);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const LoadedModel model = load_model(scratch->file("linear"));
  EXPECT_EQ(model.description.head, HeadKind::kLinear);
  EXPECT_EQ(model.description.class_names,
            (std::vector<std::string>{"no finding", "pneumonia", "COVID-19"}));
  EXPECT_TRUE(at::equal(model.network->parameters().point(), source->parameters().point()));
}

TEST_F(InferCommands, ImportNamesTheOptionThatChoosesAKey) {
  const Outcome outcome = run({"import", std::string(CUBCAL_TEST_DATA) + "/weights/checkpoint.pth",
                               "--network", "small-resnet", "--classes", "3", "-o", "keyed"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.err, "'state_dict' (7 tensors)")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, ": --key names it\n")) << outcome.err;
}

TEST_F(InferCommands, ImportReplacesAModelOnlyWhenForced) {
  const std::unique_ptr<Network> source = tiny_network(LayerKind::kDeterministic, 5);
  write_weights(*source, scratch->file("whole.safetensors"), "-");
  std::vector<std::string> command{"import",     "whole.safetensors",
                                   "--network",  "small-resnet",
                                   "--classes",  "3",
                                   "--size",     "16",
                                   "--channels", "1",
                                   "--mean",     "0.5",
                                   "--std",      "0.25",
                                   "-o",         "kept"};
  ASSERT_EQ(run(command).exit_code, 0);
  const std::string before = contents_of(scratch->path() / "kept" / "model.json");
  const fs::path detector = scratch->path() / "kept" / "ood.safetensors";
  std::ofstream(detector) << "of the old model";
  command.insert(command.end(), {"--class-names", "a,b,c"});
  const Outcome refused = run(command);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(has(refused.err, "'kept' holds a model: --force replaces it"));
  EXPECT_EQ(contents_of(scratch->path() / "kept" / "model.json"), before);
  EXPECT_TRUE(fs::exists(detector));

  command.push_back("--force");
  const Outcome forced = run(command);
  ASSERT_EQ(forced.exit_code, 0) << forced.err;
  EXPECT_EQ(read_model_description(scratch->file("kept")).class_names[0], "a");
  EXPECT_FALSE(fs::exists(detector));
}

TEST_F(InferCommands, ImportsByMopedWhenTold) {
  const std::unique_ptr<Network> source = tiny_network(LayerKind::kDeterministic, 5);
  write_weights(*source, scratch->file("all.safetensors"), "-");
  const std::vector<std::string> command{
      "import", "all.safetensors", "--network", "small-resnet", "--classes", "3",     "--size",
      "16",     "--channels",      "1",         "--mean",       "0.5",       "--std", "0.25",
      "-o",     "gaussian",        "--kind",    "variational"};
  const Outcome refused = run(command);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(has(refused.err, "conv1.weight.mu"));
  std::vector<std::string> told = command;
  told.insert(told.end(), {"--moped", "0.1"});
  ASSERT_EQ(run(told).exit_code, 0);
  const LoadedModel model = load_model(scratch->file("gaussian"));
  EXPECT_EQ(model.network->options().kind, LayerKind::kVariational);
  const std::size_t conv = model.network->parameters().index_of("conv1.weight");
  EXPECT_TRUE(at::equal(model.network->parameters().mean_weights()[conv],
                        source->parameters().mean_weights()[conv]));
}

TEST_F(InferCommands, ImportChecksItsOptions) {
  const auto refused = [&](std::vector<std::string> more, const std::string& words) {
    std::vector<std::string> command{"import", "x.pth", "--network", "resnet34", "-o", "nope"};
    command.insert(command.end(), more.begin(), more.end());
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_TRUE(has(outcome.err, words));
  };
  refused({}, "--classes");
  refused({"--classes", "3", "--class-names", "a,b"}, "--class-names names 2 classes");
  refused({"--classes", "3", "--mean", "0.5,0.5,0.5"}, "--mean and --std go together");
  refused({"--classes", "3", "--channels", "1"}, "--mean and --std are needed");
  refused({"--classes", "3", "--mean", "123,117,104", "--std", "58,57,57"},
          "--mean is of pixels from 0 to 1, and 123 is not");
  refused({"--classes", "3", "--mean", "0,0,0", "--std", "0,0,0"},
          "--std is of pixels from 0 to 1");
  refused({"--classes", "3", "--moped", "0.1"}, "needs --kind variational");
}

}  // namespace
}  // namespace cubcal::test
