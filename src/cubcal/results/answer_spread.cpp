#include "cubcal/results/answer_spread.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "cubcal/core/tolerances.h"
#include "cubcal/io/json_fields.h"

namespace cubcal::results {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostSamples = 1e7;

void check_counts(const std::vector<double>& counts) {
  double sum = 0;
  bool whole = true;
  for (const double each : counts) {
    whole = whole && each >= 0 && each == std::floor(each);
    sum += each;
  }
  if (!whole || !(sum <= kMostSamples)) {
    throw DataError("the counts of the field 'spread' must be whole numbers from 0 on");
  }
}

/// From 0 to ln K, which rounding may pass.
void check_entropies(const std::vector<double>& entropies, std::size_t classes) {
  const double highest = std::log(static_cast<double>(classes)) + kBoundSlack;
  for (const double each : entropies) {
    if (each >= -kBoundSlack && each <= highest) continue;
    throw DataError("the entropies of the field 'spread' must lie between 0 and ln " +
                    std::to_string(classes));
  }
}

/// Counts are whole numbers in the file.
std::vector<std::size_t> whole(const std::vector<double>& counts) {
  return std::vector<std::size_t>(counts.begin(), counts.end());
}

}  // namespace

Json to_json(const AnswerSpread& spread) {
  Json count = Json::array(), entropy = Json::array(), ideal = Json::array();
  for (const AnswerSpread::Bin& bin : spread.boundary) {
    count.push_back(bin.count);
    entropy.push_back(bin.entropy);
    ideal.push_back(bin.ideal);
  }
  return {{"classes", spread.classes},    {"right", whole(spread.right)},
          {"wrong", whole(spread.wrong)}, {"count", count},
          {"entropy", entropy},           {"ideal", ideal}};
}

AnswerSpread spread_of(const Json& json) {
  const JsonFields fields(json, "spread");
  AnswerSpread spread;
  fields.read("classes", spread.classes);
  spread.right = fields.numbers("right");
  spread.wrong = fields.numbers("wrong");
  const std::vector<double> count = fields.numbers("count");
  const std::vector<double> entropy = fields.numbers("entropy");
  const std::vector<double> ideal = fields.numbers("ideal");
  const bool fits = spread.classes >= 2 && !spread.right.empty() &&
                    spread.right.size() == spread.wrong.size() && !count.empty() &&
                    entropy.size() == count.size() && ideal.size() == count.size();
  if (!fits) throw DataError("the lists of the field 'spread' are empty or do not fit together");
  check_counts(spread.right);
  check_counts(spread.wrong);
  check_counts(count);
  check_entropies(entropy, spread.classes);
  check_entropies(ideal, spread.classes);
  for (std::size_t i = 0; i < count.size(); ++i) {
    spread.boundary.push_back({count[i], entropy[i], ideal[i]});
  }
  return spread;
}

}  // namespace cubcal::results
