// Holds the values of subgroups and max-T p-values against those that make_audit.py beside this
// file worked out by brute force; columns are made here as there.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cubcal/audit/audit.h"
#include "cubcal/uncertainty/predictive.h"

namespace cubcal {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json kept(const std::string& name) {
  std::ifstream in(fs::path(CUBCAL_TEST_DATA) / "reference" / "audit" / (name + ".json"));
  return Json::parse(in);
}

class AuditReference : public testing::TestWithParam<std::string> {};

TEST_P(AuditReference, ValuesOfGroupsAndOfTheRest) {
  const fs::path path = fs::path(CUBCAL_TEST_DATA) / "reference" / (GetParam() + ".npz");
  const LogitsFile file = read_logits_file(path.string());
  const SampleFacts facts = sample_facts(predict(McLogits(file.logits)), file.labels, {});
  SampleColumn column{"third", {}};
  std::vector<std::uint8_t> flagged;
  for (std::size_t i = 0; i < facts.samples; ++i) {
    column.values.push_back(std::to_string(7 * i % 3));
    flagged.push_back(5 * i % 11 < 2 ? 1 : 0);
  }
  AuditOptions options;
  options.bootstrap.replicates = 2;
  options.permutations = 19;
  options.fewest = 2;
  options.refer_above = 0.5;
  const Audit audit = audit_subgroups(facts, {column}, {}, flagged, options);
  const Json expected = kept(GetParam());
  ASSERT_EQ(audit.columns.at(0).groups.size(), 3U);
  const double tolerance = file.logits.dtype() == DType::kF64 ? 1e-9 : 1e-6;
  for (std::size_t g = 0; g < 3; ++g) {
    const GroupAudit& group = audit.columns[0].groups[g];
    ASSERT_EQ(expected[g]["values"].size(), audit.labels.size());
    for (std::size_t m = 0; m < audit.labels.size(); ++m) {
      const std::string key = audit.labels[m].key;
      const auto expect = [&](const std::optional<double>& actual, const Json& value) {
        ASSERT_EQ(actual.has_value(), !value.is_null()) << key;
        if (!actual) return;
        EXPECT_NEAR(*actual, value.get<double>(), tolerance) << key << " of " << g;
      };
      expect(group.values[m], expected[g]["values"][key]);
      expect(group.rest[m], expected[g]["rest"][key]);
      ASSERT_EQ(group.gaps[m].gap.has_value(), group.values[m] && group.rest[m]) << key;
      if (!group.gaps[m].gap) continue;
      EXPECT_EQ(*group.gaps[m].gap, *group.values[m] - *group.rest[m]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, AuditReference,
                         testing::Values("ties_k2", "float16_k3", "big_endian_k5",
                                         "one_pass_two_axes_k6", "all_wrong_k4"),
                         [](const auto& test) { return test.param; });

std::optional<double> defined(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional<double>(value.get<double>());
}

TEST(MaxTReference, ByDefinition) {
  const Json tables = kept("max_t");
  for (const Json& table : tables) {
    std::vector<std::vector<std::optional<double>>> permuted;
    for (const Json& row : table["permuted"]) {
      permuted.emplace_back();
      for (const Json& value : row) permuted.back().push_back(defined(value));
    }
    std::vector<std::optional<double>> observed;
    for (const Json& value : table["observed"]) observed.push_back(defined(value));
    const std::vector<PermutationP> found = max_t_p_values(observed, permuted);
    for (std::size_t j = 0; j < found.size(); ++j) {
      EXPECT_NEAR(found[j].p, table["p"][j].get<double>(), 1e-12);
      EXPECT_NEAR(found[j].corrected, table["corrected"][j].get<double>(), 1e-12);
    }
  }
}

}  // namespace
}  // namespace cubcal
