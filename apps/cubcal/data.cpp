#include "commands.h"
#include "data_commands.h"

namespace cubcal::app {

void add_data(CLI::App& app) {
  CLI::App* command = app.add_subcommand("data", "Look at data sets of images and prepare them");
  command->require_subcommand(1);
  add_data_inspect(*command);
  add_data_split(*command);
  add_data_pack(*command);
}

}  // namespace cubcal::app
