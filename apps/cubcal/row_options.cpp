#include "row_options.h"

namespace cubcal::app {

Selection RowOptions::selection() const {
  Selection selection;
  for (const std::string& filter : where) selection.where.push_back(parse_row_filter(filter));
  selection.hold_out = hold_out;
  selection.drop_class = drop;
  return selection;
}

void add_row_options(CLI::App& command, RowOptions& options) {
  command.add_option("--where", options.where,
                     "Rows to keep: column=value[,value] or column!=value (may be repeated)");
  command.add_option("--hold-out", options.hold_out,
                     "Class that becomes out-of-distribution data (may be repeated)");
  command.add_option("--drop", options.drop, "Class to leave out (may be repeated)");
  for (const char* name : {"--where", "--hold-out", "--drop"}) {
    command.get_option(name)->allow_extra_args(false)->multi_option_policy(
        CLI::MultiOptionPolicy::TakeAll);
  }
}

}  // namespace cubcal::app
