#include "cubcal/adaptive/replay.h"

#include "cubcal/core/parallel.h"

namespace cubcal {

namespace {

constexpr std::size_t kSamplesPerBlock = 16;
constexpr const char* kPasses = "the passes";  // in errors

/// Stops one sample, whose place in the replay is taken by the decision of all passes so far.
void replay_sample(const McLogits& logits, NumberKind kind, std::size_t sample,
                   const AdaptiveOptions& options, SequentialDecision sequence,
                   AdaptiveReplay& replay) {
  std::vector<double> row(logits.classes());
  std::size_t s = 0;
  do {
    for (const std::size_t look = next_look(s, logits.passes(), options); s < look; ++s) {
      for (std::size_t k = 0; k < row.size(); ++k) row[k] = logits.at(s, sample, k);
      if (kind == NumberKind::kLogits) {
        sequence.add_pass(row);
      } else {
        as_distribution(row.data(), row.size(), kPasses);
        sequence.add_probabilities(row);
      }
    }
    if (s == logits.passes()) return;
  } while (!sequence.settled());
  replay.passes[sample] = s;
  replay.risk[sample] = sequence.risk();
  replay.decision[sample] = sequence.decision();
}

}  // namespace

AdaptiveReplay replay_adaptive(const McLogits& logits, const AdaptiveOptions& adaptive,
                               const DecisionOptions& decision,
                               const std::optional<Calibration>& calibration, NumberKind kind) {
  const SequentialDecision empty(logits.classes(), logits.passes(), adaptive, decision,
                                 calibration ? &*calibration : nullptr);
  const Predictive all = kind == NumberKind::kLogits ? predict_calibrated(logits, calibration)
                                                     : predict_probabilities(logits, {}, kPasses);
  AdaptiveReplay replay;
  replay.total = logits.passes();
  replay.passes.assign(logits.samples(), logits.passes());
  replay.risk.assign(logits.samples(), 0.0);
  for (std::size_t i = 0; i < logits.samples(); ++i) {
    replay.full.push_back(decide({all.confidence[i], all.entropy[i], all.predicted[i]}, decision));
  }
  replay.decision = replay.full;
  parallel_blocks(logits.samples(), kSamplesPerBlock, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      replay_sample(logits, kind, i, adaptive, empty, replay);
  });
  return replay;
}

AdaptiveChanges changes(const AdaptiveReplay& replay) {
  AdaptiveChanges result;
  result.samples = replay.passes.size();
  const auto n = static_cast<double>(result.samples);
  for (std::size_t i = 0; i < result.samples; ++i) {
    const McDecision& now = replay.decision[i];
    const McDecision& full = replay.full[i];
    const bool predicted = now.predicted != full.predicted;
    const bool refer = now.refer != full.refer;
    result.predicted += predicted;
    result.refer += refer;
    result.confident += now.confident != full.confident;
    result.verdict += predicted || refer;
    result.any += now != full;
    result.all_passes += replay.passes[i] == replay.total;
    result.mean_passes += static_cast<double>(replay.passes[i]) / n;
    result.mean_risk += replay.risk[i] / n;
  }
  return result;
}

}  // namespace cubcal
