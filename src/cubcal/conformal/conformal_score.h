#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cubcal {

/// How unlike class k a sample is; a prediction set holds the classes of low scores.
enum class ConformalScore {
  kLac,  ///< 1 - p_k: the smallest sets on average (Sadinle et al. 2019); may be empty
  kAps,  ///< the probability of the classes above k (Romano et al. 2020): larger sets where unsure
  kRaps  ///< the same plus a penalty for each class beyond the first few (Angelopoulos et al. 2021)
};
/// "lac", "aps", "raps".
const char* score_name(ConformalScore score);
/// Throws ArgumentError listing the known names.
ConformalScore score_from_name(const std::string& name);

struct ScoreOptions {
  ConformalScore score = ConformalScore::kLac;
  double penalty = 0.01;         ///< raps: for each class beyond the free ones
  std::size_t free_classes = 1;  ///< raps
  /// aps and raps: adds (1 - u) p_k, u uniform in [0, 1) and drawn for each sample, as the papers
  /// do: coverage is then exact instead of at least the wanted one. Without a seed u = 1, and the
  /// most probable class is in every set.
  std::optional<std::uint64_t> seed;
};

/// Throws ArgumentError where a field is outside its domain.
void check_score_options(const ScoreOptions& options);

/// s(x, k) of every class of one sample; of equal probabilities the lower class comes first. `u` is
/// the number drawn for it.
void conformal_scores(const double* probabilities, std::size_t classes, const ScoreOptions& options,
                      double u, std::vector<double>& scores);

}  // namespace cubcal
