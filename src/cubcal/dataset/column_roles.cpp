#include "cubcal/dataset/column_roles.h"

#include <algorithm>
#include <string_view>

#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/dataset/fault_list.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

/// Names for one role in tiers, the better one first; within a tier none is better.
using Tiers = std::vector<std::vector<std::string_view>>;

// Names are plain ones: lower case, without blanks, hyphens and underscores.
const Tiers& file_names() {
  static const Tiers tiers = {
      {"file", "filename", "filepath", "path", "imagepath", "imagefile", "imgpath", "imgfile",
       "dicompath", "dicomfile", "relativepath"},
      {"image", "imagename", "img", "imgname", "images"},
      {"imageid", "imgid", "idcode", "imageindex", "isicid", "imagenumber"}};
  return tiers;
}

const Tiers& label_names() {
  static const Tiers tiers = {{"label", "class", "labels", "classname", "classlabel", "dx",
                               "diagnosis", "target", "category", "finding", "grade", "level"}};
  return tiers;
}

const Tiers& group_names() {
  static const Tiers tiers = {{"patientid", "patient", "patientnumber", "patientkey", "subjectid",
                               "subject", "personid", "mrn"},
                              {"studyid", "caseid", "examid", "eyeid"},
                              {"lesionid", "lesion"}};
  return tiers;
}

const Tiers& split_names() {
  static const Tiers tiers = {{"split", "subset", "partition", "set"}};
  return tiers;
}

std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char c : lower_case(name)) {
    if (c != ' ' && c != '\t' && c != '-' && c != '_' && c != '.') plain += c;
  }
  return plain;
}

class RoleFinder {
 public:
  explicit RoleFinder(const CsvTable& table) : table_(table) {
    for (const std::string& name : table.header) plain_.push_back(plain_name(name));
  }

  /// The column that was asked for.
  std::size_t named(const std::string& name) const {
    if (table_.has_column(name)) return table_.column(name);
    const auto found = std::find(plain_.begin(), plain_.end(), plain_name(name));
    if (found == plain_.end()) {
      throw ArgumentError("'" + table_.name + "' has no column " + in_quotes(name) + "; it has " +
                          quoted_names(table_.header));
    }
    return static_cast<std::size_t>(found - plain_.begin());
  }

  bool has(const std::string& name) const {
    return std::find(plain_.begin(), plain_.end(), plain_name(name)) != plain_.end();
  }

  ColumnRoles::Column exact(const std::string& name) const {
    return table_.has_column(name) ? ColumnRoles::Column(table_.column(name)) : std::nullopt;
  }

  /// The one column of the best tier that has any; several throw.
  ColumnRoles::Column recognised(const Tiers& tiers, const char* role) const {
    for (const auto& names : tiers) {
      std::vector<std::size_t> found;
      for (std::size_t i = 0; i < plain_.size(); ++i) {
        const bool fits = std::find(names.begin(), names.end(), plain_[i]) != names.end();
        if (fits) found.push_back(i);
      }
      if (found.size() == 1) return found[0];
      if (found.empty()) continue;
      std::vector<std::string> candidates;
      candidates.reserve(found.size());
      for (const std::size_t i : found) candidates.push_back(table_.header[i]);
      throw DataError("'" + table_.name + "' has several columns that could hold " + role + " (" +
                      quoted_names(candidates) + "): say which one is meant");
    }
    return std::nullopt;
  }

 private:
  const CsvTable& table_;
  std::vector<std::string> plain_;
};

}  // namespace

ColumnRoles recognise_columns(const CsvTable& table, const ManifestOptions& options) {
  const RoleFinder finder(table);
  const auto role = [&](const std::string& wanted, const std::string& own, const Tiers& tiers,
                        const char* what) {
    if (!wanted.empty()) return ColumnRoles::Column(finder.named(wanted));
    const ColumnRoles::Column exact = finder.exact(own);
    return exact ? exact : finder.recognised(tiers, what);
  };
  ColumnRoles roles;
  const ColumnRoles::Column file =
      role(options.file_column, "file", file_names(), "the files of the images");
  if (!file) {
    throw NoFileColumn(
        "'" + table.name +
        "' has no column 'file', nor one of a name that is known for files; it has " +
        quoted_names(table.header));
  }
  roles.file = *file;
  const std::string& classes = options.label_column;
  if (classes.find(',') != std::string::npos && !finder.has(classes)) {
    for (std::size_t start = 0; start <= classes.size();) {
      const std::size_t end = std::min(classes.find(',', start), classes.size());
      roles.class_columns.push_back(finder.named(trimmed_cell(classes.substr(start, end - start))));
      start = end + 1;
    }
  } else if (options.label_column.empty() && finder.exact("label_name")) {
    roles.label = finder.exact("label");
    roles.label_name = finder.exact("label_name");
  } else {
    roles.label = role(options.label_column, "label", label_names(), "the class");
    const bool is_own = roles.label && table.header[*roles.label] == "label";
    if (is_own) roles.label_name = finder.exact("label_name");
  }
  roles.group =
      role(options.group_column, "group", group_names(), "who or what the image is of (the group)");
  roles.split = role(options.split_column, "split", split_names(), "the split");
  std::vector<std::size_t> used{roles.file};
  std::vector<ColumnRoles::Column> asked{roles.label, roles.label_name, roles.group, roles.split};
  asked.insert(asked.end(), roles.class_columns.begin(), roles.class_columns.end());
  for (const auto& column : asked) {
    if (!column) continue;
    if (std::find(used.begin(), used.end(), *column) != used.end()) {
      throw ArgumentError("the column " + in_quotes(table.header[*column]) + " of '" + table.name +
                          "' is asked for twice, in different roles");
    }
    used.push_back(*column);
  }
  return roles;
}

bool looks_like_manifest(const CsvTable& table) {
  if (table.has_column("file")) return true;
  const RoleFinder finder(table);
  const auto has = [&](const Tiers& tiers) {
    try {
      return finder.recognised(tiers, "").has_value();
    } catch (const DataError&) {
      return true;  // several: reading it will say so
    }
  };
  return has(file_names()) && (has(label_names()) || table.has_column("label_name"));
}

}  // namespace cubcal
