// Times the steps of the two benchmark jobs inside one process, and the yardstick they are held
// against. Prints one JSON object of seconds; run.py runs it and makes the table.
//
//   cubcal_bench exp FILE.npz        std::exp(float) over all logits of a float32 file
//   cubcal_bench evaluate FILE.npz   what `cubcal evaluate` does, step by step
//   cubcal_bench dts FILE.npz        what `cubcal calibrate --method dts` does
//   cubcal_bench small FILE.npz      the quickest of many calls on a small file: prediction, and
//                                    prediction with evaluation and its document

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "cubcal/calibration/fit.h"
#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"
#include "cubcal/evaluation/evaluation_json.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/metrics/metric_values.h"

namespace {

using namespace cubcal;

/// Writes `"step": {"wall": s, "cpu": s}` for each step: on a busy machine the processor time of
/// all threads says more than the clock on the wall.
class Steps {
 public:
  void done(const char* step) {
    const auto now = std::chrono::steady_clock::now();
    const std::clock_t cpu_now = std::clock();
    text_ +=
        (text_.empty() ? "" : ", ") + std::string("\"") + step +
        "\": {\"wall\": " + std::to_string(std::chrono::duration<double>(now - wall_).count()) +
        ", \"cpu\": " + std::to_string(static_cast<double>(cpu_now - cpu_) / CLOCKS_PER_SEC) + "}";
    wall_ = std::chrono::steady_clock::now();
    cpu_ = std::clock();
  }
  void print(const char* name, double result) const {
    std::printf("{%s, \"%s\": %.17g}\n", text_.c_str(), name, result);
  }

 private:
  std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
  std::clock_t cpu_ = std::clock();
  std::string text_;
};

void time_exp(const std::string& path) {
  const LogitsFile file = read_logits_file(path);
  if (file.logits.dtype() != DType::kF32) throw ArgumentError("'exp' needs float32 logits");
  const float* in = file.logits.as<float>();
  // Filled beforehand: the yardstick does not pay for fresh pages.
  std::vector<float> out(file.logits.size(), 0.0F);
  Steps steps;
  parallel_blocks(out.size(), std::size_t{1} << 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) out[i] = std::exp(in[i]);
  });
  steps.done("exp");
  double sum = 0.0;
  for (const float value : out) sum += value;
  steps.print("sum", sum);
}

void time_evaluate(const std::string& path) {
  Steps steps;
  const LogitsFile file = read_logits_file(path);
  steps.done("read");
  const Predictive predictive = predict(McLogits(file.logits));
  steps.done("predict");
  const SampleFacts facts = sample_facts(predictive, file.labels, {});
  steps.done("facts");
  const MetricValues values = metric_values(facts);
  steps.done("metrics");
  steps.print("bcce", *values[Metric::kBcce]);
}

void time_dts(const std::string& path) {
  Steps steps;
  const LogitsFile file = read_logits_file(path);
  steps.done("read");
  FitOptions options;
  options.method = CalibrationMethod::kDts;
  const FitResult fitted = fit_calibration(McLogits(file.logits), file.labels, options);
  steps.done("fit");
  steps.print("bcce", fitted.calibration.objective_after);
}

template <class Call>
double quickest(Call call) {
  double best = 1e9;
  for (int i = 0; i < 3000; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

void time_small(const std::string& path) {
  const LogitsFile file = read_logits_file(path);
  const McLogits logits(file.logits);
  const double prediction = quickest([&] { predict(logits); });
  const double evaluation = quickest([&] {
    Evaluation result = evaluate_prediction(predict(logits), file.labels, {}, {});
    result.class_names.assign(logits.classes(), "class");
    evaluation_document(result);
  });
  std::printf("{\"predict\": %.9f, \"evaluate\": %.9f}\n", prediction, evaluation);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string job = count == 3 ? arguments[1] : "";
  try {
    if (job == "exp") {
      time_exp(arguments[2]);
    } else if (job == "evaluate") {
      time_evaluate(arguments[2]);
    } else if (job == "dts") {
      time_dts(arguments[2]);
    } else if (job == "small") {
      time_small(arguments[2]);
    } else {
      std::fprintf(stderr, "usage: cubcal_bench exp|evaluate|dts|small FILE.npz\n");
      return 2;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cubcal_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
