#include "cubcal/dataset/manifest.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cubcal/core/error.h"
#include "cubcal/core/parse_number.h"
#include "cubcal/core/words.h"
#include "cubcal/dataset/column_roles.h"
#include "cubcal/dataset/fault_list.h"
#include "cubcal/dataset/file_finder.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/dataset/folder_walk.h"
#include "cubcal/dataset/one_hot.h"
#include "cubcal/dataset/split_name.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/regular_file.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr const char* kLabels = "labels.csv";

/// How a column that is not ours became one of the parts of a sample.
std::string role_text(const char* role, const std::string& column) {
  return std::string(role) + " = column " + in_quotes(column);
}

/// The table with what was recognised of its form.
struct OpenTable {
  CsvTable csv;
  std::vector<std::string> notes = {};
};

/// Spreadsheet programs state their separator in a first line "sep=;".
char take_stated_separator(std::string_view& text) {
  if (lower_case(text.substr(0, 4)) != "sep=" || text.size() < 6) return '\0';
  const char separator = text[4];
  const std::size_t end = text.find('\n');
  if (end > 6) return '\0';
  text.remove_prefix(end + 1);
  return separator;
}

OpenTable open_table(const std::string& path, const ManifestOptions& options) {
  CsvOptions csv;
  csv.name_blank_columns = true;
  const std::string bytes = read_text_file(path, csv.max_bytes);
  const DecodedText decoded = decode_text(bytes, options.encoding, path);
  std::string_view text = decoded.text;
  const char stated = take_stated_separator(text);
  csv.separator = options.separator != '\0' ? options.separator
                  : stated != '\0'          ? stated
                                            : recognise_separator(text);
  OpenTable table{parse_csv(text, path, csv)};
  for (std::string& name : table.csv.header) name = trimmed_cell(name);
  const bool is_plain = decoded.encoding == TextEncoding::kUtf8 && csv.separator == ',';
  if (!is_plain) {
    table.notes.push_back(std::string("text is ") + text_encoding_name(decoded.encoding) +
                          ", fields are separated by " + separator_name(csv.separator));
  }
  return table;
}

bool is_blank_row(const std::vector<std::string>& row) {
  return std::all_of(row.begin(), row.end(),
                     [](const std::string& field) { return trimmed_cell(field).empty(); });
}

/// A class number: a whole number, or one with nothing but zeros behind the point, as spreadsheets
/// make of it.
std::optional<std::int64_t> whole_number(const std::string& field) {
  std::string text = trimmed_cell(field);
  const std::size_t point = text.find_first_of(".,");
  if (point != std::string::npos && point > 0) {
    if (text.find_first_not_of('0', point + 1) != std::string::npos) return std::nullopt;
    text.resize(point);
  }
  return parse_whole<std::int64_t>(text);
}

class ManifestReader {
 public:
  ManifestReader(const std::string& path, const OpenOptions& options)
      : tolerant_(options.tolerant) {
    OpenTable table = open_table(path, options.table);
    table_ = std::move(table.csv);
    catalog_.notes = std::move(table.notes);
    catalog_.path = path;
    catalog_.root = folder_of(path);
    roles_ = recognise_columns(table_, options.table);
    drop_blank_rows();
    sort_out_labels();
    note_columns();
    if (!roles_.class_columns.empty()) {
      take_one_hot(roles_.class_columns);
    } else if (!roles_.label && !roles_.label_name) {
      recognise_one_hot();
    }
  }

  Catalog read() {
    if (table_.rows.empty()) throw DataError("'" + table_.name + "' lists no images");
    take_rows();
    check_files();
    if (roles_.label) {
      take_labels();
    } else if (roles_.label_name) {
      take_names();
    } else {
      catalog_.kind = CatalogKind::kImages;
    }
    if (!tolerant_) check_splits();
    if (tolerant_ && bad_rows_.size() < table_.rows.size()) {
      leave_out_bad_rows();
    } else {
      faults_.raise(table_.name);
    }
    return std::move(catalog_);
  }

 private:
  using Column = ColumnRoles::Column;

  const std::string& field(std::size_t row, Column column) const {
    static const std::string nothing;
    return column ? table_.rows[row][*column] : nothing;
  }

  void complain(std::size_t row, const std::string& text) {
    faults_.add(table_.lines[row], text);
    bad_rows_.insert(row);
  }

