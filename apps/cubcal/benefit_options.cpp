#include "benefit_options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "class_choice.h"
#include "cubcal/core/check.h"
#include "cubcal/core/parse_number.h"

namespace cubcal::app {

namespace {

constexpr double kStep = 0.01;

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char character : text) {
    if (character == separator) {
      parts.emplace_back();
    } else {
      parts.back() += character;
    }
  }
  return parts;
}

double threshold_number(const std::string& option, const std::string& text,
                        const std::string& whole) {
  const std::optional<double> number = parse_number(text);
  if (number && std::isfinite(*number)) return *number;
  throw ArgumentError(option + " takes FROM:TO, FROM:TO:STEP or a list of numbers, not '" + whole +
                      "'");
}

/// From one number to another, both included; steps are counted, so that 0.3 is 0.3.
std::vector<double> threshold_range(const std::string& option, double first, double last,
                                    double step) {
  if (!(step > 0) || !(first < last)) {
    throw ArgumentError(option + " needs a range that rises by a positive step, not " +
                        to_text(first) + ":" + to_text(last) + ":" + to_text(step));
  }
  const double steps = std::floor((last - first) / step + 1e-9);
  if (steps >= static_cast<double>(kMostThresholds)) {
    throw ArgumentError(option + " gives at most " + std::to_string(kMostThresholds) +
                        " thresholds, but a step of " + to_text(step) + " would give " +
                        significant(steps + 1, 6));
  }
  std::vector<double> thresholds;
  for (int i = 0; i <= static_cast<int>(steps); ++i) {
    thresholds.push_back(std::round((first + i * step) * 1e12) / 1e12);
  }
  return thresholds;
}

std::vector<double> thresholds_of(const std::string& option, const std::string& text) {
  const std::vector<std::string> ends = parts_of(text, ':');
  if (ends.size() == 2 || ends.size() == 3) {
    return threshold_range(option, threshold_number(option, ends[0], text),
                           threshold_number(option, ends[1], text),
                           ends.size() == 3 ? threshold_number(option, ends[2], text) : kStep);
  }
  std::vector<double> thresholds;
  for (const std::string& part : parts_of(text, ',')) {
    thresholds.push_back(threshold_number(option, part, text));
  }
  return thresholds;
}

Prices prices_of(const BenefitChoice& choice) {
  Prices prices;
  if (!choice.has_costs()) {
    prices.referral = choice.referral_cost;
    prices.out_of_scope = choice.scope_cost;
    return prices;
  }
  prices.miss = *choice.cost_miss;
  prices.false_alarm = choice.cost_false_alarm;
  prices.referral = choice.cost_referral;
  prices.out_of_scope = choice.cost_scope;
  return prices;
}

[[noreturn]] void refuse_value(const LogitsFile& file, const std::string& column,
                               std::size_t sample, const std::string& accepted) {
  throw DataError("the column '" + column + "' of " + file.path + " must hold " + accepted +
                  ", but sample " + std::to_string(sample) + " has '" +
                  column_values(file, column)[sample] + "'");
}

std::vector<std::uint8_t> scope_marks(const LogitsFile& file, const std::string& column) {
  const std::vector<std::string>& values = column_values(file, column);
  constexpr std::array<const char*, 4> yes = {"1", "true", "True", "yes"};
  constexpr std::array<const char*, 4> no = {"0", "false", "False", "no"};
  std::vector<std::uint8_t> marks;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_out = std::find(yes.begin(), yes.end(), values[i]) != yes.end();
    if (!is_out && std::find(no.begin(), no.end(), values[i]) == no.end()) {
      refuse_value(file, column, i, "1 or 0, true or false, yes or no");
    }
    marks.push_back(is_out ? 1 : 0);
  }
  return marks;
}

std::vector<Decision> verdicts_of(const LogitsFile& file, const std::string& column) {
  const std::vector<std::string>& values = column_values(file, column);
  std::vector<Decision> decisions;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == "accept") {
      decisions.push_back(Decision::kAccept);
    } else if (values[i] == "refer") {
      decisions.push_back(Decision::kRefer);
    } else if (values[i] == "out-of-scope") {
      decisions.push_back(Decision::kOutOfScope);
    } else {
      refuse_value(file, column, i, "accept, refer or out-of-scope");
    }
  }
  return decisions;
}

}  // namespace

