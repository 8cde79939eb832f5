#include <algorithm>

#include "cubcal/metrics/selective.h"
#include "cubcal/plot/svg.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/sections.h"

namespace cubcal::report {

namespace {

struct Ranking {
  std::string name;
  const SampleFacts* facts;
  Certainty certainty;
  plot::Colour colour;
  plot::Stroke stroke;
  std::vector<double> risk;
};

std::vector<Ranking> rankings(const RunResult& run) {
  std::vector<Ranking> all;
  const auto add = [&](const std::string& after, const SampleFacts& facts, plot::Stroke stroke) {
    all.push_back(
        {"by uncertainty" + after, &facts, Certainty::kEntropy, plot::Colour::kBlue, stroke, {}});
    all.push_back({"by confidence" + after,
                   &facts,
                   Certainty::kConfidence,
                   plot::Colour::kVermillion,
                   stroke,
                   {}});
  };
  add("", run.facts, plot::Stroke::kSolid);
  if (const PostHoc* chosen = run.chosen_calibration()) {
    add(std::string(", ") + method_name(chosen->calibration.method), chosen->facts,
        plot::Stroke::kDotted);
  }
  for (Ranking& each : all) {
    each.risk = risk_coverage(*each.facts, each.certainty);
  }
  return all;
}

plot::ChartOptions share_axes(const char* title, const char* description) {
  plot::ChartOptions options;
  options.title = title;
  options.description = description;
  options.x_min = 0;
  options.x_max = 1;
  options.width = 480;
  options.height = 350;
  options.legend = plot::LegendPlace::kBelow;
  return options;
}

std::string risk_figure(const std::vector<Ranking>& all, double target, Figures& figures) {
  plot::ChartOptions options =
      share_axes("Risk and coverage", "Error rate among the answers against the share answered.");
  options.x_label = "coverage: share answered";
  options.y_label = "risk: error rate among them";
  options.y_min = 0;
  plot::Chart chart(options);
  for (const Ranking& each : all) {
    const auto samples = static_cast<double>(each.risk.size());
    std::vector<double> x;
    for (std::size_t i = 0; i < each.risk.size(); ++i) {
      x.push_back(static_cast<double>(i + 1) / samples);
    }
    chart.line({each.name, x, each.risk, each.colour, each.stroke});
  }
  plot::ReferenceLine line;
  line.direction = plot::Direction::kHorizontal;
  line.value = target;
  line.label = percent(target, 0);
  chart.reference(line);
  return figures.figure(chart,
                        "The most certain answers come first, from the left. Lower is "
                        "better; a rise at the far left means certain mistakes.",
                        "risk and coverage");
}

std::string referral_figure(const std::vector<Ranking>& all, Figures& figures) {
  plot::ChartOptions options =
      share_axes("Referral", "Accuracy of the answers against the share referred to a person.");
  options.x_label = "share referred to a person";
  options.y_label = "accuracy of the rest";
  options.x_max = 0.9;  // of the last few percent single answers decide
  options.y_max = 1;
  plot::Chart chart(options);
  for (const Ranking& each : all) {
    const auto samples = static_cast<double>(each.risk.size());
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t i = each.risk.size(); i > 0; --i) {
      const double referred = 1 - static_cast<double>(i) / samples;
      if (referred > 0.9 && !x.empty()) break;
      x.push_back(referred);
      y.push_back(1 - each.risk[i - 1]);
    }
    chart.line({each.name, x, y, each.colour, each.stroke});
  }
  return figures.figure(chart,
                        "The same the other way round: what remains to be answered after "
                        "the most uncertain cases were handed over.",
                        "referral");
}

std::string ranking_table(const std::vector<Ranking>& all) {
  constexpr double kCoverages[] = {0.5, 0.7, 0.8, 0.9};
  constexpr double kTargets[] = {0.01, 0.05, 0.1};
  std::vector<std::string> header{"Ranking", "AURC"};
  for (const double coverage : kCoverages) {
    header.push_back("accuracy of " + percent(coverage, 0));
  }
  for (const double target : kTargets)
    header.push_back("answered at " + percent(target, 0) + " risk");
  Table table(header, "Accuracy of the most certain share, and the largest share within a risk.");
  for (const Ranking& each : all) {
    double area = 0;
    for (const double risk : each.risk) area += risk / static_cast<double>(each.risk.size());
    std::vector<std::string> cells{each.name, percent(area, 2)};
    for (const double coverage : kCoverages) {
      cells.push_back(percent(accuracy_at_coverage(each.risk, coverage)));
    }
    for (const double target : kTargets) {
      const std::optional<double> coverage = coverage_at_risk(each.risk, target);
      cells.push_back(coverage ? percent(*coverage) : "–");
    }
    table.add(cells);
  }
  return table.html();
}

}  // namespace

std::string referral_section(const RunResult& run, Figures& figures) {
  const std::vector<Ranking> all = rankings(run);
  return section("Referral to a person", figure_row(risk_figure(all, run.referral.target, figures) +
                                                    referral_figure(all, figures)) +
                                             ranking_table(all));
}

}  // namespace cubcal::report
