#include "cubcal/audit/audit_json.h"

#include "cubcal/evaluation/evaluation_json.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/version.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

Json values_json(const Audit& audit, const AuditValues& values) {
  Json json = Json::object();
  for (std::size_t m = 0; m < values.size(); ++m) {
    json[audit.labels[m].key] = json_or_null(values[m]);
  }
  return json;
}

Json gap_json(const Audit& audit, const AuditGap& gap) {
  Json json{{"gap", json_or_null(gap.gap)},
            {"interval", interval_json(gap.interval)},
            {"p", gap.test ? Json(gap.test->p) : Json()},
            {"corrected_p", gap.test ? Json(gap.test->corrected) : Json()},
            {"found", audit.is_found(gap)}};
  if (gap.margin) {
    json["within_margin"] = gap.margin->is_within;
    json["units_needed"] = gap.margin->units_needed ? Json(*gap.margin->units_needed) : Json();
  }
  return json;
}

Json group_json(const Audit& audit, const GroupAudit& group) {
  Json json{{"value", group.value},
            {"samples", group.samples},
            {"units", group.units},
            {"rest_units", group.rest_units},
            {"too_few", !group.is_compared}};
  if (!group.is_compared) return json;
  json["values"] = values_json(audit, group.values);
  json["rest"] = values_json(audit, group.rest);
  Json intervals = Json::object();
  Json gaps = Json::object();
  for (std::size_t m = 0; m < audit.labels.size(); ++m) {
    intervals[audit.labels[m].key] = interval_json(group.intervals[m]);
    gaps[audit.labels[m].key] = gap_json(audit, group.gaps[m]);
  }
  json["intervals"] = std::move(intervals);
  json["gaps"] = std::move(gaps);
  return json;
}

}  // namespace

Json audit_json(const Audit& audit) {
  Json json{{"samples", audit.samples},
            {"units", audit.units},
            {"units_are", audit.by_group ? "groups" : "samples"},
            {"overall", values_json(audit, audit.overall)},
            {"columns", Json::array()},
            {"skipped", Json::array()}};
  for (const ColumnAudit& column : audit.columns) {
    Json groups = Json::array();
    for (const GroupAudit& group : column.groups) groups.push_back(group_json(audit, group));
    json["columns"].push_back({{"name", column.column},
                               {"grouping", grouping_name(column.grouping)},
                               {"differs_within_units", !column.is_constant_in_units},
                               {"groups", std::move(groups)}});
  }
  for (const SkippedColumn& each : audit.skipped) {
    json["skipped"].push_back({{"name", each.column}, {"reason", each.reason}});
  }
  const AuditOptions& options = audit.options;
  json["fewest_units"] = options.fewest;
  json["refer_above"] = options.refer_above;
  json["margin"] = json_or_null(options.margin);
  json["tests"] = {{"count", audit.tests},
                   {"alarm_rate", options.alarm_rate},
                   {"permutations", options.permutations},
                   {"correction", "step-down max-T (Westfall and Young 1993)"}};
  json["bootstrap"] = bootstrap_json(options.bootstrap, audit.by_group);
  json["convention"] = convention_json(audit.metrics);
  return json;
}

std::string audit_document(const Audit& audit, const AuditSource& source) {
  Json json{{"cubcal", kVersion},
            {"file", source.file},
            {"calibration", text_or_null(source.calibration)},
            {"out_of_scope", text_or_null(source.out_of_scope)}};
  json.update(audit_json(audit));
  return json.dump(2) + "\n";
}

}  // namespace cubcal
