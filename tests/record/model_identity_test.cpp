#include "cubcal/record/model_identity.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

using Json = nlohmann::ordered_json;

TEST(ModelIdentity, TheNextVersionCountsItsLastNumberUp) {
  const std::pair<const char*, const char*> cases[] = {
      {"1", "2"},   {"9", "10"},        {"1.9", "1.10"},      {"2.0.99", "2.0.100"},
      {"v3", "v4"}, {"beta", "beta.2"}, {"beta.2", "beta.3"}, {"099", "100"}};
  for (const auto& [version, next] : cases) EXPECT_EQ(next_version(version), next);
  EXPECT_EQ(next_version("99999999999999999999"), "100000000000000000000");
}

TEST(ModelIdentity, NumbersComeBeforeOthers) {
  const std::pair<const char*, const char*> before[] = {
      {"0.5", "1"}, {"1.9", "1.10"}, {"1", "1.1"}, {"007", "8"}, {"9", "100000000000000000000"}};
  for (const auto& [first, second] : before) {
    EXPECT_TRUE(comes_before(first, second)) << first;
    EXPECT_FALSE(comes_before(second, first)) << first;
  }
  EXPECT_FALSE(comes_before("1", "1"));
  EXPECT_FALSE(comes_before("1", "beta.2")) << "not to be told";
  EXPECT_FALSE(comes_before("1.", "2"));
}

TEST(ModelIdentity, RoundTrip) {
  ModelIdentity identity{"Skin lesions", "2.1", "For research.", ModelStatus::kClinical,
                         "2026-01-02T03:04:05Z"};
  const ModelIdentity read = identity_from_json(identity_to_json(identity));
  EXPECT_EQ(read.name, identity.name);
  EXPECT_EQ(read.version, "2.1");
  EXPECT_EQ(read.intended_use, "For research.");
  EXPECT_EQ(read.status, ModelStatus::kClinical);
  EXPECT_EQ(read.made, identity.made);
  EXPECT_FALSE(identity_in(Json{{"network", "x"}}));
  EXPECT_TRUE(identity_in(Json{{"identity", identity_to_json(identity)}}));
}

TEST(ModelIdentity, FaultsAreNamed) {
  const auto refused = [](const Json& change, const std::string& words) {
    Json json = identity_to_json({"a"});
    json.update(change);
    expect_error<DataError>([&] { identity_from_json(json); }, words);
  };
  refused({{"name", ""}}, "the name of a model must be a line of 1 to 200 bytes");
  refused({{"name", "a\nb"}}, "the name of a model");
  refused({{"name", "\xff"}}, "the name of a model");
  for (const char* version : {"", "..", "../x", ".1", "1/2", "1 2"}) {
    refused({{"version", version}}, "the version of a model must be");
  }
  refused({{"version", std::string(51, '1')}}, "1 to 50 letters");
  refused({{"status", "approved"}}, "must be research, validation, clinical or retired");
  refused({{"intended_use", 5}}, "'intended_use' must be text");
}

}  // namespace
}  // namespace cubcal::test
