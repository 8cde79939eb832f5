#pragma once

#include <array>
#include <cstddef>
#include <optional>

/// What a way of dealing with patients comes to, and what that is worth.
namespace cubcal {

/// Ways of dealing with all patients.
enum class Strategy : std::size_t {
  kPolicy,     ///< the accepted are answered by the model, the others by an expert
  kAnswerAll,  ///< the model answers everything
  kTreatAll,
  kTreatNone,
  kReferAll  ///< the expert answers everything
};
inline constexpr std::size_t kStrategyCount = 5;

struct StrategyLabel {
  const char* key;    ///< name in JSON and CSV
  const char* label;  ///< name in tables
};
const StrategyLabel& strategy_label(Strategy strategy);

/// What happens, each as a share of all patients.
struct StrategyOutcome {
  double missed = 0;        ///< diseased and not treated
  double false_alarms = 0;  ///< treated and not diseased
  double referred = 0;
  double out_of_scope = 0;
};

/// Who answers what is referred or out of scope. By default always right: an assumption that
/// belongs beside the numbers.
struct Expert {
  double sensitivity = 1;
  double specificity = 1;
};

/// What things cost. Where nothing is said of false alarms, the unit is a disease found: a miss
/// costs 1 and a false alarm at the threshold probability pt costs pt / (1 - pt), since who treats
/// from pt on takes (1 - pt) / pt false alarms for one disease found (Vickers and Elkin 2006).
struct Prices {
  double miss = 1;
  std::optional<double> false_alarm;
  std::optional<double> referral;      ///< nothing: then no case may be referred
  std::optional<double> out_of_scope;  ///< of such a case; nothing: as a referral

  /// Whether costs are stated, and pt is only where treatment begins.
  bool are_stated() const { return false_alarm.has_value(); }
  double of_false_alarm(double threshold) const;
  double of_out_of_scope() const { return out_of_scope.value_or(referral.value_or(0)); }
};

/// Throws ArgumentError unless all are finite and not negative, and a miss costs something: 1 where
/// false alarms have no price of their own.
void check_prices(const Prices& prices);

/// From where on treating costs less than not treating, at stated costs: C_f / (C_f + C_miss).
double cheapest_threshold(const Prices& prices);

/// Per patient: miss * missed + false_alarm * false_alarms + referral * referred + out_of_scope *
/// out_of_scope.
double expected_cost(const StrategyOutcome& outcome, const Prices& prices, double threshold);

/// At stated costs those of 1000 patients (less is better); else the net benefit per patient (more
/// is better), in diseases found. With pi the prevalence and pi - missed = TP / N it is
///
///   NB = pi - expected cost = TP/N - pt/(1-pt) FP/N - c R/N - c' O/N,
///
/// Vickers' and Elkin's with referrals (R, at c) and cases out of scope (O, at c') priced.
double worth(const StrategyOutcome& outcome, double prevalence, const Prices& prices,
             double threshold);

}  // namespace cubcal
