#include "cubcal/conformal/verdict_promises.h"

#include "cubcal/core/check.h"
#include "cubcal/metrics/binomial.h"

namespace cubcal {

namespace {

constexpr double kBoundLevel = 0.975;  ///< of either side of an interval

void judge_promise(VerdictPromise& promise) {
  if (promise.of == 0) return;
  promise.low = lower_bound_of_share(promise.count, promise.of, kBoundLevel);
  promise.high = upper_bound_of_share(promise.count, promise.of, kBoundLevel);
  const bool is_floor = promise.kind == PromiseKind::kSensitivity;
  const bool is_kept =
      is_floor ? promise.achieved() >= promise.promised : promise.achieved() <= promise.promised;
  const bool is_beyond =
      is_floor ? promise.high < promise.promised : promise.low > promise.promised;
  promise.state = is_kept     ? PromiseState::kKept
                  : is_beyond ? PromiseState::kMissed
                              : PromiseState::kUnclear;
}

}  // namespace

std::vector<VerdictPromise> verdict_promises(const VerdictRecord& record) {
  const VerdictRates all = record.achieved.id.value_or(VerdictRates{});
  const auto of_class = [&](std::size_t label) {
    const std::vector<VerdictRates>& rates = record.achieved.by_class;
    return label < rates.size() ? rates[label] : VerdictRates{};
  };
  const VerdictOptions& options = record.options;
  std::vector<VerdictPromise> promises;
  promises.push_back({PromiseKind::kOutOfScope, {}, options.alpha, all.out_of_scope, all.samples});
  if (options.risk_target) {
    promises.push_back({PromiseKind::kRisk, {}, *options.risk_target, all.errors, all.accepted});
  }
  for (const MissTarget& each : options.miss_targets) {
    const VerdictRates rates = of_class(each.label);
    promises.push_back({PromiseKind::kMisses, each.label, each.share, rates.errors, rates.samples});
  }
  for (const SensitivityFloor& each : options.sensitivity_floors) {
    const VerdictRates rates = of_class(each.label);
    promises.push_back({PromiseKind::kSensitivity, each.label, each.share,
                        rates.accepted - rates.errors, rates.accepted});
  }
  for (VerdictPromise& each : promises) judge_promise(each);
  return promises;
}

std::string promise_text(const VerdictPromise& promise,
                         const std::vector<std::string>& class_names) {
  const std::string share = percent(promise.promised);
  std::string name;
  if (promise.label) {
    name = *promise.label < class_names.size() ? class_names[*promise.label]
                                               : "class " + std::to_string(*promise.label);
  }
  std::string text;
  switch (promise.kind) {
    case PromiseKind::kOutOfScope:
      text = "at most " + share +
             " of images like the training images were to be called out of "
             "scope";
      break;
    case PromiseKind::kRisk:
      text = "at most " + share + " of the accepted answers were to be wrong";
      break;
    case PromiseKind::kMisses:
      text = "at most " + share + " of the images of " + name +
             " were to be accepted with a wrong answer";
      break;
    case PromiseKind::kSensitivity:
      text =
          "at least " + share + " of the accepted images of " + name + " were to be answered right";
      break;
  }
  if (promise.of == 0) return text + "; no other image tells";
  return text + "; " + percent(promise.achieved()) + " [" + in_percent(promise.low) + ", " +
         in_percent(promise.high) + "] of " + std::to_string(promise.of) +
         (promise.of == 1 ? " was" : " were");
}

}  // namespace cubcal
