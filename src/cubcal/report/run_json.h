#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/calibration/calibration.h"
#include "cubcal/metrics/resampling.h"

/// What the JSON files of a run say. Fields that are absent are left out; a file that is no JSON is
/// a DataError that names it.
namespace cubcal::report {

/// A line of the model card.
struct CardRow {
  std::string name;
  std::string value;
};

struct RunRecord {
  std::string method;  ///< of the last stage; empty where it is not known
  std::optional<std::uint64_t> seed;
  std::string data_name;
  std::vector<CardRow> card;
  std::string recipe;
};

/// One line of metrics.jsonl: its numbers by name, those of validation as "validation.accuracy",
/// and which of them are terms of the loss besides cross entropy and KL.
struct EpochValues {
  std::size_t stage = 1;
  double epoch = 0;
  std::map<std::string, double> values;
  std::map<std::string, std::string> terms = {};  ///< titles by name
};

/// A row of `cubcal ood --json`.
struct DetectorRow {
  std::string title;
  double auroc = 0;
  double aupr = 0;
  double fpr95 = 0;
  std::optional<Interval> auroc_interval;
  std::map<std::string, double> auroc_by_category;
};

struct DetectorTable {
  std::vector<DetectorRow> rows;
  std::vector<std::string> categories;
};

/// Of record.json and model.json; either may be missing (an empty path).
RunRecord read_record(const std::string& record_path, const std::string& model_path);
std::optional<Calibration> read_attached_calibration(const std::string& model_path);
/// A last line that was cut short is left out.
std::vector<EpochValues> read_epochs(const std::string& path);
DetectorTable read_detectors(const std::string& path);

}  // namespace cubcal::report
