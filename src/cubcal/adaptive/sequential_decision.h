#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cubcal/adaptive/sample_passes.h"
#include "cubcal/boundary/thresholds.h"
#include "cubcal/calibration/calibration.h"

/// Monte Carlo prediction that stops, sample by sample, when more passes would hardly change what
/// is decided. The reference is the decision of all S passes.
namespace cubcal {

/// What is decided of a prediction.
struct DecisionOptions {
  double uncertainty = kDefaultEta;             ///< refer where U exceeds it, nats
  std::optional<double> gamma = kDefaultGamma;  ///< and tell whether c exceeds this, in (0, 1)
};

/// Throws ArgumentError naming the first field outside its domain.
void check_decision_options(const DecisionOptions& options);

struct McDecision {
  std::int32_t predicted;  ///< class of the mean softmax
  bool refer;              ///< U > DecisionOptions::uncertainty
  bool confident;          ///< c > DecisionOptions::gamma; false without one
};

bool operator==(const McDecision& a, const McDecision& b);
inline bool operator!=(const McDecision& a, const McDecision& b) { return !(a == b); }

McDecision decide(const Summary& prediction, const DecisionOptions& options);

/// When to stop.
struct AdaptiveOptions {
  /// Chance, in [0, 0.5], that the decision differs from that of all passes; see
  /// SequentialDecision. 0: stop only where nothing that may come could change it.
  double error = 0.005;
  std::size_t first = 8;  ///< passes before the first look, at least 2
  std::size_t block = 4;  ///< passes from one look to the next
};

/// Throws ArgumentError naming the first field outside its domain.
void check_adaptive_options(const AdaptiveOptions& options);

/// How many passes to have at the next look after `passes` of `total`: total at the end.
std::size_t next_look(std::size_t passes, std::size_t total, const AdaptiveOptions& options);

/// One sample's passes and the rule that ends them.
///
/// risk() is the predicted chance that all `total` passes lead to another McDecision: the sum of
/// the chances of MeanForecast over class, side of the uncertainty threshold and side of gamma.
/// After s passes the sample is settled where
///   risk() <= error * s / total.
/// The promise: over many samples, at most a share `error` of decisions differs from that of all
/// passes. By the tower property the share that differs is the mean risk at the moment of stopping,
/// however often one looks, and none of these exceeds `error`. That holds as far as the predicted
/// chances are right on average. With few passes they are too low (see MeanForecast), hence the
/// limit that starts at a fraction of `error`. It is a promise about shares of samples, not about a
/// sample that lies on a threshold. With error = 0 it is exact: no decision differs, for any
/// passes.
///
/// With a calibration the decision is that of the calibrated prediction. One temperature changes
/// nothing but the softmax. Of two, the one to apply follows from the side of the thresholds on
/// which the unscaled mean falls: then either that side and the decision at its temperature must
/// hold, or the decision must be the same, and hold, at both temperatures.
///
/// The passes must come from one distribution, independent of each other given the image; then
/// their order does not matter. Nothing is known of other samples, so that results do not depend on
/// their number or order. Memory is O(s K), a look takes O(s K + K log K).
class SequentialDecision {
 public:
  /// The calibration, nullptr for none, must outlive the object. Throws ArgumentError for options
  /// outside their domain, DataError for a calibration of another number of classes.
  SequentialDecision(std::size_t classes, std::size_t total, const AdaptiveOptions& adaptive,
                     const DecisionOptions& decision, const Calibration* calibration = nullptr);

  /// One more pass: K logits before any calibration. Throws DataError where they are not finite.
  void add_pass(ArrayView<const double> logits);
  /// The same as K probabilities that sum to 1. Throws ArgumentError where there is a calibration,
  /// which scales logits.
  void add_probabilities(ArrayView<const double> row);

  std::size_t passes() const { return scaled_.front().count(); }
  /// At least one pass must have been added for the rest.
  double risk() const;
  bool settled() const;
  /// Of the mean so far.
  McDecision decision() const;

 private:
  bool is_dual() const { return scaled_.size() > 1; }
  ScalingRegion region() const;
  const SamplePasses& in_use() const;

  std::size_t total_;
  AdaptiveOptions adaptive_;
  DecisionOptions decision_;
  const Calibration* calibration_;
  /// At the one temperature; with two of them unscaled, at t_high, at t_low.
  std::vector<SamplePasses> scaled_;
};

}  // namespace cubcal
