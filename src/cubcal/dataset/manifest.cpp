#include "cubcal/dataset/manifest.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <unordered_map>

#include "cubcal/core/error.h"
#include "cubcal/dataset/fault_list.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/dataset/file_presence.h"
#include "cubcal/dataset/folder_walk.h"
#include "cubcal/dataset/split_name.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr const char* kLabels = "labels.csv";

class ManifestReader {
 public:
  explicit ManifestReader(const std::string& path) : table_(read_csv(path)) {
    catalog_.path = path;
    catalog_.root = folder_of(path);
    file_ = table_.column("file");
    label_ = column_of("label");
    label_name_ = column_of("label_name");
    group_ = column_of("group");
    split_ = column_of("split");
  }

  Catalog read() {
    if (table_.rows.empty()) throw DataError("'" + table_.name + "' lists no images");
    take_rows();
    check_files();
    if (label_) {
      take_labels();
    } else if (label_name_) {
      take_names();
    } else {
      catalog_.kind = CatalogKind::kImages;
    }
    check_splits();
    faults_.raise(table_.name);
    return std::move(catalog_);
  }

 private:
  using Column = std::optional<std::size_t>;

  Column column_of(const std::string& name) const {
    return table_.has_column(name) ? Column(table_.column(name)) : std::nullopt;
  }

  const std::string& field(std::size_t row, Column column) const {
    static const std::string nothing;
    return column ? table_.rows[row][*column] : nothing;
  }

  void complain(std::size_t row, const std::string& text) { faults_.add(table_.lines[row], text); }

