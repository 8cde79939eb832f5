#include "cubcal/ood/detection_intervals.h"

#include <algorithm>
#include <unordered_map>

#include "cubcal/core/check.h"
#include "cubcal/core/parallel.h"
#include "cubcal/core/seed_stream.h"

namespace cubcal {

namespace {

/// Which unit, a sample or a group, each sample is drawn with.
struct Units {
  std::vector<std::uint32_t> of_sample;
  std::uint32_t count = 0;
};

Units units_of(const ScoredSide& side) {
  Units units;
  const std::size_t samples = side.scores.size();
  units.of_sample.resize(samples);
  if (side.groups.empty()) {
    for (std::size_t i = 0; i < samples; ++i) units.of_sample[i] = static_cast<std::uint32_t>(i);
    units.count = static_cast<std::uint32_t>(samples);
    return units;
  }
  check_same_size("groups", side.groups.size(), "scores", samples);
  std::unordered_map<std::int64_t, std::uint32_t> numbers;
  for (std::size_t i = 0; i < samples; ++i) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    units.of_sample[i] = numbers.emplace(side.groups[i], next).first->second;
  }
  units.count = static_cast<std::uint32_t>(numbers.size());
  return units;
}

struct Sample {
  double score;
  bool positive;
  std::uint32_t unit;
};

/// How often each unit is drawn.
std::vector<std::uint32_t> draw(std::uint32_t units, SeedStream& stream) {
  std::vector<std::uint32_t> counts(units, 0);
  for (std::uint32_t i = 0; i < units; ++i) ++counts[stream.below(units)];
  return counts;
}

/// The metrics of samples in falling order of score, each counted as often as its unit was drawn.
DetectionMetrics counted_metrics(const std::vector<Sample>& samples,
                                 const std::vector<std::uint32_t>& id_counts,
                                 const std::vector<std::uint32_t>& ood_counts) {
  const auto count = [&](const Sample& sample) {
    return static_cast<double>((sample.positive ? ood_counts : id_counts)[sample.unit]);
  };
  double positives = 0;
  double negatives = 0;
  for (const Sample& sample : samples) (sample.positive ? positives : negatives) += count(sample);
  DetectionMetrics metrics{0, 0, 1};
  double caught = 0;
  double false_alarms = 0;
  bool fpr_found = false;
  for (std::size_t first = 0; first < samples.size();) {
    double block_positives = 0;
    double block_negatives = 0;
    std::size_t last = first;
    for (; last < samples.size() && samples[last].score == samples[first].score; ++last) {
      (samples[last].positive ? block_positives : block_negatives) += count(samples[last]);
    }
    first = last;
    if (block_positives + block_negatives == 0) continue;
    metrics.auroc += block_negatives * (caught + 0.5 * block_positives);
    caught += block_positives;
    false_alarms += block_negatives;
    metrics.aupr += block_positives * caught / (caught + false_alarms);
    if (!fpr_found && caught >= 0.95 * positives) {
      metrics.fpr95 = false_alarms / negatives;
      fpr_found = true;
    }
  }
  metrics.auroc /= negatives * positives;
  metrics.aupr /= positives;
  return metrics;
}

Interval percentile_interval(std::vector<double> values, double level) {
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double probability) {
    const double position = probability * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] +
           (position - static_cast<double>(below)) * (values[above] - values[below]);
  };
  const double tail = 0.5 * (1 - level);
  return {quantile(tail), quantile(1 - tail), values.size()};
}

}  // namespace

std::optional<DetectionResult> detection_with_intervals(const ScoredSide& id, const ScoredSide& ood,
                                                        const BootstrapOptions& options) {
  check_at_least("the number of bootstrap replicates", static_cast<double>(options.replicates), 1);
  check_in_open("the interval level", options.level, 0, 1);
  const std::optional<DetectionMetrics> metrics = detection_metrics(id.scores, ood.scores);
  if (!metrics) return std::nullopt;
  const Units id_units = units_of(id);
  const Units ood_units = units_of(ood);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < id.scores.size(); ++i) {
    samples.push_back({id.scores[i], false, id_units.of_sample[i]});
  }
  for (std::size_t i = 0; i < ood.scores.size(); ++i) {
    samples.push_back({ood.scores[i], true, ood_units.of_sample[i]});
  }
  std::sort(samples.begin(), samples.end(),
            [](const Sample& a, const Sample& b) { return a.score > b.score; });
  std::vector<double> auroc(options.replicates), aupr(options.replicates),
      fpr95(options.replicates);
  parallel_blocks(options.replicates, 8, [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) {
      SeedStream stream(options.seed, r);
      const std::vector<std::uint32_t> id_counts = draw(id_units.count, stream);
      const std::vector<std::uint32_t> ood_counts = draw(ood_units.count, stream);
      const DetectionMetrics drawn = counted_metrics(samples, id_counts, ood_counts);
      auroc[r] = drawn.auroc;
      aupr[r] = drawn.aupr;
      fpr95[r] = drawn.fpr95;
    }
  });
  return DetectionResult{*metrics, percentile_interval(std::move(auroc), options.level),
                         percentile_interval(std::move(aupr), options.level),
                         percentile_interval(std::move(fpr95), options.level)};
}

}  // namespace cubcal
