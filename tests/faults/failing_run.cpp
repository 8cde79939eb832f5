#include "faults/failing_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace cubcal::test {

FailingRun run_with(const Fault& fault, const std::vector<std::string>& arguments,
                    const std::filesystem::path& folder) {
  const std::filesystem::path mark = folder / "failed";
  std::filesystem::remove(mark);
  const Outcome outcome = run_cubcal(arguments, folder,
                                     {{"LD_PRELOAD", CUBCAL_FAILING_CALLS},
                                      {"CUBCAL_FAIL", fault.call},
                                      {"CUBCAL_FAIL_AT", std::to_string(fault.number)},
                                      {"CUBCAL_FAIL_WITH", std::to_string(fault.reason)},
                                      {"CUBCAL_FAIL_MARK", mark.string()}});
  return {outcome, std::filesystem::exists(mark)};
}

void expect_sentence(const FailingRun& run, const std::string& after) {
  const std::string& err = run.outcome.err;
  EXPECT_EQ(run.outcome.exit_code, run.struck ? 1 : 0) << after << ": " << err;
  if (!run.struck) return;
  const std::size_t start = err.rfind("cubcal: ");
  ASSERT_NE(start, std::string::npos) << after << ": '" << err << "'";
  const std::string sentence = err.substr(start);
  EXPECT_EQ(std::count(sentence.begin(), sentence.end(), '\n'), 1) << after << ": " << sentence;
  EXPECT_EQ(sentence.back(), '\n') << after << ": " << sentence;
}

bool every_call_is_wanted() {
  const char* wanted = std::getenv("CUBCAL_FAULTS");
  return wanted != nullptr && std::string(wanted) == "all";
}

}  // namespace cubcal::test
