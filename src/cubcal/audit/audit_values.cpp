#include "cubcal/audit/audit_values.h"

#include <string>

#include "cubcal/core/error.h"

namespace cubcal {

std::vector<MetricLabel> audit_labels(bool with_outside) {
  std::vector<MetricLabel> labels;
  for (const MetricInfo& info : metric_infos()) {
    if (info.unit == MetricUnit::kCount) continue;
    labels.push_back({info.key, info.label, info.unit, info.better});
  }
  labels.insert(labels.end(), {{"mean_confidence", "mean confidence", MetricUnit::kPercent, 0},
                               {"overconfidence", "confidence − accuracy", MetricUnit::kPercent, 0},
                               {"mean_uncertainty", "mean U", MetricUnit::kNats, 0},
                               {"referral", "referred", MetricUnit::kPercent, 0},
                               {"certain_mistakes", "certain mistakes", MetricUnit::kPercent, -1}});
  if (with_outside) labels.push_back({"out_of_scope", "out of scope", MetricUnit::kPercent, 0});
  return labels;
}

std::size_t audit_place(const std::string& key) {
  const std::vector<MetricLabel> labels = audit_labels(true);
  std::string known;
  for (std::size_t place = 0; place < labels.size(); ++place) {
    if (key == labels[place].key) return place;
    known += (known.empty() ? "" : ", ") + std::string(labels[place].key);
  }
  throw ArgumentError("'" + key + "' is not among the values of an audit: " + known);
}

AuditValues audit_values(const SampleFacts& facts, const std::vector<std::uint8_t>& outside,
                         double refer_above, SampleCounts counts) {
  double total = 0;
  double confidence = 0;
  double uncertainty = 0;
  double right = 0;
  double referred = 0;
  double flagged = 0;
  for (std::size_t i = 0; i < facts.samples; ++i) {
    const double count = counts[i];
    total += count;
    confidence += count * facts.confidence[i];
    uncertainty += count * facts.entropy[i];
    right += count * facts.correct[i];
    referred += facts.entropy[i] > refer_above ? count : 0;
    if (!outside.empty()) flagged += count * outside[i];
  }
  if (total == 0) return AuditValues(audit_labels(!outside.empty()).size());
  const MetricValues metrics = metric_values(facts, counts);
  AuditValues values;
  for (const MetricInfo& info : metric_infos()) {
    if (info.unit != MetricUnit::kCount) values.push_back(metrics[info.metric]);
  }
  values.insert(values.end(),
                {confidence / total, (confidence - right) / total, uncertainty / total,
                 referred / total, *metrics[Metric::kInaccurateCertain] / total});
  if (!outside.empty()) values.push_back(flagged / total);
  return values;
}

}  // namespace cubcal
