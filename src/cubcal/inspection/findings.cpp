#include "cubcal/inspection/findings.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cubcal/core/check.h"
#include "cubcal/core/words.h"
#include "cubcal/inspection/duplicate_findings.h"
#include "cubcal/inspection/image_findings.h"
#include "cubcal/inspection/overview.h"
#include "cubcal/inspection/spelling.h"
#include "cubcal/inspection/wording.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

std::string telling_sentence(const Association& table) {
  const std::string subject = table.of_outliers ? "what is an outlier" : "the class";
  std::string sentence = "'" + table.column + "' gives " +
                         (table.of_outliers ? "the outliers" : "the class") + " away";
  if (table.row_from_value >= kTellingCoefficient) {
    sentence += " (knowing it settles " + whole_percent(table.row_from_value) +
                " of the uncertainty about " + subject + ")";
  }
  const bool is_finer = !table.of_outliers && !table.is_derived && table.is_nested();
  if (is_finer) return sentence + ", unless it is a finer label: each value is of one class.";
  const std::string rule = describe_rule(table);
  return sentence + (rule.empty() ? "." : ": " + rule + ".");
}

/// What opening the set could not make a sample of.
void find_left_out(const Catalog& catalog, std::vector<Finding>& findings) {
  const std::size_t count = catalog.faults.size();
  if (count == 0) return;
  const bool is_row = starts_with(catalog.faults[0], "line ");
  Finding finding{Severity::kWarning, FindingKind::kLeftOut,
                  (is_row ? counted(count, "row") : counted(count, "entry", "entries")) +
                      " cannot be used and " + (count == 1 ? "is" : "are") +
                      " left out here; other commands refuse the set until that is corrected."};
  finding.lines = catalog.faults;
  findings.push_back(std::move(finding));
}

/// Numbers of classes that no row has.
void find_label_gaps(const Catalog& catalog, std::vector<Finding>& findings) {
  if (catalog.label_gaps.empty()) return;
  std::vector<std::string> labels;
  for (const std::int64_t label : catalog.label_gaps) labels.push_back(std::to_string(label));
  findings.push_back({Severity::kWarning, FindingKind::kLabelGap,
                      "No row has the label " + listed(labels, "or") +
                          ", though labels run further; other commands refuse the set until they "
                          "are 0, 1, 2 and so on without gaps."});
}

std::string alike_text(const AlikeNames& alike) {
  return in_quotes(alike.rarer) + " (" + counted(alike.rarer_count, "image") + ") looks like " +
         in_quotes(alike.commoner) + " (" + counted(alike.commoner_count, "image") + ")";
}

/// Names that may mean one thing, and rows that were forgotten.
void find_spellings(const Catalog& catalog, std::vector<Finding>& findings) {
  const auto add = [&](FindingKind kind, const std::vector<AlikeNames>& all, const char* one,
                       const char* many) {
    if (all.empty()) return;
    Finding finding{Severity::kWarning, kind,
                    counted(all.size(), one, many) + " may be another one spelt differently."};
    for (const AlikeNames& alike : all) finding.lines.push_back(alike_text(alike));
    findings.push_back(std::move(finding));
  };
  add(FindingKind::kLabelsAlike, alike_labels(catalog), "class", "classes");
  add(FindingKind::kSplitsAlike, alike_splits(catalog), "split", "splits");
  if (!catalog.has_splits()) return;
  SampleList without;
  for (std::size_t i = 0; i < catalog.samples.size(); ++i) {
    if (catalog.samples[i].split.empty()) without.push_back(i);
  }
  if (without.empty()) return;
  findings.push_back({Severity::kWarning,
                      FindingKind::kNoSplit,
                      counted(without.size(), "image") + (without.size() == 1 ? " has" : " have") +
                          " no split, though others do.",
                      {without}});
}

void find_telling_columns(const Catalog& catalog, const std::vector<ImageFacts>& facts,
                          std::vector<Finding>& findings) {
  for (const Association& table : associations(catalog, facts)) {
    if (!table.is_telling()) continue;
    Finding finding{Severity::kWarning, FindingKind::kTellingColumn, telling_sentence(table)};
    finding.table = table;
    findings.push_back(std::move(finding));
  }
}

