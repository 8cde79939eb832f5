#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "cli/program.h"

/// Every command of the network half that makes or changes a run or a model, as the tests of faults
/// and kills run it.
namespace cubcal::test {

/// Writes into the folder out/, from what make_networks() puts beside it. Once more, it goes on
/// with what is there.
struct NetworkCommand {
  std::string name;
  std::vector<std::string> arguments;
  std::string last_file;     ///< of out/, which is there when all is done
  std::string earlier = "";  ///< the folder that is copied to out/ before; none: nothing is there
  std::string words = "";    ///< of an answer by the model in out/, the earlier one or the new;
                             ///< where there is no earlier one, when all is done
};

inline void PrintTo(const NetworkCommand& command, std::ostream* out) { *out << command.name; }

const std::vector<NetworkCommand>& network_commands();

/// What the commands start from: a recipe, a run, models, a calibration, images. The folder must be
/// empty.
void make_networks(const std::filesystem::path& folder);

/// Puts out/ as it is before the command.
void reset_out(const std::filesystem::path& folder, const NetworkCommand& command);

/// Runs the program in the folder and expects exit code 0.
Outcome run_well(const std::vector<std::string>& arguments, const std::filesystem::path& folder);

/// Expects the model in out/, where the command has one, to answer.
void expect_it_answers(const std::filesystem::path& folder, const NetworkCommand& command,
                       const std::string& after);

}  // namespace cubcal::test
