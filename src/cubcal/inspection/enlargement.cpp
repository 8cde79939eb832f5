#include "cubcal/inspection/enlargement.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cubcal/core/tolerances.h"
#include "cubcal/inspection/line_spectrum.h"

namespace cubcal {

namespace {

constexpr std::array<double, 9> kFactors = {2, 2.25, 2.5, 3, 3.5, 4, 5, 6, 8};
constexpr double kFlatVariance = 4.0;  // levels squared

/// Q(v), smoothed over neighbours by 1 : 2 : 1 where asked.
class LevelledSpectrum {
 public:
  explicit LevelledSpectrum(const std::vector<double>& power) : steps_(power.size() - 1) {
    for (std::size_t i = 0; i <= steps_; ++i) {
      const double frequency = static_cast<double>(i) / static_cast<double>(steps_);
      values_.push_back(power[i] * frequency * frequency);
    }
  }

  /// Over the entries with low <= v <= high, of which there is one at least.
  double mean(double low, double high) const {
    const auto steps = static_cast<double>(steps_);
    const auto first = static_cast<std::size_t>(std::ceil(low * steps - kCountSlack));
    const auto last =
        static_cast<std::size_t>(std::floor(std::min(high, 1.0) * steps + kCountSlack));
    double sum = 0;
    for (std::size_t i = first; i <= last; ++i) sum += values_[i];
    return sum / static_cast<double>(last - first + 1);
  }

  double smooth(std::size_t i) const {
    const double after = values_[std::min(i + 1, steps_)];
    return (values_[i - 1] + 2 * values_[i] + after) / 4;
  }

  std::size_t steps() const { return steps_; }

 private:
  std::size_t steps_;
  std::vector<double> values_;
};

double falloff_of(const LevelledSpectrum& spectrum) {
  double falloff = 1e9;
  for (const double factor : kFactors) {
    const double ratio =
        spectrum.mean(1.5 / factor, 2 / factor) / spectrum.mean(0.375 / factor, 0.75 / factor);
    falloff = std::min(falloff, std::log10(std::max(ratio, 1e-12)));
  }
  return falloff;
}

double factor_of(const LevelledSpectrum& spectrum) {
  const double reference = spectrum.mean(2.0 / 64, 6.0 / 64);
  const std::size_t first = spectrum.steps() * 6 / 64;
  std::size_t cutoff = first;
  double least = spectrum.smooth(first);
  for (std::size_t i = first + 1; i <= spectrum.steps() && least > 0.1 * reference; ++i) {
    if (spectrum.smooth(i) < least) {
      least = spectrum.smooth(i);
      cutoff = i;
    }
  }
  return static_cast<double>(spectrum.steps()) / static_cast<double>(cutoff);
}

bool is_flat(const GrayPlane& plane) {
  double sum = 0;
  double squares = 0;
  for (const float level : plane.levels) {
    sum += static_cast<double>(level);
    squares += static_cast<double>(level) * static_cast<double>(level);
  }
  const auto count = static_cast<double>(plane.levels.size());
  return squares / count - sum / count * (sum / count) < kFlatVariance;
}

}  // namespace

std::optional<Enlargement> judge_enlargement(const GrayPlane& plane) {
  const std::vector<double> power = line_spectrum(plane);
  if (power.empty() || is_flat(plane)) return std::nullopt;
  const LevelledSpectrum spectrum(power);
  Enlargement result;
  result.falloff = falloff_of(spectrum);
  if (result.falloff <= kEnlargedFalloff) {
    result.factor = std::max(factor_of(spectrum), 1.1);
  }
  return result;
}

}  // namespace cubcal
