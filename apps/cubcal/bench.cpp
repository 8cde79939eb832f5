#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "bench_jobs.h"
#include "commands.h"
#include "compute_setup.h"
#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"
#include "cubcal/core/words.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/kernels/device_memory.h"
#include "cubcal_nn/models/registry.h"
#include "interrupt.h"
#include "number_text.h"
#include "option_checks.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

using Json = nlohmann::ordered_json;

struct BenchOptions {
  std::vector<std::string> jobs = {"train", "predict", "one"};
  std::string model;
  std::string network;
  std::int64_t size = 0;
  std::vector<std::int64_t> batches;
  std::int64_t passes = 5;
  std::int64_t mc = 80;
  std::int64_t images = 0;
  std::int64_t classes = 5;
  std::string device = "cpu";
  std::string convolution = "auto";
  std::string precision = "auto";
  bool plain = false;
  double seconds = 2;
  std::string format = "text";
  std::string output;
};

/// One line of the table.
struct Row {
  std::string job;
  BenchCase which;
  BenchResult result;
  std::optional<double> ceiling;  ///< seconds
};

bool is_rate(const Row& row) { return row.job == "predict"; }

double images_per_second(const Row& row, double seconds) {
  return static_cast<double>(row.which.images) / seconds;
}

std::string value_text(const Row& row, double seconds) {
  return is_rate(row) ? fixed(images_per_second(row, seconds), 1) + " images/s"
                      : fixed(seconds * 1e3, 2) + " ms";
}

Json row_json(const Row& row) {
  Json json = {{"job", row.job},
               {"network", row.which.network},
               {"size", row.which.size},
               {"batch", row.which.batch},
               {"passes", row.which.passes},
               {"precision",
                precision_name(resolve_precision(row.which.compute.precision, row.which.device))},
               {"seconds", row.result.seconds},
               {"seconds_low", row.result.low},
               {"seconds_high", row.result.high},
               {"peak_bytes", row.result.peak_bytes}};
  if (row.job != "train") json["images"] = row.which.images;
  if (is_rate(row)) json["images_per_second"] = images_per_second(row, row.result.seconds);
  if (row.ceiling) json["ceiling_seconds"] = *row.ceiling;
  return json;
}

std::vector<std::string> cells(const Row& row) {
  const BenchCase& which = row.which;
  return {row.job,
          which.network,
          std::to_string(which.size),
          std::to_string(row.job == "train" ? which.batch : which.images),
          std::to_string(which.passes),
          precision_name(resolve_precision(which.compute.precision, which.device)),
          value_text(row, row.result.seconds),
          row.ceiling ? value_text(row, *row.ceiling) : "-",
          row.ceiling ? percent(*row.ceiling / row.result.seconds, 0) : "-",
          fixed(static_cast<double>(row.result.peak_bytes) / 1e6, 0)};
}

const std::vector<std::string> kHeader = {"job",       "network", "px",      "images", "passes",
                                          "precision", "median",  "ceiling", "of it",  "peak MB"};

class Bench {
 public:
  explicit Bench(const BenchOptions& options)
      : options_(options), device_(set_up_device(options.device, options.convolution)) {
    base_.network =
        options.network.empty() ? (on_gpu() ? "resnet34" : "resnet18") : options.network;
    base_.size = options.size > 0 ? options.size : (on_gpu() ? 224 : 64);
    base_.classes = options.classes;
    base_.device = device_;
    if (!options.model.empty()) take_model();
    base_.compute.precision = parse_precision(options.precision);
    base_.compute.fused = !options.plain;
    resolve_precision(base_.compute.precision, device_);
    // Opened now: where it cannot be written, nothing is measured.
    if (!options.output.empty() && options.output != "-") file_.emplace(options.output);
  }

  void run() {
    const InterruptWatch watch;
    facts();
    for (const std::string& job : options_.jobs) {
      if (job == "train") train();
      if (job == "predict") predict();
      if (job == "one") one();
      if (job == "growth") growth();
    }
    write();
  }

