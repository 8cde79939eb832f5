#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/conformal/verdict_record.h"

namespace cubcal {

enum class PromiseKind {
  kOutOfScope,   ///< at most alpha of the images are called out of scope
  kRisk,         ///< at most the risk target of the accepted answers is wrong
  kMisses,       ///< at most a share of the images of a class is accepted with a wrong answer
  kSensitivity,  ///< at least a share of the accepted images of a class is answered right
};

/// Whether images that nothing was fitted on speak against a promise.
enum class PromiseState {
  kUnknown,  ///< there were none
  kKept,
  kUnclear,  ///< not kept by these images, and the interval holds the promise
  kMissed    ///< the whole interval lies beyond it
};

/// What a verdict promised and what other ID images made of it.
struct VerdictPromise {
  PromiseKind kind = PromiseKind::kOutOfScope;
  std::optional<std::size_t> label;  ///< the class it is about
  double promised = 0;               ///< a share: at least for kSensitivity, at most for the others
  std::size_t count = 0;             ///< images of `of` that it counts
  std::size_t of = 0;
  double low = 0;  ///< 95% Clopper-Pearson interval of the share behind count and of
  double high = 1;
  PromiseState state = PromiseState::kUnknown;

  double achieved() const { return static_cast<double>(count) / static_cast<double>(of); }
};

/// Everything that was asked for with a number, costs aside, which promise nothing.
std::vector<VerdictPromise> verdict_promises(const VerdictRecord& record);

/// A sentence: "at most 5.0% of the images of mel were to be accepted with a wrong answer; 7.1%
/// [3.2, 13.4] of 112 were". Classes without a name have their number.
std::string promise_text(const VerdictPromise& promise,
                         const std::vector<std::string>& class_names);

}  // namespace cubcal
