#include "cubcal/benefit/outcome.h"

#include "cubcal/core/check.h"

namespace cubcal {

namespace {

void check_price(const char* name, double price) {
  check_finite(name, price);
  check_at_least(name, price, 0);
}

}  // namespace

const StrategyLabel& strategy_label(Strategy strategy) {
  static const std::array<StrategyLabel, kStrategyCount> labels = {{
      {"policy", "policy"},
      {"answer_all", "answer all"},
      {"treat_all", "treat all"},
      {"treat_none", "treat none"},
      {"refer_all", "refer all"},
  }};
  return labels[static_cast<std::size_t>(strategy)];
}

double Prices::of_false_alarm(double threshold) const {
  return false_alarm ? *false_alarm : threshold / (1 - threshold);
}

void check_prices(const Prices& prices) {
  check_price("the cost of a miss", prices.miss);
  check_positive("the cost of a miss", prices.miss);
  if (prices.false_alarm) {
    check_price("the cost of a false alarm", *prices.false_alarm);
  } else if (prices.miss != 1) {
    throw ArgumentError("a miss costs 1 where false alarms have no cost of their own, not " +
                        to_text(prices.miss));
  }
  if (prices.referral) check_price("the cost of a referral", *prices.referral);
  if (prices.out_of_scope) check_price("the cost of a case out of scope", *prices.out_of_scope);
}

double cheapest_threshold(const Prices& prices) {
  return *prices.false_alarm / (*prices.false_alarm + prices.miss);
}

double expected_cost(const StrategyOutcome& outcome, const Prices& prices, double threshold) {
  return prices.miss * outcome.missed + prices.of_false_alarm(threshold) * outcome.false_alarms +
         prices.referral.value_or(0) * outcome.referred +
         prices.of_out_of_scope() * outcome.out_of_scope;
}

double worth(const StrategyOutcome& outcome, double prevalence, const Prices& prices,
             double threshold) {
  const double cost = expected_cost(outcome, prices, threshold);
  return prices.are_stated() ? 1000 * cost : prevalence - cost;
}

}  // namespace cubcal