 private:
  bool on_gpu() const { return device_.is_cuda(); }

  /// Its name, size and passes instead of those of a network that is made for the measurement.
  void take_model() {
    base_.model = options_.model;
    const LoadedModel model = load_model(options_.model, device_);
    base_.network = model.description.network;
    base_.size = model.description.preprocessing.height;
    McOptions mc;
    mc.passes = static_cast<std::size_t>(options_.mc);
    options_.mc = static_cast<std::int64_t>(drawn_passes(*model.network, mc));
  }

  /// Says what is measured now, and readies the process for such work.
  void begin(ConvolutionWork work, const std::string& what) const {
    std::cerr << "measuring " << what << '\n';
    if (!on_gpu()) set_up_convolution(options_.convolution, work);
  }

  void facts() {
    facts_ = {{"device", device_name(device_)},
              {"threads", thread_count()},
              {"copy_bytes_per_second", copy_bandwidth(device_)},
              {"normals_per_second", noise_rate(device_)},
              {"gaussian_weights", gaussian_weights(base_)}};
  }

  void train() {
    const std::vector<std::int64_t> batches = !options_.batches.empty() ? options_.batches
                                              : on_gpu() ? std::vector<std::int64_t>{16, 128}
                                                         : std::vector<std::int64_t>{32};
    for (const std::int64_t batch : batches) {
      Row row{"train", base_, {}, {}};
      row.which.batch = batch;
      row.which.passes = options_.passes;
      begin(ConvolutionWork::kTraining, "a training step of " + std::to_string(batch) + " images");
      row.result = time_training_step(row.which, options_.seconds);
      row.ceiling = time_deterministic_step(row.which, options_.seconds).seconds;
      rows_.push_back(row);
    }
  }

  void predict() {
    Row row{"predict", base_, {}, {}};
    row.which.images = options_.images > 0 ? options_.images : (on_gpu() ? 2048 : 64);
    row.which.batch = 256;
    row.which.passes = options_.mc;
    begin(ConvolutionWork::kPrediction,
          "prediction of " + std::to_string(row.which.images) + " images");
    row.result = time_prediction(row.which, false, options_.seconds);
    row.ceiling = time_deterministic_forward(row.which, options_.seconds).seconds;
    rows_.push_back(row);
  }

  void one() {
    Row row{"one image", base_, {}, {}};
    row.which.images = 1;
    row.which.batch = 1;
    row.which.passes = options_.mc;
    begin(ConvolutionWork::kPrediction, "prediction of one image");
    row.result = time_prediction(row.which, false, options_.seconds);
    // The floor: every draw is written once and read once.
    if (facts_["gaussian_weights"] == 0) {
      rows_.push_back(row);
      return;
    }
    const double bytes = 2.0 * static_cast<double>(options_.mc) *
                         static_cast<double>(gaussian_weights(base_)) * (on_gpu() ? 2 : 4);
    row.ceiling = bytes / facts_["copy_bytes_per_second"].get<double>();
    rows_.push_back(row);
    if (!on_gpu()) return;
    row.job = "one image, draws kept";
    row.result = time_prediction(row.which, true, options_.seconds);
    row.ceiling = *row.ceiling / 2;
    rows_.push_back(row);
  }

  /// How cost grows along each axis of the job, the others fixed.
  void growth() {
    BenchCase base = base_;
    base.passes = on_gpu() ? 20 : 4;
    base.images = on_gpu() ? 512 : 8;
    base.batch = on_gpu() ? 128 : 8;
    const auto sizes = on_gpu() ? std::vector<std::int64_t>{96, 128, 160, 224}
                                : std::vector<std::int64_t>{32, 48, 64, 96};
    const auto times = [](std::int64_t first) {
      return std::vector<std::int64_t>{first, 2 * first, 4 * first, 8 * first};
    };
    grow("predict", "passes", base, times(base.passes / 2), &BenchCase::passes);
    grow("predict", "images", base, times(base.images / 2), &BenchCase::images);
    grow("predict", "size", base, sizes, &BenchCase::size);
    base.passes = on_gpu() ? 5 : 2;
    grow("train", "batch", base, times(on_gpu() ? 16 : 2), &BenchCase::batch);
    grow("train", "passes", base, {1, 2, 4, 8}, &BenchCase::passes);
  }

