#include "cubcal/service/answer_json.h"

#include <gtest/gtest.h>

#include "cubcal/service/answer_line.h"
#include "service/fake_model.h"

namespace cubcal::test {
namespace {

using Json = nlohmann::ordered_json;

std::string keys_of(const Json& json) {
  std::string keys;
  for (const auto& entry : json.items()) keys += (keys.empty() ? "" : " ") + entry.key();
  return keys;
}

FileAnswer file_of(const std::string& path, std::size_t passes) {
  Answer answer;
  answer.label_index = 1;
  answer.label = "middle";
  answer.probabilities = {0.25, 0.5, 0.25};
  answer.confidence = 0.5;
  answer.passes = passes;
  return {path, answer, ""};
}

TEST(AnswerJson, ADocumentHasPredictionsAndWhatIsUnreadable) {
  const FakeModel model;
  PredictionSettings settings;
  settings.seed = 7;
  const std::vector<FileAnswer> files = {file_of("a.png", 4), {"b.png", {}, "b.png is no image"}};
  const std::string text = predictions_document(files, model.facts(), settings, "now");
  EXPECT_EQ(text.back(), '\n');
  const Json json = Json::parse(text);
  EXPECT_EQ(keys_of(json),
            "model model_name model_version model_status weights_hash decision_hash calibration "
            "program intended_use seed time eta policy predictions unreadable");
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["time"], "now");
  EXPECT_TRUE(json["decision_hash"].is_null());
  ASSERT_EQ(json["predictions"].size(), 1U);
  EXPECT_EQ(json["predictions"][0].dump(),
            prediction_json("a.png", *files[0].answer, model.facts()).dump());
  EXPECT_EQ(json["unreadable"].dump(), R"([{"image":"b.png","reason":"b.png is no image"}])");
}

TEST(AnswerJson, PassesAreToldWhereTheyAreStopped) {
  const FakeModel model;
  PredictionSettings settings;
  settings.stopping = StoppingSettings{0.005, 8, 4, false};
  const auto document = [&](const std::vector<FileAnswer>& files) {
    return Json::parse(predictions_document(files, model.facts(), settings, ""));
  };
  const Json json = document({file_of("a.png", 8), file_of("b.png", 3), {"c.png", {}, "no"}});
  EXPECT_EQ(json["adaptive"].dump(), R"({"error":0.005,"passes":4,"mean_passes":5.5})");
  EXPECT_EQ(json["predictions"][1]["passes"], 3);
  EXPECT_TRUE(document({{"c.png", {}, "no"}})["adaptive"]["mean_passes"].is_null());
}

TEST(AnswerJson, SettingsAreAllThatAnswersFollowFrom) {
  const FakeModel model;
  PredictionSettings settings;
  settings.seed = 3;
  EXPECT_EQ(to_json(settings, model.facts()).dump(),
            R"({"seed":3,"passes":4,"adaptive":null,"frame":null,"compute":""})");
  settings.stopping = StoppingSettings{0.5, 8, 4, true};
  settings.frame = 2;
  EXPECT_EQ(to_json(settings, model.facts()).dump(),
            R"({"seed":3,"passes":4,"adaptive":{"error":0.5,"first":8,"block":4,"gamma":true},)"
            R"("frame":2,"compute":""})");
}

TEST(AnswerJson, FilesAndTheServiceSayTheSameOfAModel) {
  const auto model = std::make_shared<FakeModel>();
  const Json of_files = model_json(model->facts());
  const Json of_service = version_json("skin", {5, model, ""});
  EXPECT_EQ(keys_of(of_service),
            "name version model_name model_version model_status network weights_hash decision_hash "
            "description_hash data data_hash calibration");
  for (const char* field : {"model_name", "model_version", "model_status", "weights_hash",
                            "decision_hash", "calibration"}) {
    EXPECT_EQ(of_files[field], of_service[field]) << field;
  }
}

}  // namespace
}  // namespace cubcal::test
