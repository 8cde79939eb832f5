// The routes with a model that only looks at brightness, and no network.

#include "cubcal/service/service.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "cli/program.h"
#include "cubcal/image/png_encoder.h"
#include "cubcal/io/base64.h"
#include "cubcal/monitor/prediction_log.h"
#include "dicom/dicom_file.h"
#include "expect_error.h"
#include "service/fake_model.h"

namespace cubcal::test {
namespace {

using Json = nlohmann::ordered_json;

std::string png_of(std::uint8_t level) {
  return encode_png({2, 2, 1, {level, level, level, level}, {}});
}

std::string with_file(const std::string& bytes) {
  return R"({"inputs": [{"name": "image", "datatype": "BYTES", "shape": [1], "data": [")" +
         base64(bytes) + "\"]}]}";
}

class ServiceTest : public testing::Test {
 protected:
  void start(const ServiceOptions& options = {}) {
    service_ = std::make_unique<Service>(options);
    service_->add_model("first", [this] {
      model_ = std::make_shared<FakeModel>(hash_);
      return model_;
    });
    service_->add_model("second", [] { return std::make_shared<FakeModel>("bbbb"); });
  }

  /// Gives what an administrator sends along.
  HttpHeaders start_with_admin() {
    ServiceOptions options;
    options.admin_token = "fedcba9876543210";
    start(options);
    return {{"authorization", "Bearer " + options.admin_token}};
  }

  HttpResponse ask(const std::string& method, const std::string& target,
                   const std::string& body = "", HttpHeaders headers = {}) {
    if (!service_) start();
    headers.emplace_back("host", "localhost:8080");
    const HttpRequest request{method, target, std::move(headers), body, "client"};
    if (std::optional<HttpResponse> refusal = service_->begin(request)) return *refusal;
    HttpResponse response = service_->respond(request);
    service_->end(request);
    return response;
  }

  Json json_of(const HttpResponse& response) { return Json::parse(response.body); }
  /// The weights that answer now.
  Json answering() {
    return json_of(ask("POST", "/v1/predict", png_of(1)))["model"]["weights_hash"];
  }

