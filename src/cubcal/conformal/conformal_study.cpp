#include "cubcal/conformal/conformal_study.h"

#include <map>
#include <numeric>

namespace cubcal {

namespace {

using Members = std::vector<std::size_t>;

class Summaries {
 public:
  Summaries(const std::vector<std::uint8_t>& sets, const SetSamples& samples, double level)
      : sets_(sets), samples_(samples), level_(level) {}

  SetSummary of(const std::string& name, const Members& members) const {
    return summarise_sets(name, sets_, samples_.class_names.size(), samples_.labels, members,
                          level_);
  }

  SetTable by_label() const {
    std::vector<Members> members(samples_.class_names.size());
    for (std::size_t i = 0; i < samples_.labels.size(); ++i) {
      members[static_cast<std::size_t>(samples_.labels[i])].push_back(i);
    }
    SetTable table{"label", {}};
    for (std::size_t k = 0; k < members.size(); ++k) {
      table.rows.push_back(of(samples_.class_names[k], members[k]));
    }
    return table;
  }

  SetTable by_value(const SampleColumn& column) const {
    std::map<std::string, Members> members;
    for (std::size_t i = 0; i < column.values.size(); ++i) members[column.values[i]].push_back(i);
    SetTable table{column.name, {}};
    for (const auto& [value, places] : members) {
      table.rows.push_back(of(value.empty() ? "(empty)" : value, places));
    }
    return table;
  }

 private:
  const std::vector<std::uint8_t>& sets_;
  const SetSamples& samples_;
  double level_;
};

}  // namespace

std::optional<CoverageForecast> ConformalStudy::forecast() const {
  const bool is_one = rule.cells.size() == 1 && rule.cells.begin()->second.size() == 1;
  if (!is_one) return std::nullopt;
  return CoverageForecast(rule.cells.begin()->second.front().samples, rule.options.alpha,
                          overall.samples);
}

ConformalStudy study_sets(const ConformalRule& rule, const std::string& column,
                          const std::vector<std::uint8_t>& sets, const SetSamples& samples,
                          double level) {
  const Summaries summaries(sets, samples, level);
  Members everyone(sets.size() / samples.class_names.size());
  std::iota(everyone.begin(), everyone.end(), std::size_t{0});
  ConformalStudy study{rule,  samples.class_names, column,
                       level, samples.has_labels,  summaries.of("all", everyone),
                       {}};
  if (samples.has_labels) study.tables.push_back(summaries.by_label());
  for (const SampleColumn& each : samples.columns) {
    study.tables.push_back(summaries.by_value(each));
  }
  return study;
}

std::vector<MissedPromise> missed_promises(const ConformalStudy& study) {
  std::vector<MissedPromise> missed;
  if (!study.has_labels) return missed;
  const double promised = 1 - study.rule.options.alpha;
  const auto add = [&](const std::string& column, const SetSummary& row) {
    if (row.covered.of > 0 && row.covered.high < promised) missed.push_back({column, &row});
  };
  add("", study.overall);
  const std::string kept_apart = study.rule.options.by_class ? "label" : study.column;
  for (const SetTable& table : study.tables) {
    if (kept_apart.empty() || table.column != kept_apart) continue;
    for (const SetSummary& row : table.rows) add(table.column, row);
  }
  return missed;
}

}  // namespace cubcal
