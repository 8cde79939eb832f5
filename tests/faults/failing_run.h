#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/program.h"

namespace cubcal::test {

/// Which call of the operating system fails (failing_calls.cpp), and why.
struct Fault {
  std::string call;
  long number;
  int reason;

  std::string text() const { return call + " " + std::to_string(number); }
};

struct FailingRun {
  Outcome outcome;
  bool struck;  ///< false where the program made fewer calls
};

/// Runs the program in the folder, which the mark of the fault is put into.
FailingRun run_with(const Fault& fault, const std::vector<std::string>& arguments,
                    const std::filesystem::path& folder);

/// Expects exit code 1 and one sentence where it was struck, and exit code 0 where it was not.
void expect_sentence(const FailingRun& run, const std::string& after);

/// Whether CUBCAL_FAULTS=all asks for every call.
bool every_call_is_wanted();

}  // namespace cubcal::test
