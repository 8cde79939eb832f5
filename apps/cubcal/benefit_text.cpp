#include "benefit_text.h"

#include "cubcal/benefit/benefit_words.h"
#include "cubcal/core/check.h"
#include "cubcal/core/words.h"
#include "number_text.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

/// More rows are thinned on the screen.
constexpr std::size_t kMostRowsShown = 12;

/// Of the intervals, where there are some.
std::optional<double> level_of(const BenefitReport& result) {
  if (!result.bootstrap) return std::nullopt;
  return result.bootstrap->level;
}

std::size_t index_of(Strategy strategy) { return static_cast<std::size_t>(strategy); }

void print_head(std::ostream& out, const std::string& title, const BenefitReport& result) {
  const BenefitPoint& point = result.curve.points.front();
  out << title << '\n'
      << (result.calibration
              ? std::string("Calibrated with ") + method_name(result.calibration->method) + ".\n"
              : "")
      << "\nDisease   " << joined(result.positive, ", ") << ": " << result.diseased << " of "
      << result.cases << " samples ("
      << in_percent(static_cast<double>(result.diseased) / static_cast<double>(result.cases))
      << "%)";
  if (result.curve.options.prevalence) {
    out << ", weighed to a prevalence of " << significant(100 * point.prevalence, 6) << '%';
  }
  out << "\nTreated   by the model where its probability is at least the threshold pt\n";
  if (result.has_policy()) {
    const StrategyOutcome& policy = point.outcome(Strategy::kPolicy);
    out << "Policy    " << result.policy << ": " << in_percent(policy.referred)
        << "% referred (R), " << in_percent(policy.out_of_scope) << "% out of scope (O)\n";
  }
  out << "Worth     " << benefit_formula(result.curve) << '\n';
  if (result.curve.options.prices.referral) {
    out << "Assumed   " << expert_words(result.curve.options.expert) << '\n';
  }
  out << '\n';
}

/// At most so many rows, evenly chosen, the first among them.
std::size_t row_stride(std::size_t rows) { return (rows + kMostRowsShown - 1) / kMostRowsShown; }

}  // namespace

void print_benefit(std::ostream& out, const std::string& title, const BenefitReport& result) {
  print_head(out, title, result);
  TextTable table(benefit_header(result.curve, level_of(result)));
  const std::size_t rows = result.curve.points.size();
  const std::size_t stride = row_stride(rows);
  for (std::size_t p = 0; p < rows; p += stride) {
    table.add(benefit_row(result.curve, p, level_of(result)));
  }
  out << (result.is_cost() ? "Cost of 1000 patients" : "Net benefit: diseases found per patient")
      << '\n'
      << table;
  if (stride > 1) {
    out << "One in " << stride << " of " << rows << " thresholds is shown.\n";
  }
  if (result.has_policy()) {
    out << "Referral worth: the cost of a referral at which the policy gains nothing on answering "
           "everything.\n";
  }
  if (result.bootstrap) {
    out << significant(100 * result.bootstrap->level, 6)
        << "% intervals: " << result.bootstrap->replicates << " bootstrap replicates of "
        << (result.bootstrap_by_group ? "whole groups" : "samples") << ".\n";
  }
  out << '\n';
  out << best_words(result.curve, level_of(result)) << '\n';
  if (result.has_policy()) out << gain_words(result.curve, level_of(result)) << '\n';
  if (result.diseased == 0 || result.diseased == result.cases) {
    out << (result.diseased == 0 ? "None" : "All")
        << " of the samples have the disease: these numbers say little.\n";
  }
}

PaperTable benefit_table(const BenefitReport& result) {
  const BenefitCurve& curve = result.curve;
  PaperTable table;
  table.texts.header = benefit_header(curve, level_of(result));
  table.csv_header = {"threshold", "strategy",     "value",    "low",         "high",
                      "missed",    "false_alarms", "referred", "out_of_scope"};
  for (std::size_t p = 0; p < curve.points.size(); ++p) {
    table.texts.rows.push_back(benefit_row(curve, p, level_of(result)));
    const BenefitPoint& point = curve.points[p];
    for (const Strategy strategy : curve.strategies) {
      const StrategyOutcome& outcome = point.outcome(strategy);
      std::vector<std::string> row{to_text(point.threshold), strategy_label(strategy).key,
                                   to_text(point.value(strategy))};
      const std::vector<std::string> ends = exact_interval(
          result.bootstrap ? curve.intervals[p].values[index_of(strategy)] : std::nullopt);
      row.insert(row.end(), ends.begin(), ends.end());
      for (const double share :
           {outcome.missed, outcome.false_alarms, outcome.referred, outcome.out_of_scope}) {
        row.push_back(to_text(share));
      }
      table.csv_rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace cubcal::app
