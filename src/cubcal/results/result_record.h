#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What one run of an experiment came to, as a small JSON file of its own. Tables are made from
/// these files alone, wherever and whenever the runs were made.
namespace cubcal::results {

/// A number and, where it was worked out, its bootstrap interval over test images.
struct Measured {
  std::optional<double> value;  ///< fractions and nats; nothing where undefined
  std::optional<std::pair<double, double>> interval;
};

/// By the metric's name in JSON ("accuracy", "avu").
using MetricMap = std::map<std::string, Measured>;

/// How uncertainty is spread over the answers: what the paper's figures are drawn from.
struct AnswerSpread {
  std::size_t classes = 0;    ///< 0: the record, an early one, does not tell
  std::vector<double> right;  ///< right answers in bins of U of equal width over [0, ln K]
  std::vector<double> wrong;
  /// A bin of confidence, all bins being of equal width over [0, 1].
  struct Bin {
    double count = 0;
    double entropy = 0;  ///< mean U, nats
    double ideal = 0;    ///< mean of the boundary curve at the answers' confidence
  };
  std::vector<Bin> boundary;
};

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
/// named file is no record, or two are of the same run.
std::vector<ResultRecord> read_result_records(const std::vector<std::string>& paths);

/// The records of each experiment apart, by its name.
std::vector<std::vector<ResultRecord>> by_experiment(const std::vector<ResultRecord>& records);

}  // namespace cubcal::results
