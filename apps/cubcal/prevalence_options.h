#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/prevalence/study.h"

namespace cubcal::app {

/// What the command line says of another prevalence.
struct PrevalenceChoice {
  std::string prefix = "--";      ///< in front of every option, "--prevalence-" of a report
  std::string group = "Options";  ///< of the help
  std::vector<std::string> to;
  std::vector<std::string> from;
  std::optional<double> refer_above;

  std::string option(const std::string& name) const { return prefix + name; }
};

/// Adds --to, --from and --refer-above, called as `choice.prefix` says.
void add_prevalence_options(CLI::App& command, PrevalenceChoice& choice);

/// What a study is to look at, of labelled samples with these shares of classes. Throws
/// ArgumentError as class_shares does.
PrevalenceOptions prevalence_options(const PrevalenceChoice& choice,
                                     const std::vector<std::string>& class_names,
                                     const ClassShares& labels);

/// Shares from "melanoma=0.02,nevus=0.9", "equal" or "labels", which is `base`. Classes that are
/// not named have what is left, in proportion to `base`. Throws ArgumentError, naming the option,
/// for anything else and for shares that cannot sum to 1.
ClassShares class_shares(const std::string& option, const std::vector<std::string>& words,
                         const std::vector<std::string>& class_names, const ClassShares& base);

}  // namespace cubcal::app
