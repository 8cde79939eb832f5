#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cubcal/record/detector_record.h"
#include "cubcal/results/answer_spread.h"

/// What one run of an experiment came to, as a small JSON file of its own. Tables are made from
/// these files alone, wherever and whenever the runs were made.
namespace cubcal::results {

/// By the metric's name in JSON ("accuracy", "avu"): fractions and nats, nothing where undefined,
/// with intervals over test images.
using MetricMap = std::map<std::string, Measured>;

/// The test metrics under one calibration.
struct PostHocResult {
  std::string method;  ///< "ts-nll", "dts", ...
  double t_high = 1;
  double t_low = 1;
  MetricMap metrics;
  AnswerSpread spread;
};

/// The test metrics when one temperature scales all logits.
struct ScaledResult {
  double temperature = 1;
  MetricMap metrics;
};

/// One row of the OOD table.
struct DetectorResult {
  std::string key;
  std::string title;
  MetricMap metrics;                            ///< "auroc", "aupr", "fpr95"
  std::map<std::string, MetricMap> categories;  ///< the same against one kind of outliers
};

struct ResultRecord {
  std::string experiment;
  std::string paper;  ///< the paper's experiment it stands beside; may be empty
  std::string regime;
  std::string method;
  std::uint64_t seed = 1;
  std::string device;  ///< it was trained on
  MetricMap metrics;   ///< of the test split, as the network gives it
  AnswerSpread spread;
  std::vector<PostHocResult> post_hoc;
  std::vector<ScaledResult> scaled;       ///< from soft to sharp; none in early records
  std::vector<DetectorResult> detectors;  ///< none where there are no outliers
  std::string path;                       ///< of the file it was read from
};

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
