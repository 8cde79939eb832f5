#include "cubcal/inspection/column_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "cubcal/core/check.h"
#include "cubcal/core/words.h"
#include "cubcal/inspection/association.h"
#include "cubcal/inspection/overview.h"

namespace cubcal {

namespace {

constexpr std::size_t kSizesNamed = 6;  ///< common sizes that get a value of their own
constexpr std::size_t kParts = 4;       ///< quartiles

std::size_t distinct(const std::vector<std::string>& values) {
  std::set<std::string> seen(values.begin(), values.end());
  seen.erase("");
  return seen.size();
}

/// The whole text as a number.
std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool is_number = error == std::errc() && stop == end && std::isfinite(value);
  return is_number ? std::optional<double>(value) : std::nullopt;
}

/// "up to 34", "34 to 51", ...; nothing where some value is not a number.
std::optional<std::vector<std::string>> in_quartiles(const std::vector<std::string>& values) {
  std::vector<double> sorted;
  for (const std::string& text : values) {
    if (text.empty()) continue;
    const std::optional<double> number = number_in(text);
    if (!number) return std::nullopt;
    sorted.push_back(*number);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> cuts;
  for (std::size_t part = 1; part < kParts; ++part) {
    cuts.push_back(sorted[(sorted.size() - 1) * part / kParts]);
  }
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<std::string> parts;
  for (const std::string& text : values) {
    if (text.empty()) {
      parts.emplace_back();
      continue;
    }
    const auto cut = std::lower_bound(cuts.begin(), cuts.end(), *number_in(text));
    if (cut == cuts.begin()) {
      parts.push_back("up to " + to_text(*cut));
    } else if (cut == cuts.end()) {
      parts.push_back("over " + to_text(cuts.back()));
    } else {
      parts.push_back("over " + to_text(*(cut - 1)) + " to " + to_text(*cut));
    }
  }
  return parts;
}

/// Sizes that few images have are one value, so that odd sizes count together.
std::vector<std::string> common_sizes(const std::vector<std::string>& sizes) {
  const Tally counts = tally(sizes);
  std::set<std::string> named;
  for (std::size_t i = 0; i < std::min(counts.size(), kSizesNamed); ++i) {
    if (counts[i].second * 100 >= sizes.size()) named.insert(counts[i].first);
  }
  std::vector<std::string> result;
  result.reserve(sizes.size());
  for (const std::string& size : sizes) {
    result.push_back(size.empty() || named.count(size) > 0 ? size : "other sizes");
  }
  return result;
}

std::string file_type(const std::string& file) {
  const std::size_t dot = file.rfind('.');
  const std::size_t slash = file.rfind('/');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return "none";
  const std::string type = lower_case(file.substr(dot + 1));
  return type == "jpeg" ? "jpg" : type;
}

template <class Name>
ColumnValues derived(const char* name, const std::vector<ImageFacts>& facts, Name value_of) {
  ColumnValues column{name, true, {}};
  for (const ImageFacts& image : facts) {
    column.values.push_back(image.is_readable() ? value_of(image) : std::string());
  }
  return column;
}

std::string enlarged_name(const ImageFacts& facts) {
  if (!facts.enlargement) return {};
  return facts.is_enlarged() ? "yes" : "no";
}

}  // namespace

std::vector<ColumnValues> comparable_columns(const Catalog& catalog,
                                             const std::vector<ImageFacts>& facts) {
  std::vector<ColumnValues> columns;
  for (std::size_t c = 0; c < catalog.columns.size(); ++c) {
    ColumnValues column{catalog.columns[c], false, {}};
    for (const Sample& sample : catalog.samples) column.values.push_back(sample.metadata[c]);
    if (distinct(column.values) > kMostColumnValues) {
      std::optional<std::vector<std::string>> parts = in_quartiles(column.values);
      if (!parts) continue;
      column.values = std::move(*parts);
    }
    columns.push_back(std::move(column));
  }
  ColumnValues sizes = derived("image size", facts, size_name);
  sizes.values = common_sizes(sizes.values);
  columns.push_back(std::move(sizes));
  columns.push_back(derived("colour", facts, channel_name));
  columns.push_back(derived("depth", facts, depth_name));
  columns.push_back(derived("enlarged", facts, enlarged_name));
  if (catalog.kind != CatalogKind::kNpz) {
    ColumnValues types{"file type", true, {}};
    for (const Sample& sample : catalog.samples) types.values.push_back(file_type(sample.file));
    columns.push_back(std::move(types));
  }
  columns.erase(
      std::remove_if(columns.begin(), columns.end(),
                     [](const ColumnValues& column) { return distinct(column.values) < 2; }),
      columns.end());
  return columns;
}

}  // namespace cubcal
