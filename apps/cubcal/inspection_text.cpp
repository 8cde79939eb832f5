#include "inspection_text.h"

#include <cmath>
#include <string>

#include "cubcal/inspection/overview.h"
#include "cubcal/inspection/wording.h"
#include "cubcal/io/utf8.h"
#include "table_options.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

constexpr std::size_t kExamples = 5;
constexpr std::size_t kSetImages = 4;

std::string tally_text(const Tally& tally) {
  std::vector<std::string> parts;
  for (const auto& entry : tally) {
    parts.push_back(tally.size() == 1 ? entry.first
                                      : entry.first + " (" + std::to_string(entry.second) + ")");
  }
  return listed(parts, "and", 5);
}

void print_head(std::ostream& out, const Catalog& catalog, const Overview& view) {
  out << catalog.path << ": " << catalog_kind_name(catalog.kind) << ", "
      << counted(catalog.samples.size(), "image");
  if (catalog.classes() > 0) out << ", " << catalog.classes() << " classes";
  if (catalog.has_groups()) out << ", " << counted(view.total.groups.back(), "group");
  if (!catalog.columns.empty())
    out << "; further columns " << printable(listed(catalog.columns, "and"));
  out << '\n';
  print_notes(out, catalog);
  if (view.sizes.empty()) return;
  out << "size " << tally_text(view.sizes) << "; " << tally_text(view.channels) << "; "
      << tally_text(view.depths);
  if (view.depths.size() == 1) {
    out << "; levels " << view.min_level << " to " << view.max_level << ", mean "
        << std::lround(view.mean_level);
  }
  out << '\n';
}

void print_counts(std::ostream& out, const Catalog& catalog, const Overview& view) {
  std::vector<std::string> header{""};
  header.insert(header.end(), view.columns.begin(), view.columns.end());
  TextTable table(header);
  const auto add = [&](const std::string& name, const std::vector<std::size_t>& counts) {
    std::vector<std::string> row{name};
    for (const std::size_t count : counts) {
      row.push_back(count == 0 ? "–" : std::to_string(count));
    }
    table.add(row);
  };
  for (const CountRow& row : view.rows) {
    add(row.is_class || row.name == "no label" ? row.name : row.name + " (no class)", row.images);
  }
  if (view.rows.size() > 1) add("all", view.total.images);
  if (catalog.has_groups()) add("groups", view.total.groups);
  out << '\n' << table;
}

/// "images/a.jpg (Mild, train)".
std::string described(const Sample& sample) {
  const std::string comma = sample.label_name.empty() || sample.split.empty() ? "" : ", ";
  const std::string about = sample.label_name + comma + sample.split;
  return about.empty() ? sample.file : sample.file + " (" + about + ")";
}

void print_table(std::ostream& out, const Association& association) {
  std::vector<std::string> header{association.column};
  header.insert(header.end(), association.values.begin(), association.values.end());
  TextTable table(header);
  for (std::size_t r = 0; r < association.rows.size(); ++r) {
    std::vector<std::string> row{association.rows[r]};
    for (std::size_t v = 0; v < association.values.size(); ++v) {
      const std::size_t count = association.count(r, v);
      row.push_back(count == 0 ? "–" : std::to_string(count));
    }
    table.add(row);
  }
  out << table;
}

void print_examples(std::ostream& out, const Catalog& catalog, const std::vector<ImageFacts>& facts,
                    const Finding& finding) {
  if (finding.table) print_table(out, *finding.table);
  for (const std::string& line : finding.lines) out << "    " << printable(line) << '\n';
  if (finding.kind == FindingKind::kUnreadable) {
    for (const std::size_t i : finding.sets[0]) {
      out << "    " << printable(facts[i].unreadable) << '\n';
    }
    return;
  }
  std::vector<SampleList> sets = finding.sets;
  const bool of_singles =
      finding.kind == FindingKind::kEnlarged || finding.kind == FindingKind::kConstant ||
      finding.kind == FindingKind::kGrayAsRgb || finding.kind == FindingKind::kTurned;
  if (of_singles) {
    sets.clear();
    for (const std::size_t i : finding.sets[0]) sets.push_back({i});
  }
  for (std::size_t s = 0; s < std::min(sets.size(), kExamples); ++s) {
    std::vector<std::string> names;
    for (const std::size_t i : sets[s]) names.push_back(described(catalog.samples[i]));
    out << "    " << printable(listed(names, "and", kSetImages)) << '\n';
  }
  if (sets.size() > kExamples) out << "    … and " << sets.size() - kExamples << " more\n";
}

}  // namespace

void print_inspection(std::ostream& out, const Catalog& catalog,
                      const std::vector<ImageFacts>& facts, const std::vector<Finding>& findings) {
  const Overview view = overview(catalog, facts);
  print_head(out, catalog, view);
  print_counts(out, catalog, view);
  if (findings.empty()) out << "\nNothing was found.\n";
  for (const Finding& finding : findings) {
    out << '\n' << severity_name(finding.severity) << ": " << printable(finding.sentence) << '\n';
    print_examples(out, catalog, facts, finding);
  }
}

}  // namespace cubcal::app
