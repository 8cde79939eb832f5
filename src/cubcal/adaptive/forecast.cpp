#include "cubcal/adaptive/forecast.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cubcal/core/student_t.h"

namespace cubcal {

namespace {

/// Two programs that add up the same passes may differ by this much.
constexpr double kRounding = 1e-6;

/// Less than any limit, and yet not the 0 of what is impossible.
constexpr double kSmallestChance = std::numeric_limits<double>::min();

double entropy_term(double p) { return p > 0 ? -p * std::log(p) : 0.0; }

}  // namespace

MeanForecast::MeanForecast(const SamplePasses& passes, std::size_t total)
    : passes_(passes),
      seen_(static_cast<double>(passes.count()) / static_cast<double>(total)),
      left_(static_cast<double>(total - passes.count()) / static_cast<double>(total)),
      mean_(passes.mean()),
      now_(summarise(mean_.data(), mean_.size())) {}

double MeanForecast::chance(double distance, const std::vector<double>& x) const {
  if (x.size() < 2) return 1;
  const auto s = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / s;
  double squares = 0;
  for (const double value : x) squares += (value - mean) * (value - mean);
  const double spread = std::sqrt(squares / (s - 1) * left_ / s);
  if (spread == 0) return distance > 0 ? kSmallestChance : 1;
  return std::max(student_tail(distance / spread, s - 1), kSmallestChance);
}

double MeanForecast::chance_of_other_class() const {
  const auto a = static_cast<std::size_t>(now_.predicted);
  std::vector<double> x(passes_.count());
  double sum = 0;
  for (std::size_t j = 0; j < mean_.size(); ++j) {
    if (j == a || seen_ * (mean_[a] - mean_[j]) - left_ > kRounding) continue;
    for (std::size_t t = 0; t < x.size(); ++t) {
      const double* p = passes_.pass(t);
      x[t] = p[a] / mean_[a] - (mean_[j] > 0 ? p[j] / mean_[j] : 0.0);
    }
    sum += chance(std::log(mean_[a] / mean_[j]), x);
  }
  return std::min(sum, 1.0);
}

double MeanForecast::chance_of_crossing_confidence(double level) const {
  const auto a = static_cast<std::size_t>(now_.predicted);
  const bool above = now_.confidence > level;
  if (above && seen_ * mean_[a] - level > kRounding) return 0;
  std::vector<double> x(passes_.count());
  double sum = 0;
  for (std::size_t k = 0; k < mean_.size(); ++k) {
    // From above only the predicted class has to hold; from below none may rise.
    if (above ? k != a : level - (seen_ * mean_[k] + left_) > kRounding) continue;
    const double rest = 1 - mean_[k];
    if (rest <= 0) return kSmallestChance;
    for (std::size_t t = 0; t < x.size(); ++t) x[t] = (1 - passes_.pass(t)[k]) / rest;
    sum += chance(std::fabs(std::log(rest / (1 - level))), x);
  }
  return std::min(sum, 1.0);
}

double MeanForecast::chance_of_crossing_entropy(double level) const {
  const bool above = now_.entropy > level;
  if (above ? lowest_entropy() - level > kRounding : level - highest_entropy() > kRounding) {
    return 0;
  }
  if (now_.entropy <= 0) return level > 0 ? kSmallestChance : 1;
  if (level <= 0) return kSmallestChance;
  std::vector<double> x(passes_.count(), 0.0);
  for (std::size_t k = 0; k < mean_.size(); ++k) {
    if (mean_[k] <= 0) continue;
    const double weight = -std::log(mean_[k]) / now_.entropy;
    for (std::size_t t = 0; t < x.size(); ++t) x[t] += weight * passes_.pass(t)[k];
  }
  return chance(std::fabs(std::log(now_.entropy / level)), x);
}

double MeanForecast::lowest_entropy() const {
  double all = 0;
  for (const double p : mean_) all += entropy_term(seen_ * p);
  double lowest = std::numeric_limits<double>::infinity();
  for (const double p : mean_) {
    lowest = std::min(lowest, all - entropy_term(seen_ * p) + entropy_term(seen_ * p + left_));
  }
  return lowest;
}

double MeanForecast::highest_entropy() const {
  std::vector<double> rising = mean_;
  for (double& p : rising) p *= seen_;
  std::sort(rising.begin(), rising.end());
  // The lowest n classes share what is left and what they have, with n as large as possible.
  double shared = left_;
  double level = 0;
  std::size_t n = 0;
  while (n < rising.size() && (n == 0 || rising[n] < level)) {
    shared += rising[n];
    ++n;
    level = shared / static_cast<double>(n);
  }
  double entropy = static_cast<double>(n) * entropy_term(level);
  for (std::size_t k = n; k < rising.size(); ++k) entropy += entropy_term(rising[k]);
  return entropy;
}

}  // namespace cubcal
