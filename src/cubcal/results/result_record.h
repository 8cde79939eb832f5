#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cubcal/metrics/bootstrap.h"
#include "cubcal/record/detector_record.h"
#include "cubcal/record/run_record.h"
#include "cubcal/results/answer_spread.h"

/// What one run of an experiment came to, as a small JSON file of its own. Tables are made from
/// these files alone, wherever and whenever the runs were made.
namespace cubcal::results {

/// By the metric's name in JSON ("accuracy", "avu"): fractions and nats, nothing where undefined,
/// with intervals over test images.
using MetricMap = std::map<std::string, Measured>;

MetricMap metric_map(const MetricValues& values, const MetricIntervals& intervals = {});

/// A split as the network gives it.
struct SplitResult {
  std::size_t samples = 0;
  MetricMap metrics = {};
  AnswerSpread spread = {};
};

/// A calibration fitted on val, and the test split under it.
struct PostHocResult {
  std::string method;  ///< "ts-nll", "dts", ...
  double t_high = 1;
  double t_low = 1;
  MetricMap metrics = {};
  AnswerSpread spread = {};
  std::optional<std::pair<double, double>> box_high = {};  ///< where the temperatures were sought
  std::optional<std::pair<double, double>> box_low = {};
  std::vector<std::string> warnings = {};
  std::string guard = {};  ///< of dts-guarded, as in FitResult; empty where it is not known
};

/// The test metrics when one temperature scales all logits; without intervals.
struct ScaledResult {
  double temperature = 1;
  MetricMap metrics = {};
};

/// What is absent in early records is empty.
struct ResultRecord {
  std::string program;
  std::string experiment;
  std::string paper = {};  ///< the paper's experiment it stands beside; may be empty
  std::string regime;
  std::string method;
  std::uint64_t seed = 1;
  std::size_t passes = 0;
  std::string model = {};                 ///< which of the run's models it is of
  RunRecord training = {};                ///< without the texts that would make the file long
  nlohmann::ordered_json bootstrap = {};  ///< as evaluation_json.h writes it
  SplitResult val = {};
  SplitResult test = {};
  std::vector<PostHocResult> post_hoc = {};
  std::vector<ScaledResult> scaled = {};       ///< from soft to sharp
  std::vector<DetectorRecord> detectors = {};  ///< none where there are no outliers
  std::string path = {};                       ///< of the file it was read from; not written
};

nlohmann::ordered_json to_json(const ResultRecord& record);

/// Throws DataError, naming the file, where it is none.
ResultRecord read_result_record(const std::string& path);

/// All records, by experiment, regime, method and seed: files, or folders that are searched for
/// *.json files at any depth. JSON of another kind is passed over in a folder. Throws ArgumentError
/// where there is no record, and DataError, naming the file or files, where JSON cannot be read, a
/// named file is not a record, or two are of the same run.
std::vector<ResultRecord> read_result_records(const std::vector<std::string>& paths);

/// The records of each experiment apart, by its name.
std::vector<std::vector<ResultRecord>> by_experiment(const std::vector<ResultRecord>& records);

}  // namespace cubcal::results
