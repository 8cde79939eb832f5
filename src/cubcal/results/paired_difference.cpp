#include "cubcal/results/paired_difference.h"

#include <algorithm>
#include <cmath>

#include "cubcal/core/student_t.h"

namespace cubcal::results {

namespace {

constexpr const char* kPlain = "bnn";
constexpr double kTail = 0.025;
const std::vector<std::string> kMetrics = {
    "avu", "nll", "ece", "aurc", "bcce", "accuracy", "balanced_accuracy"};
/// What may follow a method: nothing, or a calibration that keeps its NLL in view.
const std::vector<std::string> kOnTop = {"", "ts-nll", "dts-guarded"};

const ResultRecord* of_seed(const Repeats& repeats, std::uint64_t seed) {
  const auto found = std::find_if(repeats.begin(), repeats.end(),
                                  [seed](const auto* each) { return each->seed == seed; });
  return found == repeats.end() ? nullptr : *found;
}

/// `select` of the method's runs less the metric of the plain network as it is.
ResultCell differences(const Repeats& runs, const Repeats& plain, const Selector& select,
                       const std::string& metric) {
  ResultCell cell;
  for (const ResultRecord* run : runs) {
    const ResultRecord* other = of_seed(plain, run->seed);
    if (other == nullptr) continue;
    const Measured* own = select(*run, metric);
    const Measured* base = test_metrics(*other, metric);
    if (own == nullptr || base == nullptr || !own->value || !base->value) continue;
    cell.seeds.push_back(*own->value - *base->value);
  }
  if (const auto deviation = cell.deviation()) {
    const auto count = static_cast<double>(cell.seeds.size());
    const double reach = student_quantile(kTail, count - 1) * *deviation / std::sqrt(count);
    cell.interval = {cell.mean() - reach, cell.mean() + reach};
  }
  return cell;
}

}  // namespace

std::optional<ResultTable> difference_table(const Grid& grid) {
  ResultTable table{grid.name() + "-difference",
                    "Difference to BNN of the same seed on the test split; in brackets the 95% "
                    "interval of the mean over seeds",
                    {"method"},
                    columns_of(kMetrics),
                    {}};
  for (ResultColumn& column : table.columns) column.is_signed = true;
  const std::string regime = grid.main_regime();
  const Repeats plain = grid.repeats(regime, kPlain);
  bool any_method = false;
  for (const std::string& method : grid.methods(regime)) {
    for (const std::string& on_top : kOnTop) {
      if (method == kPlain && on_top.empty()) continue;
      const Selector select = on_top.empty() ? Selector(test_metrics) : calibrated(on_top);
      ResultRow row{{method_title(method) + (on_top.empty() ? "" : " and " + on_top)}, {}};
      for (const std::string& metric : kMetrics) {
        row.cells.push_back(differences(grid.repeats(regime, method), plain, select, metric));
      }
      if (row.cells.front().empty()) continue;
      any_method = any_method || method != kPlain;
      row.note = grid.note(row.cells.front().seeds.size());
      table.rows.push_back(std::move(row));
    }
  }
  if (!any_method) return std::nullopt;
  return table;
}

}  // namespace cubcal::results
