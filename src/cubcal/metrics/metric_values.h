#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "cubcal/metrics/sample_facts.h"

namespace cubcal {

/// The scalar metrics, in the order reports list them.
enum class Metric : std::size_t {
  kAccuracy,
  kBalancedAccuracy,
  kNll,
  kBrier,
  kEce,
  kUce,
  kBcce,
  kAvu,
  kAvuAuc,
  kUCorrect,
  kUIncorrect,
  kDeltaU,
  kAccurateCertain,
  kAccurateUncertain,
  kInaccurateCertain,
  kInaccurateUncertain,
  kMiMean,
  kAurc,
};

inline constexpr std::size_t kMetricCount = 18;

/// How a metric is printed.
enum class MetricUnit { kPercent, kFraction, kNats, kCount };

/// How a number is called and printed that reports list beside the metrics.
struct MetricLabel {
  const char* key;    ///< name in JSON
  const char* label;  ///< name in tables
  MetricUnit unit;
  int better = 0;  ///< as MetricInfo::better
};

struct MetricInfo {
  Metric metric;
  const char* key;    ///< name in JSON
  const char* label;  ///< name in tables
  MetricUnit unit;
  int better;  ///< +1: higher is better, -1: lower is better, 0: neither by itself
};

const std::array<MetricInfo, kMetricCount>& metric_infos();

/// A value for each metric; undefined ones (no wrong answer, say) hold nothing.
class MetricValues {
 public:
  std::optional<double>& operator[](Metric metric) {
    return values_[static_cast<std::size_t>(metric)];
  }
  const std::optional<double>& operator[](Metric metric) const {
    return values_[static_cast<std::size_t>(metric)];
  }

 private:
  std::array<std::optional<double>, kMetricCount> values_;
};

MetricValues metric_values(const SampleFacts& facts, SampleCounts counts = {});

}  // namespace cubcal
