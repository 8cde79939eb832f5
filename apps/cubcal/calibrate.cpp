#include <filesystem>
#include <iostream>
#include <memory>

#include "calibration_choice_text.h"
#include "commands.h"
#include "cubcal/calibration/assessment.h"
#include "cubcal/calibration/calibration.h"
#include "cubcal/calibration/fit.h"
#include "cubcal/core/check.h"
#include "cubcal/core/parse_number.h"
#include "cubcal/evaluation/predict_file.h"
#include "cubcal/io/atomic_file.h"
#include "input_options.h"
#include "logits_input.h"
#include "metric_options.h"
#include "number_text.h"
#include "option_checks.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

struct CalibrateOptions {
  std::string validation;
  std::string test;
  std::string output;
  std::string method;  ///< empty: the best of all
  std::string validation_labels;
  std::string test_labels;
  std::string box;
  std::string box_high;
  std::string box_low;
  bool paper_thresholds = false;
  InputOptions input;
  FitOptions fit;
};

/// "0.5:1" as a box; the flag is named in errors.
std::optional<TemperatureBox> parse_box(const char* flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto refuse = [&] {
    return ArgumentError(std::string(flag) +
                         " takes two positive temperatures LOW:HIGH, such as "
                         "0.5:1, not '" +
                         text + "'");
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw refuse();
  TemperatureBox box{};
  const auto temperature = [&](const std::string& part) {
    const std::optional<double> value = parse_number(part);
    if (!value || !(*value > 0) || *value > 1e6) throw refuse();
    return *value;
  };
  box.low = temperature(text.substr(0, colon));
  box.high = temperature(text.substr(colon + 1));
  if (box.low > box.high) throw refuse();
  return box;
}

void refuse_unused_boxes(const CalibrateOptions& options, CalibrationMethod method) {
  if (is_scalar(method) && !(options.box_high.empty() && options.box_low.empty())) {
    throw ArgumentError(std::string("--t-high and --t-low do not go with ") + method_name(method) +
                        ", which has one temperature: use --t");
  }
  if (!is_scalar(method) && !options.box.empty()) {
    throw ArgumentError(std::string("--t does not go with ") + method_name(method) +
                        ", which has two temperatures: use --t-high and --t-low");
  }
}

/// One labelled set, before and after.
struct Assessed {
  std::string name;
  std::size_t samples;
  CalibrationAssessment assessment;
};

void print_fit(std::ostream& out, const FitResult& result, const CalibrateOptions& options,
               const LogitsFile& file) {
  const Calibration& calibration = result.calibration;
  out << method_name(calibration.method) << " fitted on " << describe(file) << "\n\n";
  const auto box = [](const TemperatureBox& range) {
    return "searched in [" + to_text(range.low) + ", " + to_text(range.high) + "]";
  };
  if (is_scalar(calibration.method)) {
    out << "  T       " << fixed(calibration.t_high, 4) << "   " << box(calibration.box_high)
        << '\n';
  } else {
    out << "  T_high  " << fixed(calibration.t_high, 4) << "   " << box(calibration.box_high)
        << ", sharpens " << in_percent(calibration.share_sharpened) << "% of the samples\n";
    out << "  T_low   " << fixed(calibration.t_low, 4) << "   " << box(calibration.box_low)
        << ", softens the rest\n";
    const Thresholds& thresholds = calibration.thresholds;
    out << "  regions γ_low = " << fixed(thresholds.gamma_low, 4)
        << ", γ_high = " << fixed(thresholds.gamma_high, 4) << ", η = " << to_text(thresholds.eta)
        << " nats, "
        << (options.paper_thresholds
                ? "the paper's triple"
                : "derived from η for " + std::to_string(calibration.classes) + " classes")
        << '\n';
  }
  if (calibration.nll_tolerance) {
    out << "  guard   NLL may rise by at most " << significant(100 * *calibration.nll_tolerance, 6)
        << "%, on held-out samples of this set too\n";
  }
  const bool nll = calibration.method == CalibrationMethod::kTsNll;
  const double shown = nll ? 1.0 : 100.0;
  out << "  " << (nll ? "NLL     " : "BCCE    ") << fixed(shown * calibration.objective_before, 4)
      << " → " << fixed(shown * calibration.objective_after, 4) << (nll ? " nats" : " %")
      << " on this set\n";
}

/// Where NLL rises by more than the guard allows on a set that nothing was fitted on.
void print_broken_guard(std::ostream& out, const Calibration& calibration,
                        const MetricValues& without, const MetricValues& with) {
  const std::optional<double>& before = without[Metric::kNll];
  const std::optional<double>& after = with[Metric::kNll];
  if (!calibration.nll_tolerance || !before || !after || !(*before > 0)) return;
  const double rise = *after / *before - 1;
  if (rise <= *calibration.nll_tolerance) return;
  out << "  The guard did not hold on the test samples: NLL rises by " << in_percent(rise)
      << "%, where " << significant(100 * *calibration.nll_tolerance, 6)
      << "% were allowed; it speaks of samples like those it was fitted on, and on average.\n";
}

void print_assessments(std::ostream& out, const std::vector<Assessed>& sets) {
  std::vector<std::string> header{""};
  for (const Assessed& set : sets) {
    header.push_back(set.name);
    header.push_back("calibrated");
    header.push_back("change");
  }
  TextTable table(header);
  for (const MetricInfo& info : metric_infos()) {
    if (info.unit == MetricUnit::kCount || info.metric == Metric::kMiMean) continue;
    std::vector<std::string> row{metric_heading(info)};
    for (const Assessed& set : sets) {
      const std::optional<double>& before = set.assessment.before[info.metric];
      const std::optional<double>& after = set.assessment.after[info.metric];
      row.push_back(metric_text(info.unit, before));
      row.push_back(metric_text(info.unit, after));
      row.push_back(difference_text(
          info.unit, before && after ? std::optional<double>(*after - *before) : std::nullopt));
    }
    table.add(row);
  }
  out << '\n' << table << '\n';
  for (const Assessed& set : sets) {
    const PredictionFlips& flips = set.assessment.flips;
    out << "  " << set.name << ": " << flips.total() << " of " << set.samples
        << " predictions changed by averaging";
    if (flips.total() > 0) {
      out << " (" << flips.to_right << " now right, " << flips.to_wrong << " now wrong, "
          << flips.wrong_to_wrong << " wrong before and after)";
    }
    out << "; " << in_percent(set.assessment.share_sharpened) << "% in the sharpen region\n";
  }
}

MetricOptions convention_of(const FitOptions& fit) {
  MetricOptions metrics;
  metrics.bins = fit.bins;
  metrics.gamma = fit.gamma;
  metrics.uncertainty_threshold = fit.thresholds ? fit.thresholds->eta : fit.eta;
  return metrics;
}

Assessed assess(const std::string& name, const LogitsFile& file, const FitResult& result,
                const MetricOptions& metrics) {
  const Predictive plain = predict_file(file, std::nullopt);
  try {
    const Predictive scaled = calibrated_prediction(file, result.calibration, plain);
    return {name, plain.samples,
            assess_calibration(result.calibration, plain, scaled, file.labels, metrics)};
  } catch (const DataError& error) {
    throw DataError(file.path + ": " + error.what());
  }
}

FitResult fit(const LogitsFile& file, const FitOptions& options, FittedPredictions& predictions) {
  try {
    FitResult result =
        fit_calibration(McLogits(file.logits), file.labels, options, file.groups, &predictions);
    result.calibration.weights_hash = file.weights_hash;
    result.calibration.data_hash = logits_hash(McLogits(file.logits));
    return result;
  } catch (const DataError& error) {
    throw DataError(file.path + ": " + error.what());
  }
}

void tell(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    std::cerr << "cubcal: warning: " << warning << '\n';
  }
}