void add_benefit_options(CLI::App& command, BenefitChoice& choice) {
  const auto add = [&](const char* name, auto& value, const std::string& help) {
    return command.add_option(choice.option(name), value, help)->group(choice.group);
  };
  CLI::Option* positive = add("positive", choice.positive,
                              "Classes that are the disease, by name or number: melanoma,bcc")
                              ->delimiter(',');
  const auto add_further = [&](const char* name, auto& value, const std::string& help) {
    CLI::Option* option = add(name, value, help);
    return choice.is_command() ? option : option->needs(positive);
  };
  if (choice.is_command()) {
    positive->required();
  } else {
    positive->allow_extra_args(false);
  }
  const std::string with_miss = "With " + choice.option("cost-miss") + ": ";
  add_further("threshold", choice.thresholds,
              "Probabilities of disease from which on is treated: FROM:TO[:STEP] (step 0.01) or a "
              "list");
  CLI::Option* refer = add_further("refer-above", choice.refer_above,
                                   "Refer answers of more uncertainty than this, in nats");
  CLI::Option* scope =
      add_further("out-of-scope", choice.scope_column,
                  "Column of 1 and 0: samples that are out of scope and go to the expert");
  add_further("verdict", choice.verdict_column,
              "Column of accept, refer and out-of-scope: the policy, decided elsewhere")
      ->excludes(refer)
      ->excludes(scope);
  CLI::Option* referral =
      add_further("referral-cost", choice.referral_cost,
                  "What a referral costs, in diseases found: 0.02 is one disease for 50 referrals");
  CLI::Option* scope_cost =
      add_further("out-of-scope-cost", choice.scope_cost,
                  "The same for a case out of scope (default: as a referral)");
  scope_cost->needs(referral);
  CLI::Option* miss = add_further(
      "cost-miss", choice.cost_miss,
      "Instead, in any one unit: what a missed disease costs; gives costs of 1000 patients");
  miss->excludes(referral)->excludes(scope_cost);
  CLI::Option* alarm = add_further("cost-false-alarm", choice.cost_false_alarm,
                                   with_miss + "what a false alarm costs");
  alarm->needs(miss);
  miss->needs(alarm);
  CLI::Option* cost_referral =
      add_further("cost-referral", choice.cost_referral, with_miss + "what a referral costs");
  cost_referral->needs(miss);
  add_further("cost-out-of-scope", choice.cost_scope,
              with_miss + "the same for a case out of scope (default: as a referral)")
      ->needs(cost_referral);
  add_further("expert-sensitivity", choice.expert.sensitivity,
              "Share of the disease that the expert finds among referred cases")
      ->capture_default_str();
  add_further("expert-specificity", choice.expert.specificity,
              "Share of the healthy that the expert leaves alone")
      ->capture_default_str();
  add_further("prevalence", choice.prevalence,
              "Share of the disease where the model is used (default: as in the file)");
}

BenefitOptions benefit_options(const BenefitChoice& choice) {
  BenefitOptions options;
  options.prices = prices_of(choice);
  options.expert = choice.expert;
  options.prevalence = choice.prevalence;
  check_prices(options.prices);
  if (choice.has_policy() && !options.prices.referral) {
    throw ArgumentError("a policy that refers needs the cost of a referral: " +
                        choice.option(choice.has_costs() ? "cost-referral" : "referral-cost"));
  }
  if (!choice.thresholds.empty()) {
    options.thresholds = thresholds_of(choice.option("threshold"), choice.thresholds);
  } else if (choice.has_costs()) {
    options.thresholds = {cheapest_threshold(options.prices)};
  } else {
    throw ArgumentError(choice.option("threshold") + " is required, such as 0.05:0.5, unless " +
                        choice.option("cost-miss") + " is given");
  }
  check_benefit_options(options);
  return options;
}

std::vector<std::uint8_t> positive_classes(const BenefitChoice& choice,
                                           const std::vector<std::string>& class_names) {
  std::vector<std::uint8_t> positive(class_names.size(), 0);
  for (const std::string& name : choice.positive) {
    positive[class_named(choice.option("positive"), name, class_names)] = 1;
  }
  return positive;
}

std::string policy_words(const BenefitChoice& choice) {
  if (!choice.verdict_column.empty()) return "as the column '" + choice.verdict_column + "' says";
  std::string text;
  if (choice.refer_above) {
    text = "refer where U > " + to_text(*choice.refer_above) + " nats";
  }
  if (!choice.scope_column.empty()) {
    text += std::string(text.empty() ? "" : ", ") + "out of scope where the column '" +
            choice.scope_column + "' says";
  }
  return text + ", else accept";
}

std::vector<Decision> policy_decisions(const BenefitChoice& choice, const LogitsFile& file,
                                       const Predictive& predictive) {
  if (!choice.has_policy()) return {};
  if (!choice.verdict_column.empty()) {
    return verdicts_of(file, choice.verdict_column);
  }
  const std::vector<std::uint8_t> out_of_scope = choice.scope_column.empty()
                                                     ? std::vector<std::uint8_t>{}
                                                     : scope_marks(file, choice.scope_column);
  return decisions_by_uncertainty(
      predictive.entropy, choice.refer_above.value_or(std::numeric_limits<double>::infinity()),
      out_of_scope);
}

}  // namespace cubcal::app