  void grow(const std::string& job, const std::string& axis, const BenchCase& base,
            const std::vector<std::int64_t>& values, std::int64_t BenchCase::*field) {
    begin(job == "train" ? ConvolutionWork::kTraining : ConvolutionWork::kPrediction,
          "growth of " + job + " with " + axis);
    Json points = Json::array();
    std::vector<double> x, seconds, bytes;
    for (const std::int64_t value : values) {
      BenchCase which = base;
      which.*field = value;
      const BenchResult result = job == "train"
                                     ? time_training_step(which, options_.seconds / 2)
                                     : time_prediction(which, false, options_.seconds / 2);
      x.push_back(static_cast<double>(value));
      seconds.push_back(result.seconds);
      bytes.push_back(static_cast<double>(result.peak_bytes));
      points.push_back(
          {{axis, value}, {"seconds", result.seconds}, {"peak_bytes", result.peak_bytes}});
    }
    growth_.push_back({{"job", job},
                       {"axis", axis},
                       {"points", points},
                       {"time_exponent", exponent(x, seconds)},
                       {"memory_exponent", exponent(x, bytes)}});
  }

  /// Slope of the least squares line through the logarithms.
  static double exponent(const std::vector<double>& x, const std::vector<double>& y) {
    double mean_x = 0, mean_y = 0, products = 0, squares = 0;
    const auto n = static_cast<double>(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      mean_x += std::log(x[i]) / n;
      mean_y += std::log(y[i]) / n;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      products += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
      squares += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
    }
    return products / squares;
  }

  std::string title() const {
    return facts_["device"].get<std::string>() + ", " + std::to_string(thread_count()) +
           " threads; memory copies at " +
           fixed(facts_["copy_bytes_per_second"].get<double>() / 1e9, 0) +
           " GB/s (read and written), normal values at " +
           fixed(facts_["normals_per_second"].get<double>() / 1e9, 2) + " G/s";
  }

  std::string growth_lines(const char* start) const {
    std::string text;
    for (const Json& each : growth_) {
      text += start + each["job"].get<std::string>() + " against " +
              each["axis"].get<std::string>() + ":";
      for (const Json& point : each["points"]) {
        text += " " + std::to_string(point[each["axis"].get<std::string>()].get<std::int64_t>()) +
                " " + fixed(point["seconds"].get<double>() * 1e3, 1) + " ms (" +
                fixed(point["peak_bytes"].get<double>() / 1e6, 0) + " MB),";
      }
      text += " time ~ " + each["axis"].get<std::string>() + "^" +
              fixed(each["time_exponent"].get<double>(), 2) + ", memory ^" +
              fixed(each["memory_exponent"].get<double>(), 2) + "\n";
    }
    return text;
  }

  std::string markdown() const {
    std::string text = title() + "\n";
    if (!rows_.empty()) {
      text += "\n| " + joined(kHeader, " | ") + " |\n";
      text += "|" + joined(std::vector<std::string>(kHeader.size(), "---"), "|") + "|\n";
    }
    for (const Row& row : rows_) text += "| " + joined(cells(row), " | ") + " |\n";
    return text + (growth_.empty() ? "" : "\n" + growth_lines("- "));
  }

  std::string csv() const {
    std::string text = joined(kHeader, ",") + "\n";
    for (const Row& row : rows_) text += joined(cells(row), ",") + "\n";
    return text;
  }

  std::string json() const {
    Json json = facts_;
    json["rows"] = Json::array();
    for (const Row& row : rows_) json["rows"].push_back(row_json(row));
    json["growth"] = growth_;
    return json.dump(2) + "\n";
  }

