#include "cubcal/conformal/verdict_promises.h"
#include "cubcal/core/check.h"
#include "cubcal/metrics/binomial.h"
#include "cubcal/plot/svg.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/sections.h"

namespace cubcal::report {

namespace {

std::string card_row(const std::string& name, const std::string& value) {
  if (value.empty()) return {};
  return element("dt", escaped(name)) + element("dd", escaped(value)) + "\n";
}

std::string calibration_text(const std::optional<Calibration>& calibration) {
  if (!calibration) return "none: probabilities are the network's own";
  std::string text = method_name(calibration->method);
  text += is_scalar(calibration->method) ? ", temperature " + fixed(calibration->t_high, 3)
                                         : ", temperatures " + fixed(calibration->t_high, 3) +
                                               " and " + fixed(calibration->t_low, 3);
  return text + ", fitted on " + counted(calibration->samples, "validation image");
}

std::string referral_rule(const VerdictRecord& verdict) {
  std::string text = "U above " + significant(verdict.uncertainty, 4) + " nats, with " +
                     std::to_string(verdict.passes) + (verdict.passes == 1 ? " pass" : " passes");
  const VerdictOptions& options = verdict.options;
  if (options.costs) text += ", which cost least on the validation images";
  return text;
}

std::string scope_rule(const VerdictRecord& verdict) {
  return "p at most " + plot::readable_number(verdict.options.alpha) + " by the detector “" +
         verdict.detector + "”, against " + counted(verdict.validation.samples, "validation image");
}

std::string probes_text(const VerdictRecord& verdict) {
  std::size_t images = 0;
  std::size_t accepted = 0;
  for (const ProbeRates& each : verdict.probes) {
    images += each.rates.samples;
    accepted += each.rates.accepted;
  }
  if (images == 0) return {};
  return grouped(accepted) + " of " + grouped(images) +
         " images of noise, blank, inverted, shuffled and recoloured images accepted";
}

/// "61.2%" over "57.9 to 64.4".
std::string share_cell(std::size_t count, std::size_t of) {
  constexpr double kLevel = 0.975;
  if (of == 0) return "–";
  return percent(static_cast<double>(count) / static_cast<double>(of)) + "\n" +
         in_percent(lower_bound_of_share(count, of, kLevel)) + " to " +
         in_percent(upper_bound_of_share(count, of, kLevel));
}

void add_rates(Table& table, const std::string& name, const VerdictRates& rates) {
  table.add({name, grouped(rates.samples), share_cell(rates.accepted, rates.samples),
             share_cell(rates.referred, rates.samples),
             share_cell(rates.out_of_scope, rates.samples),
             share_cell(rates.errors, rates.accepted), grouped(rates.errors)});
}

std::string decisions_table(const VerdictRecord& verdict,
                            const std::vector<std::string>& class_names) {
  const VerdictOutcome& achieved = verdict.achieved;
  if (!achieved.id) {
    return paragraph("How it decides on images that nothing was fitted on was not kept.", "muted");
  }
  Table table(
      {"Test images", "images", "accepted", "referred", "out of scope", "wrong of the accepted",
       "wrong and accepted"},
      "What it decides on images that nothing was fitted on, by true class. Below each share "
      "its exact 95% interval, every image taken as independent.");
  add_rates(table, "All", *achieved.id);
  for (std::size_t k = 0; k < achieved.by_class.size(); ++k) {
    add_rates(table, k < class_names.size() ? class_names[k] : "class " + std::to_string(k),
              achieved.by_class[k]);
  }
  if (achieved.ood) add_rates(table, "Of no class", *achieved.ood);
  return table.html();
}

std::string state_text(PromiseState state) {
  switch (state) {
    case PromiseState::kKept: return "Kept: ";
    case PromiseState::kMissed: return "Missed: ";
    case PromiseState::kUnclear: return "Not kept by these images, which chance may explain: ";
    default: return "Not known: ";
  }
}

std::string promises(const VerdictRecord& verdict, const std::vector<std::string>& class_names) {
  std::string list;
  for (const VerdictPromise& each : verdict_promises(verdict)) {
    const std::string text =
        escaped(state_text(each.state) + promise_text(each, class_names)) + ".";
    list +=
        element("li", each.state == PromiseState::kMissed ? element("strong", text) : text) + "\n";
  }
  if (const std::optional<VerdictCosts>& costs = verdict.options.costs) {
    std::string text =
        "No promise: an image costs " + fixed(mean_cost(*costs, verdict.validation_by_class), 3) +
        " on validation, where referring all costs " + plot::readable_number(costs->referral);
    if (!verdict.achieved.by_class.empty()) {
      text +=
          ", and " + fixed(mean_cost(*costs, verdict.achieved.by_class), 3) + " on the test images";
    }
    list += element("li", escaped(text) + ".") + "\n";
  }
  return "<ul class=\"notes\">\n" + list + "</ul>\n";
}

}  // namespace

std::string deployed_section(const RunResult& run) {
  if (!run.deployed) return {};
  const DeployedModel& model = *run.deployed;
  std::string rows;
  if (model.identity) {
    rows +=
        card_row("Name", model.identity->name) + card_row("Version", model.identity->version) +
        card_row("Status", name_of(kModelStatuses, model.identity->status)) +
        card_row("Intended use",
                 model.identity->intended_use.empty() ? "not said" : model.identity->intended_use) +
        card_row("Made", model.identity->made);
  }
  rows += card_row("Hash of the weights", model.weights_hash) +
          card_row("Hash of the data", model.data_hash) +
          card_row("Calibration", calibration_text(model.calibration));
  std::string html;
  if (model.verdict) {
    rows += card_row("Referred", referral_rule(*model.verdict)) +
            card_row("Out of scope", scope_rule(*model.verdict)) +
            card_row("Probes", probes_text(*model.verdict));
    html = decisions_table(*model.verdict, run.class_names) + element("h3", "Promises") + "\n" +
           promises(*model.verdict, run.class_names);
  } else if (model.has_stale_verdict) {
    rows += card_row("Verdict",
                     "not in force: it was fitted for another calibration, and no image is "
                     "answered until it is fitted again");
  } else {
    rows += card_row("Verdict",
                     "none: an answer is referred where U is above the threshold of "
                     "certainty, and nothing is called out of scope");
  }
  return "<section id=\"deployed\">\n" + element("h2", "The model in use") +
         "\n<dl class=\"card\">\n" + rows + "</dl>\n" + html + "</section>\n";
}

}  // namespace cubcal::report
