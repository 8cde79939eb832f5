#include "cubcal/monitor/drift_tests.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cubcal/core/check.h"
#include "cubcal/core/named_values.h"
#include "cubcal/core/parallel.h"
#include "cubcal/core/seed_stream.h"
#include "cubcal/metrics/resampling.h"
#include "cubcal/metrics/value_order.h"

namespace cubcal {

namespace {

constexpr NamedValue<DriftTest> kKeys[] = {{"classes", DriftTest::kClasses},
                                           {"confidence", DriftTest::kConfidence},
                                           {"uncertainty", DriftTest::kUncertainty},
                                           {"referral", DriftTest::kReferral},
                                           {"out_of_scope", DriftTest::kOutside}};
constexpr NamedValue<DriftTest> kTitles[] = {{"class rates", DriftTest::kClasses},
                                             {"confidence", DriftTest::kConfidence},
                                             {"uncertainty", DriftTest::kUncertainty},
                                             {"referral", DriftTest::kReferral},
                                             {"out of scope", DriftTest::kOutside}};

/// Enough to settle that a p-value is not small.
constexpr std::size_t kEnoughFound = 20;

template <class T>
std::vector<T> joined_lists(const std::vector<T>& first, const std::vector<T>& second) {
  std::vector<T> both = first;
  both.insert(both.end(), second.begin(), second.end());
  return both;
}

/// Values in rising order, with the ends of runs of equal ones.
struct RankedValues {
  std::vector<std::uint32_t> order;
  std::vector<std::uint8_t> ends_run;

  explicit RankedValues(const std::vector<double>& values) : order(ascending_order(values)) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      ends_run.push_back(i + 1 == order.size() || values[order[i + 1]] > values[order[i]] ? 1 : 0);
    }
  }

  /// The largest distance between the distributions of the two sides.
  double distance(const std::vector<std::uint8_t>& is_new, double reference, double period) const {
    double largest = 0;
    double seen[2] = {0, 0};
    for (std::size_t i = 0; i < order.size(); ++i) {
      ++seen[is_new[order[i]]];
      if (ends_run[i] == 0) continue;
      largest = std::max(largest, std::abs(seen[0] / reference - seen[1] / period));
    }
    return largest;
  }
};

/// Both sides in one, to be divided again and again.
class Pool {
 public:
  Pool(const Predictions& reference, const Predictions& period, std::size_t classes,
       const DriftOptions& options)
      : classes_(classes),
        predicted_(joined_lists(reference.predicted, period.predicted)),
        confidence_(joined_lists(reference.confidence, period.confidence)),
        uncertainty_(joined_lists(reference.uncertainty, period.uncertainty)),
        tests_(possible_tests(classes, !reference.outside.empty() && !period.outside.empty())) {
    const bool by_verdict = reference.all_decided() && period.all_decided();
    for (const Predictions* side : {&reference, &period}) {
      for (std::size_t i = 0; i < side->size(); ++i) {
        const bool is_referred = by_verdict ? side->is_referred(i, options.refer_above)
                                            : side->uncertainty[i] > options.refer_above;
        referred_.push_back(is_referred ? 1 : 0);
      }
    }
    outside_ = joined_lists(reference.outside, period.outside);
    const bool by_group = options.by_group && !reference.groups.empty() && !period.groups.empty();
    const std::vector<std::string> none;
    const ResamplingUnits old_units =
        resampling_units(reference.size(), by_group ? reference.groups : none, "predictions");
    const ResamplingUnits new_units =
        resampling_units(period.size(), by_group ? period.groups : none, "predictions");
    unit_ = old_units.of_sample;
    for (const std::uint32_t unit : new_units.of_sample) unit_.push_back(old_units.count + unit);
    units_ = old_units.count + new_units.count;
    new_units_ = new_units.count;
  }

  const std::vector<DriftTest>& tests() const { return tests_; }

  std::vector<double> observed() const {
    std::vector<std::uint8_t> is_new(units_, 0);
    std::fill(is_new.end() - static_cast<std::ptrdiff_t>(new_units_), is_new.end(),
              std::uint8_t{1});
    return statistics(is_new);
  }

  /// As many units on either side as there are, drawn by chance.
  std::vector<double> divided(SeedStream& stream) const {
    std::vector<std::uint32_t> order(units_);
    std::iota(order.begin(), order.end(), 0U);
    std::vector<std::uint8_t> is_new(units_, 0);
    for (std::uint32_t i = 0; i < new_units_; ++i) {
      std::swap(order[i], order[i + stream.below(units_ - i)]);
      is_new[order[i]] = 1;
    }
    return statistics(is_new);
  }

