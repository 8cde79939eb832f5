#include <iostream>
#include <memory>

#include "commands.h"
#include "cubcal/boundary/curve.h"
#include "cubcal/boundary/thresholds.h"
#include "cubcal/core/check.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/report/boundary_figure.h"
#include "logits_input.h"
#include "number_text.h"
#include "option_checks.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

struct BoundaryOptions {
  std::size_t classes = 0;
  std::optional<double> eta;
  std::optional<double> gamma;
  std::string svg;
};

/// eta and gamma are two names of one operating point: U_min(gamma) = eta.
void complete(double& eta, double& gamma, const BoundaryOptions& options) {
  eta = options.eta.value_or(kDefaultEta);
  gamma = options.gamma.value_or(kDefaultGamma);
  if (options.gamma && !options.eta) {
    check_in_open("gamma", gamma, 0.5, 1.0);
    eta = u_min(gamma, options.classes);
  } else if (options.eta && !options.gamma) {
    gamma = thresholds_from_eta(eta, options.classes).gamma_low;
  }
}

void boundary(const BoundaryOptions& options) {
  if (!options.svg.empty()) check_svg_name(options.svg);
  double eta = 0;
  double gamma = 0;
  complete(eta, gamma, options);
  check_gamma(gamma, options.classes);
  const Thresholds thresholds = thresholds_from_eta(eta, options.classes);
  if (!options.svg.empty()) {
    write_file_atomically(options.svg, report::boundary_figure(options.classes, gamma, thresholds));
  }

  std::cout << "Confidence–uncertainty boundary for " << options.classes << " classes, in nats\n\n"
            << "  γ       " << fixed(gamma, 6) << "   the curve is U_max up to here, U_min above\n"
            << "  η       " << fixed(eta, 6) << "   uncertainty threshold\n"
            << "  γ_low   " << fixed(thresholds.gamma_low, 6) << "   where U_min = η\n"
            << "  γ_high  " << fixed(thresholds.gamma_high, 6) << "   where U_max = η\n\n";
  TextTable table({"confidence", "U_min", "attainable min", "U_max", "U_ideal"});
  const double lowest = 1.0 / static_cast<double>(options.classes);
  std::vector<double> confidences{lowest};
  for (int tenth = 1; tenth <= 9; ++tenth) {
    if (tenth / 10.0 > lowest + 1e-9) confidences.push_back(tenth / 10.0);
  }
  for (const double c : {0.95, 0.99, 1.0}) confidences.push_back(c);
  for (const double c : confidences) {
    table.add({fixed(c, 4), fixed(u_min(c, options.classes), 4),
               fixed(u_min_attainable(c, options.classes), 4), fixed(u_max(c, options.classes), 4),
               fixed(u_ideal(c, options.classes, gamma), 4)});
  }
  std::cout << table;
  if (!options.svg.empty()) std::cout << "\nwrote " << options.svg << '\n';
}

}  // namespace

void add_boundary(CLI::App& app) {
  auto options = std::make_shared<BoundaryOptions>();
  CLI::App* command = app.add_subcommand(
      "boundary", "The confidence–uncertainty boundary curve and its thresholds");
  command->add_option("--classes", options->classes, "Number of classes")
      ->required()
      ->check(within(std::size_t{2}, std::size_t{1000000}));
  command->add_option("--eta", options->eta,
                      "Uncertainty threshold in nats, in (0, ln 2) (default 0.325)");
  command->add_option("--gamma", options->gamma,
                      "Confidence at which the curve changes sides (default 0.9)");
  command->add_option("--svg", options->svg, "Draw the curve and the scaling regions");
  command->footer(
      "Given one of --eta and --gamma, the other follows from U_min(γ) = η.\n\n"
      "Example:\n"
      "  cubcal boundary --classes 3 --svg curve.svg");
  command->callback([options] { boundary(*options); });
}

}  // namespace cubcal::app