  void take_rows() {
    std::vector<std::size_t> further;
    for (std::size_t i = 0; i < table_.header.size(); ++i) {
      if (i == file_ || i == label_ || i == label_name_ || i == group_ || i == split_) continue;
      further.push_back(i);
      catalog_.columns.push_back(table_.header[i]);
    }
    catalog_.samples.resize(table_.rows.size());
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      Sample& sample = catalog_.samples[row];
      sample.file = field(row, file_);
      sample.label_name = field(row, label_name_);
      sample.group = field(row, group_);
      sample.split = canonical_split(field(row, split_));
      for (const std::size_t column : further) sample.metadata.push_back(field(row, column));
    }
  }

  void check_files() {
    const std::string root = normal_path(catalog_.root);
    FilePresence presence;
    std::unordered_map<std::string, std::size_t> seen;
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      const std::string& file = catalog_.samples[row].file;
      if (file.empty()) {
        complain(row, "has no file");
        continue;
      }
      const std::string path = normal_path(path_in(root, file));
      const auto [first, is_new] = seen.emplace(path, table_.lines[row]);
      if (!is_new) {
        complain(row, "lists " + in_quotes(file) + " again, after line " +
                          std::to_string(first->second));
        continue;
      }
      const std::string complaint = presence.complaint(path);
      if (!complaint.empty()) complain(row, "names " + in_quotes(file) + ", which " + complaint);
    }
  }

  /// The number in the column `label`; none where it is no class number, which is a fault.
  std::optional<std::int64_t> label_of(std::size_t row) {
    const std::string& text = field(row, label_);
    if (text.empty()) {
      if (catalog_.samples[row].split == kOutlierSplit) return kNoLabel;
      complain(row, "has no label");
      return std::nullopt;
    }
    std::int64_t label = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), label);
    const bool is_whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
    if (!is_whole || label < kNoLabel || label >= kMostClasses) {
      complain(row, "has the label " + in_quotes(text) + "; labels are 0.." +
                        std::to_string(kMostClasses - 1) + ", or -1 for none of the classes");
      return std::nullopt;
    }
    return label;
  }

  /// The column `label`, and its agreement with `label_name` where both are there.
  void take_labels() {
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      Sample& sample = catalog_.samples[row];
      const std::optional<std::int64_t> label = label_of(row);
      if (!label) continue;
      sample.label = *label;
      if (sample.label == kNoLabel) {
        take_outlier(row);
      } else if (sample.split == kOutlierSplit) {
        complain(row, "has the label " + std::to_string(sample.label) +
                          " in the split 'ood', which is for images of no class (label -1)");
      } else {
        take_class(row);
      }
    }
    name_classes();
  }

  void take_outlier(std::size_t row) {
    Sample& sample = catalog_.samples[row];
    if (sample.split.empty()) sample.split = kOutlierSplit;
    if (sample.split == kOutlierSplit) return;
    complain(row, "has the label -1 in the split " + in_quotes(sample.split) +
                      "; images of no class belong to the split 'ood'");
  }

  void take_class(std::size_t row) {
    Sample& sample = catalog_.samples[row];
    if (!label_name_) sample.label_name = std::to_string(sample.label);
    if (sample.label_name.empty()) {
      complain(row, "has no label_name");
      return;
    }
    const auto [name, is_new_label] = row_of_label_.emplace(sample.label, row);
    const auto [label, is_new_name] = row_of_name_.emplace(sample.label_name, row);
    const Sample& same_label = catalog_.samples[name->second];
    const Sample& same_name = catalog_.samples[label->second];
    if (same_label.label_name != sample.label_name) {
      complain(row, "calls the label " + std::to_string(sample.label) + " " +
                        in_quotes(sample.label_name) + ", but line " +
                        std::to_string(table_.lines[name->second]) + " calls it " +
                        in_quotes(same_label.label_name));
    } else if (same_name.label != sample.label) {
      complain(row, "gives " + in_quotes(sample.label_name) + " the label " +
                        std::to_string(sample.label) + ", but line " +
                        std::to_string(table_.lines[label->second]) + " gives it " +
                        std::to_string(same_name.label));
    }
  }

  void name_classes() {
    std::int64_t next = 0;
    for (const auto& [label, row] : row_of_label_) {
      for (; next < label; ++next) {
        faults_.add("no row has the label " + std::to_string(next) + ", though labels run to " +
                    std::to_string(row_of_label_.rbegin()->first));
      }
      catalog_.class_names.push_back(catalog_.samples[row].label_name);
      ++next;
    }
  }

  /// The column `label_name` alone.
  void take_names() {
    std::map<std::string, std::int64_t> classes;
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      const Sample& sample = catalog_.samples[row];
      if (sample.split == kOutlierSplit) continue;
      if (sample.label_name.empty()) complain(row, "has no label_name");
      classes.emplace(sample.label_name, 0);
    }
    for (auto& [name, label] : classes) {
      label = static_cast<std::int64_t>(catalog_.class_names.size());
      catalog_.class_names.push_back(name);
    }
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      Sample& sample = catalog_.samples[row];
      const auto found = classes.find(sample.label_name);
      if (sample.split != kOutlierSplit) {
        sample.label = found->second;
      } else if (found != classes.end()) {
        complain(row, "has the class " + in_quotes(sample.label_name) +
                          " in the split 'ood', which is for images of no class");
      }
    }
  }

  void check_splits() {
    if (!catalog_.has_splits()) return;
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      if (catalog_.samples[row].split.empty()) complain(row, "has no split, though other rows do");
    }
  }

  CsvTable table_;
  std::size_t file_ = 0;
  Column label_, label_name_, group_, split_;
  std::map<std::int64_t, std::size_t> row_of_label_;
  std::unordered_map<std::string, std::size_t> row_of_name_;
  FaultList faults_;
  Catalog catalog_;
};

/// Whether a .csv file is about images; one that cannot be read is not.
bool has_file_column(const std::string& path) {
  std::string head(1 << 16, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  try {
    return parse_csv(head.substr(0, head.find('\n') + 1), path).has_column("file");
  } catch (const DataError&) {
    return false;
  }
}

}  // namespace

Catalog read_manifest(const std::string& path) { return ManifestReader(path).read(); }

std::optional<std::string> find_manifest(const std::string& folder) {
  std::vector<std::string> tables;
  for (const std::string& name : list_folder(folder).files) {
    if (name == kLabels) return path_in(folder, name);
    if (extension_of(name) == "csv" && has_file_column(path_in(folder, name))) {
      tables.push_back(name);
    }
  }
  if (tables.size() > 1) {
    throw DataError("'" + folder + "' holds several tables with a column 'file' (" +
                    quoted_names(tables) + "): name one of them, or call it labels.csv");
  }
  if (tables.empty()) return std::nullopt;
  return path_in(folder, tables[0]);
}

}  // namespace cubcal