 private:
  std::vector<double> statistics(const std::vector<std::uint8_t>& is_new_unit) const {
    std::vector<std::uint8_t> is_new(unit_.size());
    double size[2] = {0, 0};
    for (std::size_t i = 0; i < unit_.size(); ++i) {
      is_new[i] = is_new_unit[unit_[i]];
      ++size[is_new[i]];
    }
    std::vector<double> values;
    for (const DriftTest test : tests_) {
      switch (test) {
        case DriftTest::kClasses: values.push_back(chi_square(is_new, size)); break;
        case DriftTest::kConfidence:
          values.push_back(confidence_.distance(is_new, size[0], size[1]));
          break;
        case DriftTest::kUncertainty:
          values.push_back(uncertainty_.distance(is_new, size[0], size[1]));
          break;
        case DriftTest::kReferral: values.push_back(rate_gap(referred_, is_new, size)); break;
        case DriftTest::kOutside: values.push_back(rate_gap(outside_, is_new, size)); break;
      }
    }
    return values;
  }

  double chi_square(const std::vector<std::uint8_t>& is_new, const double* size) const {
    std::vector<double> counts(2 * classes_, 0);
    for (std::size_t i = 0; i < is_new.size(); ++i) ++counts[2 * predicted_[i] + is_new[i]];
    double sum = 0;
    for (std::size_t k = 0; k < classes_; ++k) {
      const double both = counts[2 * k] + counts[2 * k + 1];
      if (both == 0) continue;
      for (std::size_t side = 0; side < 2; ++side) {
        const double expected = both * size[side] / (size[0] + size[1]);
        sum += (counts[2 * k + side] - expected) * (counts[2 * k + side] - expected) / expected;
      }
    }
    return sum;
  }

  static double rate_gap(const std::vector<std::uint8_t>& flags,
                         const std::vector<std::uint8_t>& is_new, const double* size) {
    double count[2] = {0, 0};
    for (std::size_t i = 0; i < flags.size(); ++i) count[is_new[i]] += flags[i];
    return std::abs(count[1] / size[1] - count[0] / size[0]);
  }

  std::size_t classes_;
  std::vector<std::uint32_t> predicted_;
  RankedValues confidence_;
  RankedValues uncertainty_;
  std::vector<DriftTest> tests_;
  std::vector<std::uint8_t> referred_;
  std::vector<std::uint8_t> outside_;
  std::vector<std::uint32_t> unit_;
  std::uint32_t units_ = 0;
  std::uint32_t new_units_ = 0;
};

/// Counts divisions for one test until it is settled.
class Tally {
 public:
  explicit Tally(double observed) : reached_(observed - 1e-9 * std::max(1.0, observed)) {}

  bool is_settled() const { return found_ == kEnoughFound; }
  void add(double value) {
    if (is_settled()) return;
    ++drawn_;
    found_ += value >= reached_ ? 1 : 0;
  }
  double p() const {
    const auto found = static_cast<double>(found_);
    const auto drawn = static_cast<double>(drawn_);
    return is_settled() ? found / drawn : (1 + found) / (1 + drawn);
  }
  std::size_t drawn() const { return drawn_; }

 private:
  double reached_;  ///< less what rounding may take from an equal one
  std::size_t found_ = 0;
  std::size_t drawn_ = 0;
};

}  // namespace

const char* drift_test_key(DriftTest test) { return name_of(kKeys, test); }
const char* drift_test_title(DriftTest test) { return name_of(kTitles, test); }

std::vector<DriftTest> possible_tests(std::size_t classes, bool with_outside) {
  std::vector<DriftTest> tests{DriftTest::kClasses};
  if (classes > 2) tests.push_back(DriftTest::kConfidence);
  tests.insert(tests.end(), {DriftTest::kUncertainty, DriftTest::kReferral});
  if (with_outside) tests.push_back(DriftTest::kOutside);
  return tests;
}

std::vector<DriftResult> drift_tests(const Predictions& reference, const Predictions& period,
                                     std::size_t classes, const DriftOptions& options,
                                     std::uint64_t stream) {
  if (reference.size() == 0 || period.size() == 0) {
    throw DataError("drift is tested between predictions, but one side has none");
  }
  const Pool pool(reference, period, classes, options);
  const std::vector<double> observed = pool.observed();
  std::vector<Tally> tallies(observed.begin(), observed.end());
  constexpr std::size_t kAtOnce = 64;
  for (std::size_t first = 0; first < options.permutations; first += kAtOnce) {
    const bool is_done = std::all_of(tallies.begin(), tallies.end(),
                                     [](const Tally& each) { return each.is_settled(); });
    if (is_done) break;
    const std::size_t count = std::min(kAtOnce, options.permutations - first);
    std::vector<std::vector<double>> drawn(count);
    parallel_blocks(count, 1, [&](std::size_t from, std::size_t to) {
      for (std::size_t b = from; b < to; ++b) {
        SeedStream own(options.seed, (stream << 32) + first + b);
        drawn[b] = pool.divided(own);
      }
    });
    for (const std::vector<double>& values : drawn) {
      for (std::size_t t = 0; t < tallies.size(); ++t) tallies[t].add(values[t]);
    }
  }
  std::vector<DriftResult> results;
  for (std::size_t t = 0; t < tallies.size(); ++t) {
    results.push_back({pool.tests()[t], observed[t], tallies[t].p(), tallies[t].drawn()});
  }
  return results;
}

}  // namespace cubcal
