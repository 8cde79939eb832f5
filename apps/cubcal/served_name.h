#pragma once

#include <string>

#include "cubcal/answer.h"

namespace cubcal::app {

struct NamedFolder {
  std::string name;
  std::string folder;
};

/// What a model is served under: what the word says before '=', else the last part of the folder's
/// path, where that is "best" or "last" of a run the run's, with other signs as '-'.
NamedFolder named_folder(const std::string& word);

/// Prints a line about a model that answers from now on, and its warnings to stderr.
void print_served_model(const std::string& name, const ModelFacts& facts);

}  // namespace cubcal::app
