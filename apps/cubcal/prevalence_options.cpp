#include "prevalence_options.h"

#include <cmath>

#include "class_choice.h"
#include "cubcal/core/check.h"

namespace cubcal::app {

namespace {

constexpr double kRounding = 1e-6;  ///< of shares that people type

/// Fills the shares of classes that nobody named.
void share_out(const std::string& option, ClassShares& shares, const std::vector<bool>& is_named,
               double named, const ClassShares& base) {
  double base_left = 0;
  bool all_named = true;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    all_named = all_named && is_named[k];
    if (!is_named[k]) base_left += base[k];
  }
  const double left = 1 - named;
  if (all_named || left < 0) {
    if (std::abs(left) > kRounding) {
      throw ArgumentError("the shares of " + option + " must sum to 1" +
                          (all_named ? "" : " at most") + ", not to " + significant(named, 6));
    }
    for (double& share : shares) share /= named;
    return;
  }
  if (base_left == 0 && left > kRounding) {
    throw ArgumentError("the classes that " + option + " does not name have no sample to share " +
                        significant(left, 6) + " out by: name them too");
  }
  for (std::size_t k = 0; k < shares.size(); ++k) {
    if (!is_named[k]) shares[k] = base_left == 0 ? 0 : left * base[k] / base_left;
  }
}

}  // namespace

void add_prevalence_options(CLI::App& command, PrevalenceChoice& choice) {
  const auto add_shares = [&](const char* name, std::vector<std::string>& words, const char* help) {
    command.add_option(choice.option(name), words, help)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->group(choice.group);
  };
  add_shares("to", choice.to,
             "The new prevalence: CLASS=SHARE,... (classes not named share the rest as labelled), "
             "or 'equal'");
  add_shares("from", choice.from,
             "The prevalence that the probabilities are made for: CLASS=SHARE,..., 'equal' or "
             "'labels' (default: the one that fits the labelled file best)");
  command
      .add_option(choice.option("refer-above"), choice.refer_above,
                  "What becomes of the errors among answers up to this uncertainty, in nats, and "
                  "the threshold that keeps them")
      ->group(choice.group);
}

PrevalenceOptions prevalence_options(const PrevalenceChoice& choice,
                                     const std::vector<std::string>& class_names,
                                     const ClassShares& labels) {
  PrevalenceOptions options;
  options.class_names = class_names;
  if (!choice.to.empty()) {
    options.to = class_shares(choice.option("to"), choice.to, class_names, labels);
  }
  if (!choice.from.empty()) {
    options.from = class_shares(choice.option("from"), choice.from, class_names, labels);
  }
  options.accept_up_to = choice.refer_above;
  return options;
}

ClassShares class_shares(const std::string& option, const std::vector<std::string>& words,
                         const std::vector<std::string>& class_names, const ClassShares& base) {
  const std::size_t classes = class_names.size();
  if (words.size() == 1 && words[0] == "equal") {
    return ClassShares(classes, 1 / static_cast<double>(classes));
  }
  if (words.size() == 1 && words[0] == "labels") return base;
  ClassShares shares(classes, 0.0);
  std::vector<bool> is_named(classes, false);
  double named = 0;
  for (const std::string& word : words) {
    const std::optional<NamedNumber> share = named_number(word);
    if (!share || !(share->number >= 0 && share->number <= 1)) {
      throw ArgumentError(option +
                          " takes equal, labels or CLASS=SHARE with a share in [0, 1], not '" +
                          word + "'");
    }
    const std::size_t k = class_named(option, share->name, class_names);
    if (is_named[k]) {
      throw ArgumentError(option + " names the class '" + class_names[k] + "' twice");
    }
    is_named[k] = true;
    shares[k] = share->number;
    named += share->number;
  }
  share_out(option, shares, is_named, named, base);
  return shares;
}

}  // namespace cubcal::app
