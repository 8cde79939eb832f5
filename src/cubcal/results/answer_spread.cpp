#include "cubcal/results/answer_spread.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"

namespace cubcal::results {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostSamples = 1e7;

std::vector<double> list_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  const bool is_list =
      found != json.end() && found->is_array() &&
      std::all_of(found->begin(), found->end(), [](const Json& each) { return each.is_number(); });
  if (!is_list) {
    throw DataError("the list '" + std::string(name) +
                    "' of the field 'spread' is missing or not " + "of numbers");
  }
  return found->get<std::vector<double>>();
}

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
  AnswerSpread spread;
  const auto classes = json.find("classes");
  if (classes != json.end() && classes->is_number_unsigned()) {
    spread.classes = classes->get<std::size_t>();
  }
  spread.right = list_in(json, "right");
  spread.wrong = list_in(json, "wrong");
  const std::vector<double> count = list_in(json, "count");
  const std::vector<double> entropy = list_in(json, "entropy");
  const std::vector<double> ideal = list_in(json, "ideal");
  const bool fits = spread.classes >= 2 && !spread.right.empty() &&
                    spread.right.size() == spread.wrong.size() && !count.empty() &&
                    entropy.size() == count.size() && ideal.size() == count.size();
  if (!fits) throw DataError("the lists of the field 'spread' are empty or do not fit together");
  check_counts(spread.right);
  check_counts(spread.wrong);
  check_counts(count);
  for (std::size_t i = 0; i < count.size(); ++i) {
    spread.boundary.push_back({count[i], entropy[i], ideal[i]});
  }
  return spread;
}

}  // namespace cubcal::results
