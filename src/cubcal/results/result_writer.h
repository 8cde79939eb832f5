#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cubcal/record/detector_record.h"
#include "cubcal/record/run_record.h"
#include "cubcal/results/answer_spread.h"

namespace cubcal::results {

/// Metrics and their intervals as evaluation_json.h writes them, and the answers behind them.
struct MeasuredPart {
  nlohmann::ordered_json metrics = {};
  nlohmann::ordered_json intervals = {};
  AnswerSpread spread = {};
};

struct SplitPart {
  std::size_t samples = 0;
  MeasuredPart measured = {};
};

/// A calibration fitted on val, and the test split under it.
struct CalibratedPart {
  std::string method;
  double t_high = 1;
  double t_low = 1;
  std::pair<double, double> box_high = {};  ///< where the temperatures were looked for
  std::pair<double, double> box_low = {};
  std::vector<std::string> warnings = {};
  MeasuredPart measured = {};
};

/// The test split when one temperature scales all logits.
struct ScaledPart {
  double temperature = 1;
  nlohmann::ordered_json metrics = {};
};

/// A record with all that it keeps; result_record.h reads what tables are made of.
struct ResultDocument {
  std::string program;
  std::string experiment;
  std::string paper = {};
  std::string regime;
  std::string method;
  std::uint64_t seed = 1;
  std::size_t passes = 0;
  std::string model;   ///< which of the run's models it is of
  RunRecord training;  ///< without the texts that would make the file long
  nlohmann::ordered_json bootstrap = {};
  SplitPart val = {};
  SplitPart test = {};
  std::vector<CalibratedPart> post_hoc = {};
  std::vector<ScaledPart> one_temperature = {};
  std::vector<DetectorRecord> detectors = {};
};

nlohmann::ordered_json to_json(const ResultDocument& document);

}  // namespace cubcal::results
