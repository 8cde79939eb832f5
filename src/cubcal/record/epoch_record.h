#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cubcal {

/// What an epoch of training came to: a line of metrics.jsonl. NaN stands for a number that is not
/// known or not defined; the file has null there.
struct EpochRecord {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  std::int64_t stage = 1;  ///< counted from 1
  std::int64_t epoch = 0;  ///< counted from 1
  std::int64_t steps = 0;  ///< of the stage, all epochs so far
  double learning_rate = kUnknown;
  double loss = kUnknown;
  double cross_entropy = kUnknown;
  double kl = kUnknown;
  double kl_share = kUnknown;
  /// Terms and values of the objective by key ("cub", "beta"), then the titles of the terms.
  std::vector<std::pair<std::string, double>> objective = {};
  std::vector<std::pair<std::string, std::string>> terms = {};
  double train_accuracy = kUnknown;
  double sigma_mean = kUnknown;
  double sigma_smallest = kUnknown;
  double sigma_largest = kUnknown;
  double noise_to_signal = kUnknown;
  std::vector<std::pair<std::string, double>> validation = {};  ///< metrics by key
  bool best = false;                                            ///< so far
  double seconds = kUnknown;

  /// Every number that is known, by its name in the file, those of validation as
  /// "validation.accuracy".
  std::map<std::string, double> values() const;
};

/// The line, with its end.
std::string epoch_line(const EpochRecord& epoch);

/// Of a metrics.jsonl. Numbers that are absent stay unknown, and a last line that was cut short is
/// left out; any other line that is not such a record is a DataError that names it.
std::vector<EpochRecord> read_epochs(const std::string& path);

}  // namespace cubcal