void calibrate_with(const CalibrateOptions& options, const LogitsFile& validation,
                    const std::optional<LogitsFile>& test) {
  FittedPredictions fitted;
  const FitResult result = fit(validation, options.fit, fitted);
  std::vector<Assessed> sets;
  const MetricOptions metrics = convention_of(options.fit);
  if (validation.has_labels && validation.probabilities.size() > 0) {
    // The fit has predictions of their logarithms alone.
    sets.push_back(assess("validation", validation, result, metrics));
  } else if (validation.has_labels) {
    sets.push_back({"validation", fitted.unscaled.samples,
                    assess_calibration(result.calibration, fitted.unscaled, fitted.calibrated,
                                       validation.labels, metrics)});
  }
  if (test) sets.push_back(assess("test", *test, result, metrics));
  write_text(options.output, calibration_to_json(result.calibration));
  if (options.output != "-") {
    print_fit(std::cout, result, options, validation);
    if (!sets.empty()) {
      print_assessments(std::cout, sets);
      if (test) {
        const CalibrationAssessment& on_test = sets.back().assessment;
        print_broken_guard(std::cout, result.calibration, on_test.before, on_test.after);
      }
      std::cout << '\n' << convention_text(metrics) << ".\n";
    }
    std::cout << "\nwrote " << options.output << '\n';
  }
  tell(result.warnings);
}

void calibrate_with_the_best(const CalibrateOptions& options, const LogitsFile& validation,
                             const std::optional<LogitsFile>& test) {
  std::ostream& out = options.output == "-" ? std::cerr : std::cout;
  const MetricOptions metrics = convention_of(options.fit);
  const CalibrationChoice choice = choose_calibration(validation, test, options.fit, metrics);
  print_choice(out, describe(validation), choice, metrics);
  const FitResult* best = choice.best();
  if (!best) {
    out << "\nNothing was written: name a method with --method to save it all the same.\n";
    if (options.output != "-" && std::filesystem::exists(options.output)) {
      out << "'" << options.output << "' is of an earlier time and was left as it is.\n";
    }
    return;
  }
  if (test) {
    const CalibrationEffect& on_test = choice.on_test[*choice.selection.best];
    print_broken_guard(out, best->calibration, on_test.before, on_test.after);
  }
  write_text(options.output, calibration_to_json(best->calibration));
  if (options.output != "-") out << "\nwrote " << options.output << '\n';
  tell(best->warnings);
}

