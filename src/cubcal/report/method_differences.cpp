#include "cubcal/report/method_differences.h"

#include <algorithm>

#include "cubcal/metrics/holm.h"
#include "cubcal/report/numbers.h"

namespace cubcal::report {

namespace {

/// Why two runs are not of the same images; empty where nothing says so.
std::string why_other_images(const RunResult& run, const RunResult& first) {
  if (run.other_images) return "its test logits name other files";
  if (run.facts.samples != first.facts.samples) {
    return "it has " + counted(run.facts.samples, "test image") + ", not " +
           grouped(first.facts.samples);
  }
  if (run.facts.labels != first.facts.labels) return "its labels are others, row by row";
  if (!run.groups.empty() && !first.groups.empty() && run.groups != first.groups) {
    return "its groups are others, row by row";
  }
  return {};
}

/// Why two runs cannot be compared image by image; empty where they can.
std::string why_unpaired(const RunResult& run, const RunResult& first) {
  const std::string other = why_other_images(run, first);
  if (!other.empty()) return other;
  if (run.record.seed && first.record.seed && run.record.seed != first.record.seed) {
    return "no run of it has the same seed";
  }
  return {};
}

void correct_p_values(std::vector<MethodDifference>& differences) {
  for (const MetricInfo& info : metric_infos()) {
    std::vector<double> defined;
    for (const MethodDifference& each : differences) {
      if (each.paired.p_values[info.metric]) defined.push_back(*each.paired.p_values[info.metric]);
    }
    const std::vector<double> adjusted = holm_adjusted(defined);
    std::size_t next = 0;
    for (MethodDifference& each : differences) {
      if (each.paired.p_values[info.metric]) each.p_values[info.metric] = adjusted[next++];
    }
  }
}

}  // namespace

bool have_same_images(const std::vector<Method>& methods) {
  const RunResult& first = *methods.front().runs.front();
  return std::all_of(methods.begin(), methods.end(), [&](const Method& method) {
    return std::all_of(method.runs.begin(), method.runs.end(),
                       [&](const RunResult* run) { return why_other_images(*run, first).empty(); });
  });
}

MethodDifferences method_differences(const std::vector<Method>& methods,
                                     const BootstrapOptions& options) {
  const RunResult& first = *methods.front().runs.front();
  MethodDifferences differences;
  for (std::size_t m = 1; m < methods.size(); ++m) {
    const std::vector<const RunResult*>& runs = methods[m].runs;
    const auto match = std::find_if(runs.begin(), runs.end(), [&](const RunResult* run) {
      return why_unpaired(*run, first).empty();
    });
    if (match == runs.end()) {
      differences.reasons.push_back(methods[m].label + " is not compared with " + first.label +
                                    " image by image: " + why_unpaired(*runs.front(), first) + ".");
      continue;
    }
    const std::vector<std::string>& groups = first.groups.empty() ? (*match)->groups : first.groups;
    differences.all.push_back(
        {methods[m].label, paired_bootstrap((*match)->facts, first.facts, groups, options), {}});
  }
  correct_p_values(differences.all);
  return differences;
}

}  // namespace cubcal::report