  void write() {
    if (options_.format == "text" && options_.output.empty()) {
      TextTable table(kHeader);
      for (const Row& row : rows_) table.add(cells(row));
      std::cout << title() << "\n\n";
      if (!table.empty()) std::cout << table;
      std::cout << growth_lines("");
      return;
    }
    const std::string text = options_.format == "json"  ? json()
                             : options_.format == "csv" ? csv()
                                                        : markdown();
    if (!file_) {
      std::cout << text;
      return;
    }
    file_->write(text);
    file_->commit();
    std::cout << "wrote " << options_.output << '\n';
  }

  BenchOptions options_;
  c10::Device device_;
  BenchCase base_;
  Json facts_;
  Json growth_ = Json::array();
  std::vector<Row> rows_;
  std::optional<AtomicFile> file_;  ///< to write, unless it is standard output
};

/// A model is not trained here.
void take_jobs_of_model(const CLI::App& parsed, BenchOptions& options) {
  if (parsed.count("--jobs") == 0) options.jobs = {"predict", "one"};
  for (const std::string& job : options.jobs) {
    if (job != "predict" && job != "one") {
      throw ArgumentError("--jobs of a --model are predict and one, not " + job);
    }
  }
}

}  // namespace

void add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command =
      app.add_subcommand("bench", "Measure training and prediction on this machine");
  command
      ->add_option("--jobs", options->jobs,
                   "What to measure: train, predict, one (image), growth (of cost with passes, "
                   "images, size and batch)")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::IsMember({"train", "predict", "one", "growth"}));
  CLI::Option* model = command->add_option(
      "--model", options->model, "Model folder whose predictions are measured: jobs predict, one");
  command
      ->add_option("--network", options->network,
                   "Network (default: resnet34 on a GPU, resnet18 on a CPU)")
      ->check(CLI::IsMember(network_names()))
      ->excludes(model);
  command->add_option("--size", options->size, "Pixels of a side (default: 224 on a GPU, else 64)")
      ->check(within(std::int64_t{16}, std::int64_t{1024}))
      ->excludes(model);
  command->add_option("--batch", options->batches, "Batches of the training step")
      ->delimiter(',')
      ->check(within(std::int64_t{2}, std::int64_t{4096}));
  command->add_option("--passes", options->passes, "Passes of a training step")
      ->capture_default_str()
      ->check(within(std::int64_t{1}, std::int64_t{64}));
  command->add_option("--mc", options->mc, "Passes of a prediction")
      ->capture_default_str()
      ->check(within(std::int64_t{1}, std::int64_t{10000}));
  command
      ->add_option("--images", options->images,
                   "Images of a prediction (default: 2048 on a GPU, else 64)")
      ->check(within(std::int64_t{1}, std::int64_t{1000000}));
  command->add_option("--classes", options->classes, "Classes")
      ->capture_default_str()
      ->check(within(std::int64_t{2}, std::int64_t{1000}))
      ->excludes(model);
  add_device_option(*command, options->device);
  add_precision_option(*command, options->precision);
  add_convolution_option(*command, options->convolution);
  command->add_flag("--plain", options->plain,
                    "Operator by operator: without fused kernels and graphs");
  command->add_option("--seconds", options->seconds, "Time given to each measurement")
      ->capture_default_str()
      ->check(within(0.0, 600.0));
  command->add_option("--format", options->format, "text, md, csv or json")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "md", "csv", "json"}));
  command->add_option("-o,--output", options->output, "File to write; - is standard output");
  command->footer(
      "Ceilings: of a training step, as many deterministic forward and backward passes and one\n"
      "update; of a prediction, as many deterministic forward passes, operator by operator; of "
      "one\n"
      "image, the time to write and read the drawn weights once.\n\n"
      "Example:\n"
      "  cubcal bench --jobs one --mc 20 --seconds 1\n"
      "  cubcal bench --model model --mc 20 --images 16\n"
      "  cubcal bench --device cuda --jobs train,predict,one,growth --format md -o bench.md");
  command->callback([options, command] {
    if (!options->model.empty()) take_jobs_of_model(*command, *options);
    Bench(*options).run();
  });
}

}  // namespace cubcal::app
