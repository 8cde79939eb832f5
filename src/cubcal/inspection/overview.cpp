#include "cubcal/inspection/overview.h"

#include <algorithm>
#include <map>
#include <set>

#include "cubcal/core/check.h"

namespace cubcal {

namespace {

/// Counts of one row while samples come in. The last column is that of all samples.
class Counter {
 public:
  Counter(std::string name, bool is_class, std::size_t columns)
      : row_{std::move(name), is_class, std::vector<std::size_t>(columns), {}}, groups_(columns) {}

  void add(const Sample& sample, std::size_t column) {
    add_to(column, sample);
    if (column + 1 < groups_.size()) add_to(groups_.size() - 1, sample);
  }

  CountRow row() const {
    CountRow result = row_;
    for (const auto& groups : groups_) result.groups.push_back(groups.size());
    return result;
  }

 private:
  void add_to(std::size_t column, const Sample& sample) {
    ++row_.images[column];
    // A file is a group of its own where none is known; no group is named like this.
    groups_[column].insert(sample.group.empty() ? '\0' + sample.file : sample.group);
  }

  CountRow row_;
  std::vector<std::set<std::string>> groups_;
};

std::vector<std::string> count_columns(const Catalog& catalog) {
  std::vector<std::string> columns = catalog.split_names();
  const bool some_unsplit = std::any_of(catalog.samples.begin(), catalog.samples.end(),
                                        [](const Sample& sample) { return sample.split.empty(); });
  if (some_unsplit && !columns.empty()) columns.push_back(kNotSplit);
  columns.push_back("all");
  return columns;
}

void count_samples(const Catalog& catalog, Overview& view) {
  view.columns = count_columns(catalog);
  const std::size_t columns = view.columns.size();
  std::map<std::string, std::size_t> column_of;  // a data set without splits has "all" alone
  for (std::size_t c = 0; c + 1 < columns; ++c) column_of[view.columns[c]] = c;

  std::vector<Counter> counters;
  for (const std::string& name : catalog.class_names) counters.emplace_back(name, true, columns);
  Counter total("all", true, columns);
  std::map<std::string, std::size_t> outlier_rows;
  for (const Sample& sample : catalog.samples) {
    auto row = static_cast<std::size_t>(sample.label);
    if (sample.label == kNoLabel) {
      const std::string name = sample.label_name.empty() ? "no label" : sample.label_name;
      const auto place = outlier_rows.emplace(name, counters.size());
      if (place.second) counters.emplace_back(name, false, columns);
      row = place.first->second;
    }
    const auto found = column_of.find(sample.split.empty() ? kNotSplit : sample.split);
    const std::size_t column = found == column_of.end() ? columns - 1 : found->second;
    counters[row].add(sample, column);
    total.add(sample, column);
  }
  for (const Counter& counter : counters) view.rows.push_back(counter.row());
  view.total = total.row();
}

void describe_images(const std::vector<ImageFacts>& facts, Overview& view) {
  std::vector<std::string> sizes, channels, depths;
  for (const ImageFacts& image : facts) {
    if (!image.is_readable()) {
      ++view.unreadable;
      continue;
    }
    view.min_level = sizes.empty() ? image.min_level : std::min(view.min_level, image.min_level);
    view.max_level = std::max(view.max_level, image.max_level);
    view.mean_level += image.mean_level;
    sizes.push_back(size_name(image));
    channels.push_back(channel_name(image));
    depths.push_back(depth_name(image));
  }
  if (!sizes.empty()) view.mean_level /= static_cast<double>(sizes.size());
  view.sizes = tally(sizes);
  view.channels = tally(channels);
  view.depths = tally(depths);
}

}  // namespace

Overview overview(const Catalog& catalog, const std::vector<ImageFacts>& facts) {
  check_same_size("image facts", facts.size(), "samples", catalog.samples.size());
  Overview view;
  count_samples(catalog, view);
  describe_images(facts, view);
  return view;
}

std::string size_name(const ImageFacts& facts) {
  return std::to_string(facts.width) + " x " + std::to_string(facts.height);
}

std::string channel_name(const ImageFacts& facts) {
  if (facts.channels == 1) return "gray";
  return facts.gray_as_rgb ? "gray stored as RGB" : "RGB";
}

std::string depth_name(const ImageFacts& facts) { return std::to_string(facts.bits) + " bits"; }

Tally tally(const std::vector<std::string>& values) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& value : values) ++counts[value];
  Tally result(counts.begin(), counts.end());
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return result;
}

}  // namespace cubcal