  /// Spreadsheets end with rows, and may have columns, of nothing but separators.
  void drop_blank_rows() {
    std::size_t kept = 0;
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      const bool alone = table_.header.size() == 1;  // then an empty field is a fault
      if (!alone && is_blank_row(table_.rows[row])) continue;
      if (kept != row) {
        table_.rows[kept] = std::move(table_.rows[row]);
        table_.lines[kept] = table_.lines[row];
      }
      ++kept;
    }
    if (kept == table_.rows.size()) return;
    catalog_.notes.push_back(std::to_string(table_.rows.size() - kept) + " blank rows passed over");
    table_.rows.resize(kept);
    table_.lines.resize(kept);
  }

  /// A column of labels whose values are mostly no numbers holds names.
  void sort_out_labels() {
    if (!roles_.label || roles_.label_name) return;
    std::size_t numbers = 0;
    std::size_t names = 0;
    for (const auto& row : table_.rows) {
      const std::string& value = row[*roles_.label];
      if (!trimmed_cell(value).empty()) ++(whole_number(value) ? numbers : names);
    }
    if (names > numbers) std::swap(roles_.label, roles_.label_name);
  }

  /// Columns of 0 and 1, of which a row has exactly one 1, are a class each.
  void recognise_one_hot() {
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < table_.header.size(); ++i) {
      if (!roles_.has(i)) free.push_back(i);
    }
    std::vector<bool> counted;
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      counted.push_back(canonical_split(field(row, roles_.split)) != kOutlierSplit);
    }
    const OneHotSearch found = find_one_hot(table_, free, counted);
    if (found.blocks.size() > 1) {
      throw DataError("'" + table_.name + "' has the columns " + names_of(found.blocks[0]) +
                      " and the columns " + names_of(found.blocks[1]) +
                      ", either of which could be a class each: name those of the classes with "
                      "the option 'label_column', separated by commas");
    }
    if (found.blocks.size() == 1) return take_one_hot(found.blocks[0]);
    const std::size_t others = found.other_rows;
    if (found.indicators.size() > 2 && 2 * others < table_.rows.size()) {
      catalog_.notes.push_back("the columns " + names_of(found.indicators) +
                               " look like one class each, but " + std::to_string(others) +
                               (others == 1 ? " row has" : " rows have") +
                               " not exactly one 1 in them, so no class was taken");
    }
  }

  std::string names_of(const std::vector<std::size_t>& columns) const {
    std::vector<std::string> names;
    names.reserve(columns.size());
    for (const std::size_t i : columns) names.push_back(table_.header[i]);
    return quoted_names(names);
  }

  /// Rows of no class are left without a name, which take_names complains of.
  void take_one_hot(const std::vector<std::size_t>& columns) {
    one_hot_ = columns;
    catalog_.notes.push_back("class = the one of the columns " + names_of(columns) + " that is 1");
    roles_.label_name = table_.header.size();
    table_.header.emplace_back("label_name");
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      const OneHotRow read = one_hot_row(table_, row, columns);
      table_.rows[row].push_back(read.place ? table_.header[columns[*read.place]] : "");
    }
  }

  void note_columns() {
    const auto own = [&](Column column, std::initializer_list<std::string_view> names) {
      return !column ||
             std::find(names.begin(), names.end(), table_.header[*column]) != names.end();
    };
    std::vector<std::string> parts;
    if (!own(roles_.file, {"file"})) parts.push_back(role_text("file", table_.header[roles_.file]));
    const Column named = roles_.label ? roles_.label : roles_.label_name;
    if (!own(named, {"label", "label_name"})) {
      parts.push_back(role_text("class", table_.header[*named]) +
                      (roles_.label ? " (numbers)" : " (names)"));
    }
    if (!own(roles_.group, {"group"})) {
      parts.push_back(role_text("group", table_.header[*roles_.group]));
    }
    if (!own(roles_.split, {"split"})) {
      parts.push_back(role_text("split", table_.header[*roles_.split]));
    }
    for (const auto& [column, name] : {std::pair<Column, const char*>{roles_.group, "group"},
                                       {roles_.split, "split"},
                                       {named, "label_name"}}) {
      if (column) catalog_.aliases.emplace_back(table_.header[*column], name);
    }
    if (!parts.empty()) catalog_.notes.insert(catalog_.notes.begin(), joined(parts));
  }

  /// The name a further column goes by: it must not take the place of one of ours.
  static std::string further_name(const std::string& name) {
    constexpr std::string_view kOurs[] = {"file", "label", "label_name", "group", "split"};
    const bool is_ours = std::find(std::begin(kOurs), std::end(kOurs), name) != std::end(kOurs);
    return is_ours ? "table_" + name : name;
  }

  bool is_empty_column(std::size_t column) const {
    return starts_with(table_.header[column], "column ") &&
           std::all_of(table_.rows.begin(), table_.rows.end(),
                       [&](const auto& row) { return trimmed_cell(row[column]).empty(); });
  }

  bool is_class_column(std::size_t column) const {
    return std::find(one_hot_.begin(), one_hot_.end(), column) != one_hot_.end();
  }

  void take_rows() {
    std::vector<std::size_t> further;
    for (std::size_t i = 0; i < table_.header.size(); ++i) {
      if (roles_.has(i) || is_class_column(i) || is_empty_column(i)) continue;
      further.push_back(i);
      catalog_.columns.push_back(further_name(table_.header[i]));
    }
    catalog_.samples.resize(table_.rows.size());
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      Sample& sample = catalog_.samples[row];
      sample.file = field(row, roles_.file);
      sample.label_name = field(row, roles_.label_name);
      sample.group = field(row, roles_.group);
      const std::string& split = field(row, roles_.split);
      sample.split = canonical_split(split);
      if (!sample.split.empty() && trimmed_cell(split) != split) ++catalog_.blank_splits[split];
      for (const std::size_t column : further) sample.metadata.push_back(field(row, column));
    }
  }

  void check_files() {
    const std::string root = normal_path(catalog_.root);
    FileFinder finder(root);
    std::unordered_map<std::string, std::size_t> seen;
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      std::string& file = catalog_.samples[row].file;
      if (file.empty()) {
        complain(row, "has no file");
        continue;
      }
      FileFinder::Found found = finder.find(file);
      const std::string path = normal_path(path_in(root, found.file));
      const auto [first, is_new] = seen.emplace(path, row);
      if (!is_new) {
        complain_again(row, first->second);
      } else if (!found.complaint.empty() && !tolerant_) {
        complain(row, "names " + in_quotes(file) + ", which " + found.complaint);
      }
      file = std::move(found.file);
    }
    for (const std::string& note : finder.notes()) catalog_.notes.push_back(note);
  }

  /// What a row says of its class, as far as it is text.
  std::string class_text(std::size_t row) const {
    const std::string text = trimmed_cell(field(row, roles_.label));
    const std::optional<std::int64_t> number = whole_number(text);
    std::string name = trimmed_cell(field(row, roles_.label_name));
    if (name.empty()) return number ? std::to_string(*number) : text;
    return name;
  }

  /// Of rows that contradict each other none is right.
  void complain_again(std::size_t row, std::size_t first) {
    const std::string again = "lists " + in_quotes(catalog_.samples[row].file) + " again";
    const std::string before = "line " + std::to_string(table_.lines[first]);
    const std::string one = class_text(first);
    const std::string other = class_text(row);
    if (one == other) return complain(row, again + ", after " + before);
    complain(row, again + " with the label " + in_quotes(other) + ", which " + before + " gives " +
                      in_quotes(one));
    if (!tolerant_ || !contradicted_.insert(first).second) return;
    complain(first, "lists " + in_quotes(catalog_.samples[first].file) + " with the label " +
                        in_quotes(one) + ", which line " + std::to_string(table_.lines[row]) +
                        " contradicts");
  }

  void leave_out_bad_rows() {
    catalog_.faults = faults_.texts();
    std::size_t kept = 0;
    for (std::size_t row = 0; row < catalog_.samples.size(); ++row) {
      if (bad_rows_.count(row) > 0) continue;
      if (kept != row) catalog_.samples[kept] = std::move(catalog_.samples[row]);
      ++kept;
    }
    catalog_.samples.resize(kept);
    if (catalog_.class_names.size() > 1) drop_empty_classes();
  }

  void drop_empty_classes() {
    std::vector<std::int64_t> number(catalog_.class_names.size(), kNoLabel);
    for (const Sample& sample : catalog_.samples) {
      if (sample.label != kNoLabel) number[static_cast<std::size_t>(sample.label)] = 0;
    }
    std::vector<std::string> names;
    for (std::size_t k = 0; k < number.size(); ++k) {
      if (number[k] == kNoLabel) continue;
      number[k] = static_cast<std::int64_t>(names.size());
      names.push_back(catalog_.class_names[k]);
    }
    catalog_.class_names = names;
    for (Sample& sample : catalog_.samples) {
      if (sample.label != kNoLabel) sample.label = number[static_cast<std::size_t>(sample.label)];
    }
  }

  /// The number in the column `label`; none where it is not a class number, which is a fault.
  std::optional<std::int64_t> label_of(std::size_t row) {
    const std::string& text = field(row, roles_.label);
    if (trimmed_cell(text).empty()) {
      if (catalog_.samples[row].split == kOutlierSplit) return kNoLabel;
      complain(row, "has no label");
      return std::nullopt;
    }
    const std::optional<std::int64_t> label = whole_number(text);
    if (!label || *label < kNoLabel || *label >= kMostClasses) {
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
    if (!roles_.label_name) sample.label_name = std::to_string(sample.label);
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

  /// A look at the table numbers the classes that are there without it.
  void skip_label(std::int64_t label) {
    if (tolerant_) {
      catalog_.label_gaps.push_back(label);
      catalog_.class_names.push_back(std::to_string(label));
    } else {
      faults_.add("no row has the label " + std::to_string(label) + ", though labels run to " +
                  std::to_string(row_of_label_.rbegin()->first));
    }
  }

  void name_classes() {
    std::int64_t next = 0;
    for (const auto& [label, row] : row_of_label_) {
      for (; next < label; ++next) skip_label(next);
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
      if (trimmed_cell(sample.label_name).empty()) {
        complain(row, one_hot_.empty() ? "has no " + table_.header[*roles_.label_name]
                                       : one_hot_row(table_, row, one_hot_).fault);
      } else {
        classes.emplace(sample.label_name, 0);
      }
    }
    for (auto& [name, label] : classes) {
      label = static_cast<std::int64_t>(catalog_.class_names.size());
      catalog_.class_names.push_back(name);
    }
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      Sample& sample = catalog_.samples[row];
      const auto found = classes.find(sample.label_name);
      if (sample.split != kOutlierSplit) {
        if (found != classes.end()) sample.label = found->second;
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

  bool tolerant_;
  CsvTable table_;
  ColumnRoles roles_;
  std::vector<std::size_t> one_hot_;  ///< columns that are a class each
  std::map<std::int64_t, std::size_t> row_of_label_;
  std::unordered_map<std::string, std::size_t> row_of_name_;
  FaultList faults_;
  std::unordered_set<std::size_t> bad_rows_;
  std::unordered_set<std::size_t> contradicted_;  ///< rows that a later one lists otherwise
  Catalog catalog_;
};

/// Whether a table is about images; one that cannot be read is not.
bool is_about_images(const std::string& path) {
  try {
    const std::string head = head_of_file(path, 1 << 16);
    const std::string text =
        decode_text(head.substr(0, head.size() / 2 * 2), TextEncoding::kAuto, path).text;
    std::string_view rest = text;
    CsvOptions csv;
    csv.name_blank_columns = true;
    const char stated = take_stated_separator(rest);
    csv.separator = stated != '\0' ? stated : recognise_separator(rest);
    CsvTable table = parse_csv(rest.substr(0, rest.find('\n') + 1), path, csv);
    for (std::string& name : table.header) name = trimmed_cell(name);
    return looks_like_manifest(table);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

Catalog read_manifest(const std::string& path, const OpenOptions& options) {
  return ManifestReader(path, options).read();
}

bool is_table_file(const std::string& path) {
  const std::string extension = extension_of(path);
  return extension == "csv" || extension == "tsv" || (extension == "txt" && is_about_images(path));
}

std::optional<std::string> find_manifest(const std::string& folder) {
  std::vector<std::string> tables;
  for (const std::string& name : list_folder(folder).files) {
    if (name == kLabels) return path_in(folder, name);
    const std::string extension = extension_of(name);
    const bool is_table = extension == "csv" || extension == "tsv";
    if (is_table && is_about_images(path_in(folder, name))) {
      tables.push_back(name);
    }
  }
  if (tables.size() > 1) {
    throw DataError("'" + folder + "' holds several tables of images (" + quoted_names(tables) +
                    "): name one of them, or call it labels.csv");
  }
  if (tables.empty()) return std::nullopt;
  return path_in(folder, tables[0]);
}

}  // namespace cubcal
