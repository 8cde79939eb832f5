#include "cubcal/core/words.h"
#include "cubcal/plot/svg.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/sections.h"
#include "cubcal/version.h"

namespace cubcal::report {

namespace {

std::string row(const std::string& name, const std::string& value) {
  return element("dt", escaped(name)) + element("dd", escaped(value)) + "\n";
}

std::string convention(const ReportOptions& options) {
  return std::to_string(options.metrics.bins) +
         " bins of equal width over [0, 1], (low, high], exact 0 in the first; γ " +
         plot::readable_number(options.metrics.gamma) + "; η " +
         plot::readable_number(options.metrics.uncertainty_threshold) +
         " nats; NLL with p floored at 1e-12; of equal probabilities the lowest class";
}

}  // namespace

std::string card_section(const RunResult& run, const ReportOptions& options) {
  std::string rows;
  for (const CardRow& each : run.record.card) rows += row(each.name, each.value);
  if (run.record.card.empty()) {
    rows += row("Network", "not known: the report was made from logits alone");
  }
  rows += row("Classes", joined(run.class_names));
  for (const CardRow& each : run.inputs) rows += row(each.name, each.value);
  rows += row("Conventions", convention(options));
  rows += row("Bootstrap", grouped(options.bootstrap.replicates) + " replicates by " +
                               (run.groups.empty() ? "sample" : "group") + ", seed " +
                               std::to_string(options.bootstrap.seed));
  rows += row("Report", std::string("cubcal ") + kVersion);
  rows += row("Limits",
              "A research tool, not a medical device. Everything here holds for images like these "
              "test images; another hospital, device or patient group can differ in ways that the "
              "uncertainty does not show. Labels are taken as true.");
  std::string html = "<dl class=\"card\">\n" + rows + "</dl>\n";
  if (!run.record.recipe.empty()) {
    const bool is_cut = run.record.recipe.find("…/") != std::string::npos;
    html += "<details><summary>Recipe" + std::string(is_cut ? ", absolute paths shortened" : "") +
            "</summary>" + element("pre", escaped(run.record.recipe), "tabindex=\"0\"") +
            "</details>\n";
  }
  return section("Model card", html);
}

}  // namespace cubcal::report
