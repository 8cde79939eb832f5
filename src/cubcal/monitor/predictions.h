#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/decision.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/uncertainty/predictive.h"

namespace cubcal {

/// What is known of the answers of one period, or of the reference, without the images. All lists
/// that are not empty are equally long.
struct Predictions {
  std::string name;
  std::vector<std::uint32_t> predicted;  ///< class
  std::vector<double> confidence;
  std::vector<double> uncertainty;  ///< U, nats
  /// What was decided; nothing: not known, and empty where nothing is.
  std::vector<std::optional<Decision>> verdicts = {};
  std::vector<std::uint8_t> outside;  ///< flags of an OOD detector; empty where there is none
  std::vector<std::int64_t> labels;   ///< -1: not known; empty where none is
  std::vector<std::string> groups;    ///< patients; empty where none are named

  std::vector<std::string> warnings = {};  ///< sentences on what is odd about them

  std::size_t size() const { return predicted.size(); }
  bool all_decided() const;
  /// By its verdict, else by U above the threshold.
  bool is_referred(std::size_t i, double refer_above) const;
};

/// The answers alone.
Predictions predictions_of(const std::string& name, const Predictive& predictive);

/// Of a file of logits and what was predicted from it; `outside` may be empty.
Predictions predictions_of(const LogitsFile& file, const Predictive& predictive,
                           std::vector<std::uint8_t> outside);

}  // namespace cubcal
