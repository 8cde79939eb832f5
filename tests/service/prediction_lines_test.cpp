#include "cubcal/service/prediction_lines.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "expect_error.h"
#include "service/fake_model.h"

namespace cubcal::test {
namespace {

FileAnswer answered(const std::string& path) {
  Answer answer;
  answer.label = "dark";
  answer.probabilities = {0.5, 0.25, 0.25};
  return {path, answer, ""};
}

TEST(PredictionLines, ALogIsGoneOnWith) {
  const ScratchFolder folder;
  const std::string path = folder.file("log.jsonl");
  const FakeModel model;
  {
    PredictionLines lines(path, model.facts(), 1, false, false);
    lines.add({answered("a.png"), {"b.png", std::nullopt, "b.png is not an image"}});
  }
  const std::string whole = contents_of(path);
  write_file_atomically(path, whole + "{\"image\": \"c.p");
  PredictionLines lines(path, model.facts(), 1, false, false);
  EXPECT_EQ(contents_of(path), whole) << "what was cut off is gone";
  EXPECT_TRUE(lines.has("a.png"));
  EXPECT_FALSE(lines.has("b.png")) << "it has no answer yet";
  EXPECT_FALSE(PredictionLines(path, model.facts(), 2, false, false).has("a.png"))
      << "another seed answers otherwise";
}

TEST(PredictionLines, LogsOfOtherModelsAreRefused) {
  const ScratchFolder folder;
  const std::string path = folder.file("log.jsonl");
  PredictionLines(path, FakeModel("aaaa").facts(), 1, false, false).add({answered("a.png")});
  const FakeModel other("bbbb");
  expect_error<DataError>([&] { PredictionLines(path, other.facts(), 1, false, false); },
                          "line 1 of '" + path + "' was answered by 'Brightness' 3 (weights aaaa)");
  write_file_atomically(path, "{}\n");
  expect_error<DataError>([&] { PredictionLines(path, other.facts(), 1, false, false); },
                          "is not a prediction: name another file");
}

TEST(PredictionLines, MayGoToAStream) {
  const FakeModel model;
  std::ostringstream out;
  PredictionLines("-", model.facts(), 1, true, true, &out).add({answered("a.png")});
  const auto line = nlohmann::ordered_json::parse(out.str());
  EXPECT_EQ(line["image"], "a.png");
  EXPECT_EQ(line["passes"], 0);
  EXPECT_EQ(line["passes_asked"], 4);
  EXPECT_TRUE(line["decision_hash"].is_null());
  EXPECT_TRUE(line.contains("time"));
}

}  // namespace
}  // namespace cubcal::test
