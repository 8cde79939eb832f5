#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cubcal/record/model_identity.h"

namespace cubcal::app {

/// What the command line says of a model's name; empty where it says nothing.
struct IdentityChoice {
  std::string name;
  std::string version;
  std::string intended_use;
  std::string status;

  bool is_given() const {
    return !(name.empty() && version.empty() && intended_use.empty() && status.empty());
  }
};

/// `status_else` says what the status is where it is not given.
void add_identity_options(CLI::App& command, IdentityChoice& choice,
                          const std::string& status_else);

/// The identity that was there with what the choice changes, made now and not yet of another
/// version; without one there before, that of a first version called `name_else`.
ModelIdentity chosen_identity(const IdentityChoice& choice,
                              const std::optional<ModelIdentity>& earlier,
                              const std::string& name_else);

/// "skin lesions 2 (research)".
std::string identity_text(const ModelIdentity& identity);

}  // namespace cubcal::app
