#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/metrics/metric_values.h"

namespace cubcal {

/// What is compared between groups, in the order of audit_labels(); undefined where no sample
/// counts or a metric has nothing to divide by.
using AuditValues = std::vector<std::optional<double>>;

/// The metrics that are no counts, and after them
///   mean_confidence   mean c
///   overconfidence    mean c - accuracy
///   mean_uncertainty  mean U
///   referral          share with U above the threshold
///   certain_mistakes  share that is wrong with U at or below u_th of the metrics' options
///   out_of_scope      share that an OOD detector flagged, where there are flags
std::vector<MetricLabel> audit_labels(bool with_outside);

/// Where a label of this key stands among them. Throws ArgumentError, naming all keys, where none
/// has it.
std::size_t audit_place(const std::string& key);

/// `outside` has a flag for each sample, or none.
AuditValues audit_values(const SampleFacts& facts, const std::vector<std::uint8_t>& outside,
                         double refer_above, SampleCounts counts = {});

}  // namespace cubcal