  ScratchFolder folder_;
  std::string hash_ = "aaaa";
  std::shared_ptr<FakeModel> model_;
  std::unique_ptr<Service> service_;
};

TEST_F(ServiceTest, AnswersAnImageWithAllThatAnAuditNeeds) {
  const HttpResponse response = ask("POST", "/v1/predict?name=a.png&picture=1", png_of(255));
  ASSERT_EQ(response.status, 200) << response.body;
  const Json json = json_of(response);
  const Json& prediction = json["predictions"][0];
  EXPECT_EQ(prediction["image"], "a.png");
  EXPECT_EQ(prediction["class"], "bright");
  EXPECT_EQ(prediction["verdict"], "refer");
  EXPECT_EQ(prediction["probabilities"]["bright"], 0.5);
  EXPECT_EQ(prediction["uncertainty"]["total"], 0.5);
  EXPECT_EQ(prediction["passes"], 4);
  EXPECT_EQ(prediction["spread"]["dark"], Json({0.0, 1.0}));
  EXPECT_EQ(prediction["picture"].get<std::string>().rfind("data:image/png;base64,", 0), 0U);
  EXPECT_EQ(json["model"]["name"], "first");
  EXPECT_EQ(json["model"]["version"], 1);
  EXPECT_EQ(json["model"]["model_name"], "Brightness");
  EXPECT_EQ(json["model"]["model_version"], "3");
  EXPECT_TRUE(json["model"]["model_status"].is_null());
  EXPECT_EQ(json["model"]["weights_hash"], "aaaa");
  EXPECT_EQ(json["program"].get<std::string>().rfind("cubcal ", 0), 0U);
  EXPECT_EQ(json["time"].get<std::string>().size(), 24U);
  EXPECT_TRUE(json.contains("seed"));
  EXPECT_TRUE(json.contains("request"));
}

TEST_F(ServiceTest, AnswersManyAndNamesThoseItCannotRead) {
  std::string body;
  for (const std::string& content : {png_of(0), std::string("no image"), png_of(255)}) {
    body += "--b\r\nContent-Disposition: form-data; name=image; filename=\"f" +
            std::to_string(body.size()) + "\"\r\n\r\n" + content + "\r\n";
  }
  const HttpResponse response = ask("POST", "/v1/predict?model=second", body + "--b--\r\n",
                                    {{"content-type", "multipart/form-data; boundary=b"}});
  ASSERT_EQ(response.status, 200) << response.body;
  const Json json = json_of(response);
  ASSERT_EQ(json["predictions"].size(), 2U);
  EXPECT_EQ(json["predictions"][0]["class"], "dark");
  EXPECT_EQ(json["predictions"][1]["class"], "bright");
  ASSERT_EQ(json["unreadable"].size(), 1U);
  EXPECT_NE(json["unreadable"][0]["reason"].get<std::string>().find(
                "is not an image of a format that is read"),
            std::string::npos);
  EXPECT_EQ(json["model"]["name"], "second");
}

TEST_F(ServiceTest, SaysWhatIsWrong) {
  EXPECT_EQ(ask("POST", "/v1/predict", "").status, 400);
  const HttpResponse unreadable = ask("POST", "/v1/predict", "junk");
  EXPECT_EQ(unreadable.status, 422);
  EXPECT_NE(json_of(unreadable)["error"].get<std::string>().find(
                "is not an image of a format that is read"),
            std::string::npos);
  EXPECT_EQ(ask("POST", "/v1/predict?model=none", png_of(1)).status, 404);
  EXPECT_EQ(ask("POST", "/v1/predict?frame=x", png_of(1)).status, 400);
  EXPECT_EQ(ask("POST", "/v1/predict?picture=perhaps", png_of(1)).status, 400);
  const HttpResponse misspelt = ask("POST", "/v1/predict?modle=second", png_of(1));
  EXPECT_EQ(misspelt.status, 400);
  EXPECT_EQ(json_of(misspelt)["error"],
            "the query has the key 'modle', and this address takes model, name, frame, picture, "
            "deadline_ms");
  EXPECT_EQ(ask("POST", "/v1/predict?name,=x", png_of(1)).status, 400);
  EXPECT_EQ(ask("GET", "/v1/models?x=1").status, 400);
  EXPECT_EQ(ask("GET", "/healthz?probe=1").status, 200) << "whoever probes may say so";
  EXPECT_NE(ask("POST", "/v1/predict", "").body.find("JPEG 2000"), std::string::npos);
  EXPECT_EQ(ask("GET", "/nothing").status, 404);
  EXPECT_EQ(ask("GET", "/../../etc/passwd").status, 404);
  EXPECT_EQ(ask("GET", "/v1/models/..%2f..%2fetc%2fpasswd").status, 404);
  const HttpResponse method = ask("DELETE", "/v1/predict");
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(header_of(method.headers, "Allow"), "POST");
  EXPECT_EQ(ask("HEAD", "/healthz").status, 200);
}

TEST_F(ServiceTest, LimitsHold) {
  ServiceOptions options;
  options.max_pixels = 3;
  options.client_requests = 1;
  start(options);
  const HttpResponse pixels = ask("POST", "/v1/predict", png_of(1));
  EXPECT_EQ(pixels.status, 422);
  EXPECT_NE(pixels.body.find("more than 3 pixels"), std::string::npos) << pixels.body;
  const HttpRequest other{"GET", "/healthz", {{"host", "localhost"}}, "", "client"};
  ASSERT_FALSE(service_->begin(other));
  EXPECT_EQ(ask("GET", "/healthz").status, 429);
  service_->end(other);
  EXPECT_EQ(ask("GET", "/healthz").status, 200);
}

TEST_F(ServiceTest, AFullQueueAndALateAnswerAreSaid) {
  ServiceOptions options;
  options.batch.queue = 1;
  start(options);
  model_->hold();
  std::vector<std::thread> threads;
  threads.emplace_back([&] { EXPECT_EQ(ask("POST", "/v1/predict", png_of(1)).status, 200); });
  model_->wait_for_calls(1);
  EXPECT_EQ(ask("POST", "/v1/predict?deadline_ms=20", png_of(1)).status, 504);
  const HttpResponse full = ask("POST", "/v1/predict", png_of(1));
  EXPECT_EQ(full.status, 503);
  EXPECT_GE(std::stoi(header_of(full.headers, "Retry-After").value_or("0")), 1);
  model_->go_on();
  threads[0].join();
  const std::string metrics = ask("GET", "/metrics").body;
  EXPECT_NE(metrics.find("cubcal_refused_images_total{model=\"first\"} 1"), std::string::npos);
  EXPECT_NE(metrics.find("cubcal_answers_total{model=\"first\",verdict=\"accept\"} 1"),
            std::string::npos)
      << metrics;
  EXPECT_NE(metrics.find("status=\"504\""), std::string::npos);
}

TEST_F(ServiceTest, TokensGuard) {
  ServiceOptions options;
  options.token = "0123456789abcdef";
  options.admin_token = "fedcba9876543210";
  start(options);
  const HttpHeaders user = {{"authorization", "Bearer 0123456789abcdef"}};
  const HttpHeaders admin = {{"authorization", "Bearer fedcba9876543210"}};
  EXPECT_EQ(ask("GET", "/").status, 200);
  EXPECT_EQ(ask("GET", "/readyz").status, 200);
  for (const char* path : {"/v1/models", "/metrics", "/v2", "/v2/models/first"}) {
    EXPECT_EQ(ask("GET", path).status, 401) << path;
    EXPECT_EQ(ask("GET", path, "", user).status, 200) << path;
  }
  EXPECT_EQ(ask("POST", "/v1/predict", png_of(1)).status, 401);
  EXPECT_EQ(ask("POST", "/v1/models/first/load", "", user).status, 401);
  EXPECT_EQ(ask("POST", "/v1/models/first/load", "", admin).status, 200);
  start();
  EXPECT_EQ(ask("POST", "/v1/models/first/load", "", admin).status, 403);
}

TEST_F(ServiceTest, OtherSitesAndSmugglersAreRefused) {
  EXPECT_EQ(ask("POST", "/v1/predict", png_of(1), {{"origin", "http://evil.example"}}).status, 403);
  EXPECT_EQ(ask("POST", "/v1/predict", png_of(1),
                {{"content-length", "9"}, {"transfer-encoding", "chunked"}})
                .status,
            400);
}

TEST_F(ServiceTest, VersionsAreLoadedPromotedAndRolledBack) {
  const HttpHeaders admin = start_with_admin();
  hash_ = "cccc";
  EXPECT_EQ(json_of(ask("POST", "/v1/models/first/load", "", admin))["versions"].size(), 2U);
  EXPECT_EQ(answering(), "aaaa");
  const std::string infer = R"({"inputs": [{"name": "x", "datatype": "UINT8", "shape": [1, 1, 1],
    "data": [9]}]})";
  EXPECT_EQ(json_of(ask("POST", "/v2/models/first/versions/2/infer",
                        infer))["parameters"]["weights_hash"],
            "cccc");
  EXPECT_EQ(ask("POST", "/v2/models/first/versions/3/infer", infer).status, 404);
  EXPECT_EQ(ask("POST", "/v1/models/first/promote?version=9", "", admin).status, 400);
  EXPECT_EQ(ask("POST", "/v1/models/first/promote", "", admin).status, 200);
  EXPECT_EQ(answering(), "cccc");
  EXPECT_EQ(ask("POST", "/v1/models/first/rollback", "", admin).status, 200);
  EXPECT_EQ(answering(), "aaaa");
  hash_ = "dddd";
  EXPECT_EQ(service_->reload().at(0), "the model 'first' answers with version 3");
  EXPECT_EQ(answering(), "dddd");
}

