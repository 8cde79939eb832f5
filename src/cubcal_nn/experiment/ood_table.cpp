#include "cubcal_nn/experiment/ood_table.h"

#include <algorithm>
#include <map>

#include "cubcal/core/check.h"
#include "cubcal/core/take_rows.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/plot/chart.h"
#include "cubcal_nn/batches/tensor_values.h"

namespace cubcal {

namespace {

std::vector<std::int64_t> groups_of(const ImageSplit& split) {
  return split.groups.defined() ? values_of(split.groups) : std::vector<std::int64_t>{};
}

DetectionRecord record_of(const DetectionResult& result) {
  const auto measured = [](double value, const Interval& interval) {
    return Measured{value, std::make_pair(interval.low, interval.high)};
  };
  return {measured(result.metrics.auroc, result.auroc), measured(result.metrics.aupr, result.aupr),
          measured(result.metrics.fpr95, result.fpr95)};
}

/// Shares of values in equal bins from low to high; the outermost take what lies beyond.
std::vector<double> histogram(const std::vector<double>& values, double low, double high,
                              std::size_t bins) {
  std::vector<double> shares(bins, 0);
  for (const double value : values) {
    const double place = (value - low) / (high - low) * static_cast<double>(bins);
    const double last = static_cast<double>(bins - 1);
    shares[static_cast<std::size_t>(std::clamp(place, 0.0, last))] +=
        1 / static_cast<double>(values.size());
  }
  return shares;
}

plot::Chart score_chart(const OodTableRow& row, const std::vector<OodCategory>& categories) {
  constexpr std::size_t kBins = 40;
  std::vector<double> all = row.id_scores;
  all.insert(all.end(), row.ood_scores.begin(), row.ood_scores.end());
  std::sort(all.begin(), all.end());
  // A few far outliers would leave everything else in one bin.
  const auto at_share = [&](double share) {
    return all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
  };
  const double low = at_share(0.005);
  const double high = std::max(at_share(0.985), low + 1e-9 * std::max(1.0, std::abs(low)));
  plot::ChartOptions options;
  options.title = row.row.title;
  options.description = "Histograms of the score of ID and OOD images.";
  options.x_label = "score";
  options.y_label = "share of images";
  plot::Chart chart(options);
  const auto add = [&](const std::string& name, const std::vector<double>& values) {
    plot::BarSeries bars;
    bars.name = name;
    bars.opacity = 0.5;
    bars.top = histogram(values, low, high, kBins);
    for (std::size_t i = 0; i < kBins; ++i) {
      const double step = (high - low) / static_cast<double>(kBins);
      bars.left.push_back(low + step * static_cast<double>(i));
      bars.right.push_back(low + step * static_cast<double>(i + 1));
    }
    chart.bars(std::move(bars));
  };
  add("ID", row.id_scores);
  if (categories.empty()) add("OOD", row.ood_scores);
  for (const OodCategory& each : categories) {
    add(each.name, take_rows(row.ood_scores, each.members));
  }
  return chart;
}

}  // namespace

std::vector<OodCategory> ood_categories(const ImageSet& set, const ImageSplit& split,
                                        const std::string& column) {
  const std::vector<std::string>* names = &split.label_names;
  if (!column.empty() && column != "label_name") {
    const auto found = std::find(set.columns.begin(), set.columns.end(), column);
    if (found == set.columns.end()) {
      std::string known = "label_name";
      for (const std::string& each : set.columns) known += ", " + each;
      throw ArgumentError("the data set has no column '" + column + "'; those it has are " + known);
    }
    names = &split.metadata[static_cast<std::size_t>(found - set.columns.begin())];
  }
  std::vector<OodCategory> categories;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < names->size(); ++i) {
    const std::string name = (*names)[i].empty() ? "-" : (*names)[i];
    const auto [place, is_new] = places.emplace(name, categories.size());
    if (is_new) categories.push_back({name, {}});
    categories[place->second].members.push_back(i);
  }
  if (categories.size() < 2) categories.clear();
  return categories;
}

OodTable make_ood_table(OodRun& run, const std::vector<OodRow>& rows, const ImageSplit& id,
                        const ImageSplit& ood, std::vector<OodCategory> categories,
                        const BootstrapOptions& bootstrap, bool by_groups) {
  const std::vector<std::int64_t> id_groups =
      by_groups ? groups_of(id) : std::vector<std::int64_t>{};
  const std::vector<std::int64_t> ood_groups =
      by_groups ? groups_of(ood) : std::vector<std::int64_t>{};
  OodTable table;
  table.categories = std::move(categories);
  table.bootstrap = bootstrap;
  table.grouped = !id_groups.empty() || !ood_groups.empty();
  for (const OodRow& each : rows) {
    OodTableRow row{each, run.scores(each, id.name), run.scores(each, ood.name), {}, {}};
    const ScoredSide id_side{row.id_scores, id_groups};
    const auto against = [&](const std::vector<double>& scores,
                             const std::vector<std::int64_t>& groups) {
      const auto result = detection_with_intervals(id_side, {scores, groups}, bootstrap);
      if (!result) throw DataError("an OOD table needs ID images and OOD images");
      return *result;
    };
    row.all = against(row.ood_scores, ood_groups);
    for (const OodCategory& category : table.categories) {
      row.by_category.push_back(against(take_rows(row.ood_scores, category.members),
                                        take_rows(ood_groups, category.members)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

OodTableRecord table_record(const OodTable& table) {
  OodTableRecord record{table.bootstrap.replicates, table.bootstrap.level, table.bootstrap.seed,
                        table.grouped};
  for (const OodTableRow& row : table.rows) {
    DetectorRecord detector{row.row.key, row.row.title, record_of(row.all)};
    for (std::size_t i = 0; i < table.categories.size(); ++i) {
      detector.categories.push_back({table.categories[i].name, table.categories[i].members.size(),
                                     record_of(row.by_category[i])});
    }
    record.rows.push_back(std::move(detector));
  }
  return record;
}

void write_ood_figures(const std::string& prefix, const OodTable& table) {
  for (const OodTableRow& row : table.rows) {
    std::string name = row.row.key;
    std::replace(name.begin(), name.end(), '+', '-');
    write_file_atomically(prefix + "-" + name + ".svg", score_chart(row, table.categories).svg());
  }
}

}  // namespace cubcal