/// Classes without images in some split, and classes of very different sizes.
void find_uneven_classes(const Overview& view, double imbalance, std::vector<Finding>& findings) {
  const std::size_t columns = view.columns.size();
  std::vector<const CountRow*> classes;
  for (const CountRow& row : view.rows) {
    if (row.is_class) classes.push_back(&row);
  }
  if (classes.size() < 2) return;
  for (std::size_t c = 0; c < columns; ++c) {
    if (view.columns[c] == kOutlierSplit || view.columns[c] == kNotSplit) continue;
    std::vector<std::string> missing;
    for (const CountRow* row : classes) {
      if (row->images[c] == 0) missing.push_back(row->name);
    }
    if (missing.empty() || missing.size() == classes.size()) continue;
    const std::string where = c + 1 == columns ? " at all" : " in " + view.columns[c];
    findings.push_back({Severity::kWarning, FindingKind::kMissingClass,
                        listed(missing, "and") + (missing.size() == 1 ? " has" : " have") +
                            " no images" + where + "."});
  }
  const auto train = std::find(view.columns.begin(), view.columns.end(), "train");
  const auto column = static_cast<std::size_t>(
      (train == view.columns.end() ? view.columns.end() - 1 : train) - view.columns.begin());
  const auto [least, most] = std::minmax_element(
      classes.begin(), classes.end(),
      [&](const CountRow* a, const CountRow* b) { return a->images[column] < b->images[column]; });
  const auto few = static_cast<double>((*least)->images[column]);
  const auto many = static_cast<double>((*most)->images[column]);
  if (few == 0 || many < imbalance * few) return;
  findings.push_back({Severity::kWarning, FindingKind::kImbalance,
                      (*most)->name + " has " + to_text(std::round(many / few)) +
                          " times as many images as " + (*least)->name + " (" +
                          std::to_string((*most)->images[column]) + " against " +
                          std::to_string((*least)->images[column]) +
                          (train == view.columns.end() ? "" : " in train") + "; warned of from " +
                          to_text(imbalance) + " times on)."});
}

}  // namespace

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::kLeak: return "leak";
    case Severity::kWarning: return "warning";
    default: return "note";
  }
}

const char* finding_name(FindingKind kind) {
  switch (kind) {
    case FindingKind::kLeftOut: return "left_out";
    case FindingKind::kUnreadable: return "unreadable";
    case FindingKind::kIdenticalAcrossSplits: return "identical_across_splits";
    case FindingKind::kNearAcrossSplits: return "near_across_splits";
    case FindingKind::kGroupAcrossSplits: return "group_across_splits";
    case FindingKind::kIdenticalUnderLabels: return "identical_under_labels";
    case FindingKind::kNearUnderLabels: return "near_under_labels";
    case FindingKind::kIdenticalWithOutliers: return "identical_with_outliers";
    case FindingKind::kNearWithOutliers: return "near_with_outliers";
    case FindingKind::kGroupWithOutliers: return "group_with_outliers";
    case FindingKind::kIdenticalAcrossGroups: return "identical_across_groups";
    case FindingKind::kLabelsAlike: return "labels_alike";
    case FindingKind::kSplitsAlike: return "splits_alike";
    case FindingKind::kNoSplit: return "no_split";
    case FindingKind::kTellingColumn: return "telling_column";
    case FindingKind::kEnlarged: return "enlarged";
    case FindingKind::kConstant: return "constant";
    case FindingKind::kMissingClass: return "missing_class";
    case FindingKind::kLabelGap: return "label_gap";
    case FindingKind::kImbalance: return "imbalance";
    case FindingKind::kIdentical: return "identical";
    case FindingKind::kNear: return "near";
    case FindingKind::kMixedSizes: return "mixed_sizes";
    case FindingKind::kMixedColour: return "mixed_colour";
    case FindingKind::kMixedDepth: return "mixed_depth";
    case FindingKind::kGrayAsRgb: return "gray_as_rgb";
    case FindingKind::kTurned: return "turned";
    default: return "unused_range";
  }
}

std::vector<Finding> examine(const Catalog& catalog, const std::vector<ImageFacts>& facts,
                             const ExamineOptions& options) {
  check_at_least("the imbalance warned of", options.imbalance, 1);
  const Overview view = overview(catalog, facts);
  const std::vector<SampleList> identical = identical_images(facts);
  std::vector<Finding> findings;
  find_left_out(catalog, findings);
  find_label_gaps(catalog, findings);
  find_unreadable(facts, findings);
  find_identical(catalog, identical, findings);
  find_near(catalog, identical, near_duplicates(facts, options.near), options.near, findings);
  find_torn_groups(catalog, findings);
  find_spellings(catalog, findings);
  find_telling_columns(catalog, facts, findings);
  find_enlarged(catalog, facts, findings);
  find_constant(facts, findings);
  find_uneven_classes(view, options.imbalance, findings);
  find_mixture(view, facts, findings);
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.severity, a.kind) < std::tie(b.severity, b.kind);
  });
  return findings;
}

bool has_leak(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.severity == Severity::kLeak; });
}

}  // namespace cubcal