TEST_F(ServiceTest, AReloadPromotesOnlyWhatIsNewInTheFolder) {
  const HttpHeaders admin = start_with_admin();
  EXPECT_EQ(service_->reload().at(0), "the model 'first' has not changed");
  hash_ = "cccc";
  ask("POST", "/v1/models/first/load", "", admin);
  EXPECT_EQ(service_->reload().at(0),
            "the model 'first' stays at version 1: its folder holds version 2, which was loaded "
            "before");
  EXPECT_EQ(answering(), "aaaa");  // loaded is not promoted
  ask("POST", "/v1/models/first/promote", "", admin);
  ask("POST", "/v1/models/first/rollback", "", admin);
  service_->reload();
  EXPECT_EQ(answering(), "aaaa");  // rolled back stays so
  hash_ = "dddd";
  service_->reload();
  EXPECT_EQ(answering(), "dddd");
}

TEST_F(ServiceTest, AFieldOfABodyThatWouldChangeNothingIsRefused) {
  const auto with_field = [&](const std::string& name, const std::string& image_head) {
    return ask("POST", "/v1/predict",
               "--b\r\nContent-Disposition: form-data; name=" + name + "\r\n\r\nsecond\r\n" +
                   "--b\r\nContent-Disposition: form-data; " + image_head + "\r\n\r\n" + png_of(1) +
                   "\r\n--b--\r\n",
               {{"content-type", "multipart/form-data; boundary=b"}});
  };
  for (const std::string name : {"model", "deadline_ms", "\"pic ture\""}) {
    EXPECT_EQ(with_field(name, "name=image; filename=a.png").status, 400) << name;
  }
  EXPECT_EQ(
      json_of(with_field("model", "name=image; filename=a.png"))["error"],
      "the body has the field 'model', and fields other than images are not read: give model, "
      "name, frame, picture and deadline_ms in the query");
  // An image needs no file name, where its field is called so.
  const HttpResponse plain =
      ask("POST", "/v1/predict",
          "--b\r\nContent-Disposition: form-data; name=image\r\n\r\n" + png_of(1) + "\r\n--b--\r\n",
          {{"content-type", "multipart/form-data; boundary=b"}});
  EXPECT_EQ(plain.status, 200) << plain.body;
}