LogitsFile read_labelled(const std::string& path, const std::string& labels,
                         const CalibrateOptions& options) {
  InputOptions input = options.input;
  input.reading.labels_file = labels;
  return read_input(path, input);
}

void calibrate(CalibrateOptions options) {
  const bool is_named = !options.method.empty();
  if (is_named) {
    options.fit.method = method_from_name(options.method);
    refuse_unused_boxes(options, options.fit.method);
  }
  options.fit.box = parse_box("--t", options.box);
  options.fit.box_high = parse_box("--t-high", options.box_high);
  options.fit.box_low = parse_box("--t-low", options.box_low);
  if (options.paper_thresholds) options.fit.thresholds = paper_thresholds();
  check_output(options.output,
               {options.validation, options.test, options.validation_labels, options.test_labels});

  const LogitsFile validation =
      read_labelled(options.validation, options.validation_labels, options);
  if (!is_named) {
    require_labels(validation, "a choice among the methods");
  } else if (needs_labels(options.fit.method)) {
    require_labels(validation, options.method);
  }
  std::optional<LogitsFile> test;
  if (!options.test.empty()) {
    test = read_labelled(options.test, options.test_labels, options);
    require_labels(*test, "the comparison on --test");
    check_same_classes(validation, *test);
    warn_of_same_samples(validation, *test);
  }
  if (is_named) {
    calibrate_with(options, validation, test);
  } else {
    calibrate_with_the_best(options, validation, test);
  }
}

}  // namespace

void add_calibrate(CLI::App& app) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* command =
      app.add_subcommand("calibrate", "Fit temperatures on validation logits, save them as JSON");
  command->add_option("VAL", options->validation, ".npz or .pt with validation logits and labels")
      ->required();
  std::vector<std::string> methods;
  methods.reserve(kCalibrationMethods.size());
  for (const CalibrationMethod method : kCalibrationMethods) methods.push_back(method_name(method));
  command
      ->add_option(
          "--method", options->method,
          "The method (default: the best of all that makes nothing worse of what is judged)")
      ->type_name(one_of(methods));
  command
      ->add_option("-o,--output", options->output,
                   "Where the calibration goes (JSON), '-': standard output")
      ->required();
  command->add_option("--test", options->test, "Also compare before and after on this set");
  add_input_options(*command, options->input);
  command->add_option("--labels", options->validation_labels,
                      "Take the labels of VAL from this file: .npy, .npz, .pt or CSV");
  command->add_option("--test-labels", options->test_labels, "The same for --test")
      ->needs("--test");
  command->add_flag("--paper-thresholds", options->paper_thresholds,
                    "Regions from the paper's triple (0.9, 0.923, 0.325) instead of η and K");
  command
      ->add_option("--eta", options->fit.eta,
                   "Uncertainty threshold from which the regions are derived, in nats")
      ->capture_default_str()
      ->excludes("--paper-thresholds");
  command
      ->add_option("--gamma", options->fit.gamma,
                   "Confidence at which the boundary curve changes sides")
      ->capture_default_str();
  command->add_option("--bins", options->fit.bins, "Equal-width bins of BCCE")
      ->capture_default_str()
      ->check(within(std::size_t{1}, std::size_t{10000}));
  command->add_option("--t", options->box,
                      "Search T in LOW:HIGH (ts-*; default 0.25:4, which ts-nll widens)");
  command->add_option("--t-high", options->box_high,
                      "Search T_high in LOW:HIGH (default 0.5:1, dts-guarded 0.05:1)");
  command->add_option("--t-low", options->box_low,
                      "Search T_low in LOW:HIGH (default 1:2, dts-guarded 1:20)");
  command
      ->add_option("--nll-tolerance", options->fit.nll_tolerance,
                   "dts-guarded: NLL may rise by this share at most, on held-out samples too")
      ->capture_default_str();
  command->footer(
      "Without --method every method is fitted and tried on held-out folds of VAL (whole groups). "
      "The\n"
      "one of the lowest NLL is saved among those that make none of six metrics significantly "
      "worse\n"
      "(accuracy, balanced accuracy, NLL, Brier, ECE, AURC); where there is none, that is said and "
      "no\n"
      "file written.\n"
      "BCCE alone has a degenerate optimum (T_high → 0, T_low → ∞), so the search is bounded;\n"
      "dts-guarded bounds the rise of NLL instead.\n\n"
      "Example:\n"
      "  cubcal example --out demo\n"
      "  cubcal calibrate demo/val.npz -o demo/cal.json --test demo/test.npz\n"
      "  cubcal calibrate demo/val.npz --method dts -o demo/dts.json --test demo/test.npz");
  command->callback([options] { calibrate(*options); });
}

}  // namespace cubcal::app
