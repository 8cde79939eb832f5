#include "cubcal/dataset/selection.h"

#include <algorithm>
#include <set>

#include "cubcal/core/error.h"
#include "cubcal/dataset/fault_list.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

bool contains(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// The column of every sample, by name.
class ColumnReader {
 public:
  ColumnReader(const Catalog& catalog, const std::string& wanted) {
    const auto alias = std::find_if(catalog.aliases.begin(), catalog.aliases.end(),
                                    [&](const auto& each) { return each.first == wanted; });
    const std::string& name = alias == catalog.aliases.end() ? wanted : alias->second;
    if (contains(catalog.columns, name)) {
      metadata_ = catalog.column(name);
    } else if (name == "label_name") {
      field_ = &Sample::label_name;
    } else if (name == "group") {
      field_ = &Sample::group;
    } else if (name == "split") {
      field_ = &Sample::split;
    } else {
      std::vector<std::string> known{"label_name", "group", "split"};
      known.insert(known.end(), catalog.columns.begin(), catalog.columns.end());
      throw ArgumentError("'" + catalog.path + "' has no column " + in_quotes(name) +
                          " to choose rows by; it has " + quoted_names(known));
    }
  }

  const std::string& operator()(const Sample& sample) const {
    return field_ != nullptr ? sample.*field_ : sample.metadata[metadata_];
  }

 private:
  std::string Sample::*field_ = nullptr;
  std::size_t metadata_ = 0;
};

void apply(const RowFilter& filter, const Catalog& whole, std::vector<Sample>& samples) {
  const ColumnReader value_of(whole, filter.column);
  std::set<std::string> present;
  for (const Sample& sample : whole.samples) present.insert(value_of(sample));
  for (const std::string& value : filter.values) {
    if (present.count(value) > 0) continue;
    throw ArgumentError("no sample of '" + whole.path + "' has " + filter.column + " = " +
                        in_quotes(value) + "; it is one of " +
                        quoted_names({present.begin(), present.end()}));
  }
  const auto is_dropped = [&](const Sample& sample) {
    return contains(filter.values, value_of(sample)) == filter.negated;
  };
  samples.erase(std::remove_if(samples.begin(), samples.end(), is_dropped), samples.end());
}

void check_class(const Catalog& catalog, const std::string& name) {
  if (contains(catalog.class_names, name)) return;
  throw ArgumentError("'" + catalog.path + "' has no class " + in_quotes(name) +
                      (catalog.classes() == 0
                           ? std::string()
                           : "; its classes are " + quoted_names(catalog.class_names)));
}

/// Numbers the classes that have samples anew and drops the others.
void close_ranks(Catalog& catalog) {
  std::vector<std::int64_t> new_label(catalog.classes(), kNoLabel);
  for (const Sample& sample : catalog.samples) {
    if (sample.label != kNoLabel) new_label[static_cast<std::size_t>(sample.label)] = 0;
  }
  std::vector<std::string> names;
  for (std::size_t k = 0; k < catalog.classes(); ++k) {
    if (new_label[k] == kNoLabel) continue;
    new_label[k] = static_cast<std::int64_t>(names.size());
    names.push_back(catalog.class_names[k]);
  }
  for (Sample& sample : catalog.samples) {
    if (sample.label != kNoLabel) sample.label = new_label[static_cast<std::size_t>(sample.label)];
  }
  catalog.class_names = names;
}

}  // namespace

Catalog select(const Catalog& catalog, const Selection& selection) {
  if (selection.where.empty() && selection.hold_out.empty() && selection.drop_class.empty()) {
    return catalog;
  }
  Catalog chosen = catalog;
  for (const RowFilter& filter : selection.where) apply(filter, catalog, chosen.samples);
  for (const std::string& name : selection.drop_class) check_class(catalog, name);
  for (const std::string& name : selection.hold_out) {
    check_class(catalog, name);
    if (contains(selection.drop_class, name)) {
      throw ArgumentError("the class " + in_quotes(name) + " cannot be both held out and dropped");
    }
  }
  const auto is_dropped = [&](const Sample& sample) {
    return sample.label != kNoLabel && contains(selection.drop_class, sample.label_name);
  };
  chosen.samples.erase(std::remove_if(chosen.samples.begin(), chosen.samples.end(), is_dropped),
                       chosen.samples.end());
  for (Sample& sample : chosen.samples) {
    if (sample.label == kNoLabel || !contains(selection.hold_out, sample.label_name)) continue;
    sample.label = kNoLabel;
    sample.split = kOutlierSplit;
  }
  if (chosen.samples.empty()) {
    throw ArgumentError("no sample of '" + catalog.path + "' is left by this choice of rows");
  }
  close_ranks(chosen);
  if (chosen.classes() < 2 && catalog.classes() >= 2) {
    throw ArgumentError("this choice of rows leaves " +
                        (chosen.classes() == 0
                             ? "no class"
                             : "only the class " + in_quotes(chosen.class_names[0])) +
                        " of '" + catalog.path + "', but at least two are needed");
  }
  return chosen;
}

RowFilter parse_row_filter(const std::string& text) {
  const std::size_t equals = text.find('=');
  const bool negated = equals != std::string::npos && equals > 0 && text[equals - 1] == '!';
  RowFilter filter;
  filter.negated = negated;
  if (equals != std::string::npos) filter.column = trimmed_cell(text.substr(0, equals - negated));
  if (filter.column.empty()) {
    throw ArgumentError("the filter " + in_quotes(text) +
                        " is not of the form column=value, column=value,value or column!=value");
  }
  for (std::size_t start = equals + 1;;) {
    const std::size_t comma = text.find(',', start);
    filter.values.push_back(trimmed_cell(text.substr(start, comma - start)));
    if (comma == std::string::npos) return filter;
    start = comma + 1;
  }
}

}  // namespace cubcal
