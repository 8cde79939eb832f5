#include "cubcal/report/numbers.h"
#include "cubcal/report/sections.h"

namespace cubcal::report {

std::string subgroup_section(const RunResult& run) {
  if (run.subgroups.empty() && run.skipped_columns.empty()) {
    return section("Subgroups",
                   paragraph("The test logits carry no further columns (column_<name>), so that "
                             "nothing can be said about sites, devices or ages.",
                             "muted"));
  }
  std::string html;
  for (const SubgroupTable& each : run.subgroups) {
    std::string caption = each.column + ". Accuracy with 95% Wilson intervals, image by image.";
    if (each.small_values > 0) {
      caption += " Left out: " + counted(each.small_values, "value") + " of fewer than " +
                 std::to_string(kFewestMembers) + " images (" +
                 counted(each.small_members, "image") + ").";
    }
    Table table({each.column, "images", "accuracy", "interval", "mean confidence", "mean U (nats)",
                 "AvU", "certain mistakes"},
                caption);
    for (const Subgroup& row : each.rows) {
      table.add({row.value, grouped(row.members.size()), percent(row.accuracy),
                 percent_range(row.accuracy_interval), percent(row.mean_confidence),
                 fixed(row.mean_uncertainty, 3), fixed(row.avu, 3), grouped(row.certain_mistakes)});
    }
    html += table.html();
  }
  if (!run.skipped_columns.empty()) {
    std::string names;
    for (const std::string& name : run.skipped_columns) {
      names += (names.empty() ? "" : ", ") + name;
    }
    html += paragraph("Without a table, since they do not split the images into a few groups of " +
                          std::to_string(kFewestMembers) + " or more: " + names + ".",
                      "muted");
  }
  return section("Subgroups", html);
}

}  // namespace cubcal::report