TEST_F(ServiceTest, OpenInferenceAnswersAreThoseOfPredict) {
  const Json predicted = json_of(ask("POST", "/v1/predict", png_of(80)))["predictions"][0];
  const std::string file = with_file(png_of(80));
  const Json outputs = json_of(ask("POST", "/v2/models/first/infer", file))["outputs"];
  std::map<std::string, Json> by_name;
  for (const Json& output : outputs) by_name[output["name"]] = output["data"];
  EXPECT_EQ(by_name["class"][0], predicted["class"]);
  EXPECT_EQ(by_name["confidence"][0], predicted["confidence"]);
  EXPECT_EQ(by_name["uncertainty"][0], predicted["uncertainty"]["total"]);
  EXPECT_EQ(by_name["verdict"][0], predicted["verdict"]);
  EXPECT_EQ(by_name["probabilities"].size(), 3U);
  // The model's own description names the same tensors.
  std::set<std::string> described;
  const Json description = json_of(ask("GET", "/v2/models/first"));
  for (const Json& each : description["outputs"]) described.insert(each["name"]);
  EXPECT_EQ(described.size(), by_name.size());
  for (const auto& [name, data] : by_name) EXPECT_EQ(described.count(name), 1U) << name;
  EXPECT_EQ(ask("GET", "/v2/models/first/ready").status, 200);
  EXPECT_EQ(ask("GET", "/v2/models/none/ready").status, 404);
  EXPECT_EQ(ask("POST", "/v2/models/first/infer", with_file("junk")).status, 422);
}

