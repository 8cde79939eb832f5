#pragma once

#include <string>
#include <vector>

#include "cubcal/report/run_result.h"

namespace cubcal::report {

/// What a reader in a hurry needs to know of a model, in plain words.
struct Verdict {
  std::string accuracy;
  std::string honesty;
  std::string referral;
  std::vector<std::string> beware;  ///< a sentence or two each
};

Verdict verdict_of(const RunResult& run);

}  // namespace cubcal::report
