#include "cubcal/metrics/poisson_binomial.h"

#include <vector>

#include "cubcal/core/check.h"

namespace cubcal {

CountRange poisson_binomial_range(ArrayView<const double> probabilities, double level) {
  constexpr double kNegligible = 1e-20;
  check_in_open("the interval level", level, 0, 1);
  std::vector<double> chance{1};  // of first, first + 1, ... events
  std::size_t first = 0;
  for (const double p : probabilities) {
    check_in_closed("a probability", p, 0, 1);
    chance.push_back(0);
    for (std::size_t k = chance.size() - 1; k > 0; --k) {
      chance[k] = chance[k] * (1 - p) + chance[k - 1] * p;
    }
    chance[0] *= 1 - p;
    while (chance.back() < kNegligible) chance.pop_back();
    std::size_t none = 0;
    while (chance[none] < kNegligible) ++none;
    chance.erase(chance.begin(), chance.begin() + static_cast<std::ptrdiff_t>(none));
    first += none;
  }
  const double side = 0.5 * (1 - level);
  std::size_t low = 0;
  for (double below = chance[0]; below <= side; below += chance[low]) ++low;
  std::size_t high = chance.size() - 1;
  for (double above = chance[high]; above <= side; above += chance[high]) --high;
  return {first + low, first + high};
}

}  // namespace cubcal