TEST_F(ServiceTest, TheLogIsWhatMonitorReads) {
  ServiceOptions options;
  options.log = folder_.file("answers.jsonl");
  start(options);
  for (const int level : {0, 100, 255}) {
    ask("POST", "/v1/predict?name=Smith", png_of(static_cast<std::uint8_t>(level)));
  }
  ask("POST", "/v1/predict", "junk");
  ClassList classes;
  AnsweringModel model;
  const Predictions log = read_prediction_log(options.log, {}, classes, model);
  ASSERT_EQ(log.size(), 3U);
  EXPECT_EQ(log.predicted, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(classes.names(), (std::vector<std::string>{"dark", "middle", "bright"}));
  EXPECT_DOUBLE_EQ(log.uncertainty[2], 0.5);
  const std::string text = contents_of(options.log);
  EXPECT_EQ(text.find("Smith"), std::string::npos);
  EXPECT_NE(text.find("\"weights_hash\":\"aaaa\""), std::string::npos);
  options.log = folder_.file("patients.jsonl");
  options.log_patients = true;
  start(options);
  DicomFileBuilder dicom = DicomFileBuilder::gray(2, 2, 8);
  dicom.text(0x00080018, "UI", "1.2.3").text(0x00100020, "LO", "P7");
  dicom.text(0x0020000d, "UI", "1.2").bytes(0x7fe00010, "OB", "abcd");
  const std::string bytes = dicom.file();
  ASSERT_EQ(ask("POST", "/v1/predict?name=Smith", bytes).status, 200);
  EXPECT_NE(contents_of(options.log).find("Smith"), std::string::npos);
  EXPECT_NE(contents_of(options.log).find("\"group\":\"P7\""), std::string::npos);
  const Json dicom_answer = json_of(ask("POST", "/v1/predict", bytes))["predictions"][0]["dicom"];
  EXPECT_EQ(dicom_answer["sop_instance_uid"], "1.2.3");
  EXPECT_EQ(dicom_answer["study_instance_uid"], "1.2");
}

TEST_F(ServiceTest, TheFrameIsRecorded) {
  ServiceOptions options;
  options.log = folder_.file("answers.jsonl");
  start(options);
  DicomFileBuilder dicom = DicomFileBuilder::gray(2, 2, 8);
  dicom.text(0x00080018, "UI", "1.2.3").text(0x0020000d, "UI", "1.2");
  dicom.text(0x00280008, "IS", "2").bytes(0x7fe00010, "OB", "abcdefgh");
  const HttpResponse several = ask("POST", "/v1/predict?frame=1", dicom.file());
  ASSERT_EQ(several.status, 200) << several.body;
  EXPECT_EQ(json_of(several)["predictions"][0]["frame"], 1);
  EXPECT_EQ(Json::parse(contents_of(options.log))["frame"], 1);
  const Json single = json_of(ask("POST", "/v1/predict", png_of(1)));
  EXPECT_FALSE(single["predictions"][0].contains("frame"));
}

TEST_F(ServiceTest, NothingIsTakenOnceItStops) {
  start();
  service_->stop_accepting();
  EXPECT_EQ(ask("GET", "/healthz").status, 200);
  EXPECT_EQ(ask("GET", "/readyz").status, 503);
  EXPECT_EQ(ask("GET", "/v2/health/ready").status, 503);
  EXPECT_EQ(ask("POST", "/v1/predict", png_of(1)).status, 503);
}

TEST_F(ServiceTest, ThePageAsksNobodyElse) {
  const HttpResponse page = ask("GET", "/");
  EXPECT_NE(header_of(page.headers, "Content-Security-Policy")->find("default-src 'none'"),
            std::string::npos);
  for (const char* path : {"/", "/page.css", "/page.js"}) {
    const HttpResponse part = ask("GET", path);
    EXPECT_EQ(part.status, 200);
    std::string text = part.body;
    const std::string name_of_svg = "http://www.w3.org/2000/svg";  // a name, not an address
    if (const std::size_t at = text.find(name_of_svg); at != std::string::npos) {
      text.erase(at, name_of_svg.size());
    }
    EXPECT_EQ(text.find("http://"), std::string::npos) << path;
    EXPECT_EQ(text.find("https://"), std::string::npos) << path;
  }
}

TEST_F(ServiceTest, OpenApiDescribesEveryRouteItHas) {
  const Json document = json_of(ask("GET", "/openapi.json"));
  EXPECT_EQ(document["openapi"], "3.0.3");
  for (const auto& [path, methods] : document["paths"].items()) {
    std::string target = path;
    for (const auto& [name, value] : {std::pair{"{model}", "first"}, std::pair{"{version}", "1"}}) {
      const std::size_t at = target.find(name);
      if (at != std::string::npos) target.replace(at, std::string(name).size(), value);
    }
    for (const auto& [method, operation] : methods.items()) {
      const int status = ask(method == "get" ? "GET" : "POST", target).status;
      EXPECT_NE(status, 404) << path;
      EXPECT_NE(status, 405) << path;
      EXPECT_TRUE(operation["responses"].contains(std::to_string(status))) << path << status;
    }
  }
}

}  // namespace
}  // namespace cubcal::test
