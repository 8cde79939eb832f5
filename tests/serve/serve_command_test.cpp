// 'cubcal serve' as users run it: its answers are those of 'cubcal predict', bit for bit.

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cubcal/image/png_encoder.h"
#include "cubcal/io/atomic_file.h"
#include "infer/tiny_model.h"
#include "serve/http_client.h"
#include "serve/served_program.h"

namespace cubcal::test {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t kImages = 12;

class ServeCommand : public testing::Test {
 protected:
  void SetUp() override {
    save(LayerKind::kVariational, 1);
    const at::Tensor images = random_images(kImages, 1, 20);
    for (std::size_t i = 0; i < kImages; ++i) {
      const at::Tensor one = images[static_cast<std::int64_t>(i)].contiguous();
      const auto* first = one.data_ptr<std::uint8_t>();
      pngs_.push_back(encode_png({20, 20, 1, {first, first + 400}, {}}));
      write_file_atomically(path(i), pngs_.back());
    }
  }

  void save(LayerKind kind, std::uint64_t seed) {
    save_model(model_, tiny_description(kind), *tiny_network(kind, seed));
  }

  std::string path(std::size_t i) const { return scratch_.file(std::to_string(i) + ".png"); }

  /// What 'cubcal predict' says of each image, without its name.
  std::vector<Json> predicted(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"predict", "--model", model_, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    for (std::size_t i = 0; i < kImages; ++i) words.push_back(path(i));
    const Outcome outcome = run_cubcal(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::vector<Json> answers;
    const Json document = Json::parse(outcome.out);
    for (Json each : document["predictions"]) {
      each.erase("image");
      answers.push_back(each);
    }
    return answers;
  }

  static Json stripped(const HttpResponse& response, std::size_t place = 0) {
    EXPECT_EQ(response.status, 200) << response.body;
    Json answer = Json::parse(response.body)["predictions"].at(place);
    for (const char* field : {"image", "passes", "spread", "dicom"}) answer.erase(field);
    return answer;
  }

  ScratchFolder scratch_;
  std::string model_ = scratch_.file("skin");
  std::vector<std::string> pngs_;
};

TEST_F(ServeCommand, AnswersAreThoseOfPredictWhateverStandsBesideThem) {
  for (const LayerKind kind : {LayerKind::kVariational, LayerKind::kMcDropout}) {
    save(kind, 3);
    const std::vector<Json> expected = predicted({"--mc", "7", "--seed", "5"});
    ServedProgram server({model_, "--mc", "7", "--seed", "5"});
    for (std::size_t i = 0; i < kImages; ++i) {  // alone
      HttpClient client(server.port());
      EXPECT_EQ(stripped(client.ask("POST", "/v1/predict", pngs_[i])), expected[i]);
    }
    std::vector<std::thread> clients;  // together, in batches of any size
    for (std::size_t c = 0; c < 8; ++c) {
      clients.emplace_back([&, c] {
        HttpClient client(server.port());
        for (std::size_t i = 0; i < kImages; ++i) {
          const std::size_t which = (i * 5 + c) % kImages;
          EXPECT_EQ(stripped(client.ask("POST", "/v1/predict", pngs_[which])), expected[which]);
        }
      });
    }
    for (std::thread& client : clients) client.join();
    HttpClient client(server.port());
    std::string body;  // more in one request than the engine computes in one way
    for (std::size_t i = 0; i < 3 * kImages; ++i) {
      body += "--b\r\nContent-Disposition: form-data; name=image; filename=x\r\n\r\n" +
              pngs_[i % kImages] + "\r\n";
    }
    const HttpResponse many = client.ask("POST", "/v1/predict", body + "--b--\r\n",
                                         "Content-Type: multipart/form-data; boundary=b\r\n");
    for (std::size_t i = 0; i < 3 * kImages; ++i) {
      EXPECT_EQ(stripped(many, i), expected[i % kImages]) << i;
    }
    const std::string metrics = client.ask("GET", "/metrics").body;
    EXPECT_NE(metrics.find("cubcal_batch_images_bucket{model=\"skin\",le=\"64\"}"),
              std::string::npos)
        << metrics;
  }
}

TEST_F(ServeCommand, StopsWithEveryRequestAnswered) {
  ServedProgram server({model_, "--mc", "200", "--log", scratch_.file("log.jsonl")});
  std::atomic<int> answered{0};
  std::atomic<int> refused{0};
  std::atomic<int> lost{0};
  std::vector<std::thread> clients;
  for (int c = 0; c < 6; ++c) {
    clients.emplace_back([&] {
      HttpClient client(server.port());
      for (int i = 0; i < 1000; ++i) {
        const HttpResponse response = client.ask("POST", "/v1/predict", pngs_[0]);
        if (response.status == 200) ++answered;
        if (response.status == 503) ++refused;
        if (response.status == 0 && refused + answered == 0) ++lost;
        if (response.status != 200) return;
      }
    });
  }
  while (answered < 10) std::this_thread::yield();
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0) << server.printed();
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(lost, 0);
  const std::string log = contents_of(scratch_.path() / "log.jsonl");
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), answered);
  const Outcome monitor =
      run_cubcal({"monitor", scratch_.file("log.jsonl"), scratch_.file("log.jsonl")});
  EXPECT_EQ(monitor.exit_code, 0) << monitor.err;
}

TEST_F(ServeCommand, AHangupLoadsWhatChanged) {
  ServedProgram server({"a=" + model_});
  HttpClient client(server.port());
  const auto version = [&] {
    return Json::parse(client.ask("GET", "/v1/models/a").body)["version"].get<int>();
  };
  EXPECT_EQ(version(), 1);
  save(LayerKind::kVariational, 9);
  server.signal(SIGHUP);
  for (int i = 0; i < 200 && version() == 1; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(version(), 2) << server.printed();
  EXPECT_EQ(stripped(client.ask("POST", "/v1/predict", pngs_[2])), predicted()[2]);
}

TEST_F(ServeCommand, RefusesInOneSentence) {
  const auto refused = [&](const std::vector<std::string>& words, int code,
                           const std::string& part) {
    std::vector<std::string> all = {"serve", "--port", "0"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run_cubcal(all);
    EXPECT_EQ(outcome.exit_code, code) << outcome.err;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  };
  refused({}, 2, "needs a model folder");
  refused({scratch_.file("none")}, 1, "none");
  refused({model_, "--address", "0.0.0.0"}, 2, "--token-file");
  refused({model_, "--certificate", "x"}, 2, "go together");
  refused({"a b=" + model_}, 2, "letters, digits");
  refused({model_, model_}, 2, "same name");
  refused({model_, "--log", "/no/such/log"}, 1, "/no/such/log");
  refused({model_, "--log-patients"}, 2, "--log");
}

TEST_F(ServeCommand, ALoneCopyOfTheProgramNamesTheFileItLacks) {
  const std::string copy = scratch_.file("cubcal");
  std::filesystem::copy_file(CUBCAL_PROGRAM, copy);
  const auto told = [&](const std::string& words) {
    const std::string out = scratch_.file("told");
    EXPECT_NE(std::system((copy + " " + words + " > " + out + " 2>&1").c_str()), 0);
    return contents_of(out);
  };
  const std::string sentence = told("serve " + model_);
  EXPECT_NE(sentence.find("/cubcal-full', which has the others, cannot be started: No such file"),
            std::string::npos)
      << sentence;
  EXPECT_NE(told("evalaute").find("cubcal-full"), std::string::npos);
}

}  // namespace
}  // namespace cubcal::test
