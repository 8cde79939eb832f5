#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace cubcal::results {

/// How uncertainty is spread over the answers: what the paper's figures are drawn from.
struct AnswerSpread {
  std::size_t classes = 0;    ///< 0: the record, an early one, does not tell
  std::vector<double> right;  ///< right answers in bins of U of equal width over [0, ln K]
  std::vector<double> wrong;
  /// A bin of confidence, all bins being of equal width over [0, 1].
  struct Bin {
    double count = 0;
    double entropy = 0;  ///< mean U, nats
    double ideal = 0;    ///< mean of the boundary curve at the answers' confidence
  };
  std::vector<Bin> boundary;
};

nlohmann::ordered_json to_json(const AnswerSpread& spread);
/// Throws DataError that names the field 'spread' where its lists are not such a spread.
AnswerSpread spread_of(const nlohmann::ordered_json& json);

}  // namespace cubcal::results
