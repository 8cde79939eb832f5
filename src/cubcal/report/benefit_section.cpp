#include "cubcal/benefit/benefit_chart.h"
#include "cubcal/benefit/benefit_words.h"
#include "cubcal/core/words.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/sections.h"

namespace cubcal::report {

namespace {

/// More rows are thinned.
constexpr std::size_t kMostThresholdsShown = 12;

/// Words and numbers of a terminal with the minus sign of the page: "-0.003" as "−0.003".
std::string with_minus(const std::string& text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == ' ' || text[i - 1] == '[' || text[i - 1] == '(';
    const bool is_minus =
        text[i] == '-' && begins && i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9';
    shown += is_minus ? std::string("−") : std::string(1, text[i]);
  }
  return shown;
}

std::string benefit_setting(const BenefitStudy& study) {
  const BenefitPoint& point = study.curve.points.front();
  std::string text = "The disease is " + joined(study.positive) + ": " + grouped(study.diseased) +
                     " of " + counted(study.cases, "test image");
  if (study.curve.options.prevalence) {
    text += ", weighed to a prevalence of " + percent(point.prevalence);
  }
  text += ". The model treats where its probability is at least the threshold pt.";
  if (!study.policy.empty()) {
    const StrategyOutcome& policy = point.outcome(Strategy::kPolicy);
    text += " The policy: " + study.policy + "; " + percent(policy.referred) + " referred (R), " +
            percent(policy.out_of_scope) + " out of scope (O).";
  }
  text += " Worth: " + benefit_formula(study.curve) + ".";
  if (study.curve.options.prices.referral) {
    text += " Assumed: " + expert_words(study.curve.options.expert) + ".";
  }
  return text;
}

std::string benefit_rows(const BenefitCurve& curve, double level) {
  const std::size_t rows = curve.points.size();
  const std::size_t stride = (rows + kMostThresholdsShown - 1) / kMostThresholdsShown;
  std::string caption = std::string("By threshold: ") + benefit_unit(curve) + ".";
  if (stride > 1) {
    caption += " One in " + std::to_string(stride) + " of " + std::to_string(rows) + " is shown.";
  }
  if (curve.subject() == Strategy::kPolicy) {
    caption +=
        " Referral worth: the cost of a referral at which the policy gains nothing on answering "
        "everything.";
  }
  Table table(benefit_header(curve, level), caption);
  for (std::size_t p = 0; p < rows; p += stride) {
    std::vector<std::string> row = benefit_row(curve, p, level);
    for (std::string& cell : row) cell = with_minus(cell);
    table.add(row);
  }
  return table.html();
}

}  // namespace

std::string benefit_section(const RunResult& run, const ReportOptions& options, Figures& figures) {
  if (!run.studies.benefit) return {};
  const BenefitStudy& study = *run.studies.benefit;
  const BenefitCurve& curve = study.curve;
  const double level = options.bootstrap.level;
  std::string words = best_words(curve, level);
  if (!study.policy.empty()) words += " " + gain_words(curve, level);
  if (study.diseased == 0 || study.diseased == study.cases) {
    words += study.diseased == 0
                 ? " None of the images shows the disease: these numbers say little."
                 : " All of the images show the disease: these numbers say little.";
  }
  std::string html = paragraph(with_minus(words)) +
                     paragraph(benefit_setting(study) + " " + study_basis(run, options), "muted");
  if (curve.points.size() > 1) {
    constexpr double kWidth = 480;
    html += figure_row(figures.figure(benefit_curve_chart(curve, kWidth), "", "net benefit"));
  }
  return section("Net benefit", html + benefit_rows(curve, level));
}

}  // namespace cubcal::report
