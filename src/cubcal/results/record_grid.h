#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cubcal/results/result_record.h"
#include "cubcal/results/result_table.h"

/// What the tables of an experiment are made with: its records by regime and method, and cells over
/// their seeds.
namespace cubcal::results {

/// How each metric is written, by its name in JSON.
const std::map<std::string, ResultColumn>& metric_formats();
std::vector<ResultColumn> columns_of(const std::vector<std::string>& metrics,
                                     const std::string& prefix = "");

/// In the order of the paper.
const std::vector<std::string>& known_methods();
/// "BNN + CUB" for "bnn+cub"; a variant is called what it is called.
std::string method_title(const std::string& method);
std::string regime_title(const std::string& regime);

/// The seeds of one run.
using Repeats = std::vector<const ResultRecord*>;
/// The number a cell is about, of the metric of that name; null where the record has none such.
using Selector = std::function<const Measured*(const ResultRecord&, const std::string& metric)>;

/// The test metrics of the network as it is.
const Measured* test_metrics(const ResultRecord& record, const std::string& metric);
/// ... under a calibration.
Selector calibrated(const std::string& method);
/// ... with all logits divided by one temperature.
Selector scaled_by(double temperature);
/// ... of a detector of outliers: "auroc", "aupr", "fpr95"; `category` empty: all of them.
Selector detection(const std::string& detector, const std::string& category);

ResultCell cell_of(const Repeats& repeats, const Selector& select, const std::string& metric);

/// The temperatures under which every run was looked at that was looked at under any, from soft to
/// sharp.
std::vector<double> temperatures_of(const Repeats& repeats);

/// The records of an experiment, at least one, by regime and method. They must outlive it.
class Grid {
 public:
  explicit Grid(const std::vector<ResultRecord>& records);

  const std::string& name() const { return first_.experiment; }
  const std::string& paper() const { return first_.paper; }

  /// Shares of the data by size, then all of it, then balanced.
  std::vector<std::string> regimes() const;
  /// The regime that tables of a single one are about.
  std::string main_regime() const;
  /// The known ones in the order of the paper, then variants by name.
  std::vector<std::string> methods(const std::string& regime) const;
  bool has(const std::string& regime, const std::string& method) const;
  Repeats repeats(const std::string& regime, const std::string& method) const;
  /// "2 seeds" where the experiment has more, else nothing.
  std::string note(std::size_t seeds) const;
  /// The paper's method, or what stands in for it.
  std::string main_method() const;

 private:
  const ResultRecord& first_;
  std::map<std::pair<std::string, std::string>, Repeats> runs_;
  std::set<std::uint64_t> seeds_;
};

}  // namespace cubcal::results
