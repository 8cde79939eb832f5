#include "cubcal_nn/losses/objective.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cubcal/core/check.h"

namespace cubcal {

namespace {

template <class Numbers>
auto entry_named(Numbers& numbers, const std::string& name) {
  return std::find_if(numbers.begin(), numbers.end(),
                      [&name](const auto& each) { return each.first == name; });
}

}  // namespace

double number_named(const NamedNumbers& numbers, const std::string& name) {
  const auto found = entry_named(numbers, name);
  return found == numbers.end() ? 0 : found->second;
}

void add_numbers(NamedNumbers& sums, const NamedNumbers& numbers) {
  for (const auto& [name, value] : numbers) {
    const auto found = entry_named(sums, name);
    if (found == sums.end()) {
      sums.emplace_back(name, value);
    } else {
      found->second += value;
    }
  }
}

nlohmann::json Objective::state() const { return nlohmann::json::object(); }

std::string Objective::summary(const LossTerms& means) const {
  std::string text;
  for (const TermName& term : terms()) {
    text +=
        (text.empty() ? "" : ", ") + term.title + " " + fixed(number_named(means.own, term.key), 3);
  }
  return text;
}

}  // namespace cubcal
