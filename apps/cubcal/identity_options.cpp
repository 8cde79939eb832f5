#include "identity_options.h"

#include "cubcal/io/utc_time.h"
#include "option_checks.h"

namespace cubcal::app {

void add_identity_options(CLI::App& command, IdentityChoice& choice,
                          const std::string& status_else) {
  command.add_option("--name", choice.name, "What the model is called");
  command.add_option("--version", choice.version,
                     "Its version (default: 1, or the one after its last)");
  command.add_option("--intended-use", choice.intended_use,
                     "What it is for and on whom, a sentence or two");
  std::vector<std::string> statuses;
  for (const NamedValue<ModelStatus>& status : kModelStatuses) statuses.push_back(status.name);
  command
      .add_option("--status", choice.status,
                  "What it may be used for at most (default: " + status_else + ")")
      ->type_name(one_of(statuses));
}

ModelIdentity chosen_identity(const IdentityChoice& choice,
                              const std::optional<ModelIdentity>& earlier,
                              const std::string& name_else) {
  ModelIdentity identity = earlier.value_or(ModelIdentity{});
  if (!choice.name.empty()) identity.name = choice.name;
  if (identity.name.empty()) identity.name = name_else;
  if (!choice.version.empty()) identity.version = choice.version;
  if (!choice.intended_use.empty()) identity.intended_use = choice.intended_use;
  if (!choice.status.empty()) {
    identity.status = value_named(kModelStatuses, choice.status, "--status");
  }
  identity.made = utc_time();
  check_identity(identity);
  return identity;
}

std::string identity_text(const ModelIdentity& identity) {
  return identity.name + " " + identity.version + " (" + name_of(kModelStatuses, identity.status) +
         ")";
}

}  // namespace cubcal::app
