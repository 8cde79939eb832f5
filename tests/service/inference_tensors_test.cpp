#include "cubcal/service/inference_tensors.h"

#include <cstring>

#include "cubcal/io/base64.h"
#include "expect_error.h"
#include "http/expect_status.h"

namespace cubcal::test {
namespace {

using Json = nlohmann::ordered_json;

HttpRequest infer_request(const std::string& json, const std::string& behind = "") {
  HttpRequest request{"POST", "/v2/models/m/infer", {}, json + behind, "test"};
  if (!behind.empty()) {
    request.headers.emplace_back("inference-header-content-length", std::to_string(json.size()));
  }
  return request;
}

std::string with_input(const std::string& fields) {
  return "{\"inputs\": [{\"name\": \"x\", " + fields + "}]}";
}

TEST(InferenceTensors, ReadsPixelsInEitherOrder) {
  const std::string last = with_input(
      R"("datatype": "UINT8", "shape": [1, 1, 2, 3], "data": [[[[1, 2, 3], [4, 5, 6]]]])");
  const InferenceRequest request = parse_inference(infer_request(last), {});
  ASSERT_EQ(request.images.size(), 1U);
  const Image& image = std::get<Image>(request.images[0]);
  EXPECT_EQ(image.height, 1U);
  EXPECT_EQ(image.width, 2U);
  EXPECT_EQ(image.channels, 3U);
  EXPECT_EQ(image.pixels, (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}));
  const std::string first =
      with_input(R"("datatype": "UINT8", "shape": [1, 3, 1, 2], "data": [1, 4, 2, 5, 3, 6])");
  EXPECT_EQ(std::get<Image>(parse_inference(infer_request(first), {}).images[0]).pixels,
            image.pixels);
}

TEST(InferenceTensors, FloatsThatAre255thsAreBytes) {
  const float bytes[] = {0, 1, 7.0F / 255, 254.0F / 255};
  const std::string json = with_input(
      R"("datatype": "FP32", "shape": [2, 1, 2], "parameters": {"binary_data_size": 16})");
  const std::string behind(reinterpret_cast<const char*>(bytes), sizeof bytes);
  const InferenceRequest request = parse_inference(infer_request(json, behind), {});
  ASSERT_EQ(request.images.size(), 2U);
  EXPECT_EQ(std::get<Image>(request.images[1]).pixels, (std::vector<std::uint8_t>{7, 254}));
  const std::string deep =
      with_input(R"("datatype": "FP32", "shape": [1, 1, 2], "data": [0.5, 1])");
  EXPECT_EQ(std::get<Image>(parse_inference(infer_request(deep), {}).images[0]).deep_pixels,
            (std::vector<std::uint16_t>{32768, 65535}));
}

TEST(InferenceTensors, ReadsFiles) {
  const std::string file("\x89PNG\0x", 6);
  const std::string json =
      with_input("\"datatype\": \"BYTES\", \"shape\": [1], \"data\": [\"" + base64(file) + "\"]");
  EXPECT_EQ(std::get<std::string>(parse_inference(infer_request(json), {}).images[0]), file);
  const std::string binary =
      with_input(R"("datatype": "BYTES", "shape": [2, 1], "parameters": {"binary_data_size": 11})");
  const std::string behind = std::string("\x02\0\0\0ab\x01\0\0\0c", 11);
  const InferenceRequest request = parse_inference(infer_request(binary, behind), {});
  ASSERT_EQ(request.images.size(), 2U);
  EXPECT_EQ(std::get<std::string>(request.images[0]), "ab");
  EXPECT_EQ(std::get<std::string>(request.images[1]), "c");
}

TEST(InferenceTensors, RefusesInOneSentence) {
  const InferenceLimits limits{2, 100};
  const auto status = [&](const std::string& json, const std::string& behind = "") {
    return thrown_status([&] { parse_inference(infer_request(json, behind), limits); });
  };
  EXPECT_EQ(status("{"), 400);
  EXPECT_EQ(status("[]"), 400);
  EXPECT_EQ(status("{\"inputs\": []}"), 400);
  EXPECT_EQ(status("{\"inputs\": [1]}"), 400);
  EXPECT_EQ(status(with_input(R"("datatype": "INT8", "shape": [1, 1, 1], "data": [1])")), 400);
  EXPECT_EQ(status(with_input(R"("datatype": "UINT8", "shape": [1, 1, 1], "data": [256])")), 400);
  EXPECT_EQ(status(with_input(R"("datatype": "UINT8", "shape": [1, 1, 1], "data": [1.5])")), 400);
  EXPECT_EQ(status(with_input(R"("datatype": "FP32", "shape": [1, 1, 1], "data": [1.5])")), 400);
  EXPECT_EQ(status(with_input(R"("datatype": "UINT8", "shape": [1, 1, 1], "data": [1, 2])")), 400);
  EXPECT_EQ(status(with_input(R"("datatype": "UINT8", "shape": [1, 1, 1], "data": [])")), 400);
  EXPECT_EQ(status(with_input(R"("datatype": "UINT8", "shape": [1, 2, 2, 2], "data": [])")), 400);
  EXPECT_EQ(status(with_input(R"("datatype": "UINT8", "shape": [-1, 1, 1], "data": [])")), 400);
  EXPECT_EQ(status(with_input(R"("datatype": "UINT8", "shape": [3, 1, 1], "data": [])")), 413);
  EXPECT_EQ(status(with_input(R"("datatype": "UINT8", "shape": [1, 11, 10], "data": [])")), 413);
  EXPECT_EQ(status(with_input(R"("datatype": "UINT8", "shape": [1, 0, 10], "data": [])")), 413);
  EXPECT_EQ(status(with_input(R"("datatype": "BYTES", "shape": [1], "data": ["*"])")), 400);
  const std::string binary =
      with_input(R"("datatype": "BYTES", "shape": [1], "parameters": {"binary_data_size": 6})");
  EXPECT_EQ(status(binary, std::string("\xff\0\0\0ab", 6)), 400);
  EXPECT_EQ(status(binary, "abc"), 400);
  HttpRequest request = infer_request("{}");
  request.headers = {{"inference-header-content-length", "99"}};
  EXPECT_EQ(thrown_status([&] { parse_inference(request, limits); }), 400);
}

TEST(InferenceTensors, OneImageWithoutTheAxisOfImagesIsNotManyGrayOnes) {
  const std::string json = with_input(R"("datatype": "UINT8", "shape": [8, 6, 3], "data": [])");
  try {
    parse_inference(infer_request(json), {});
    ADD_FAILURE() << "it was taken";
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status(), 400);
    EXPECT_STREQ(error.what(),
                 "a tensor of pixels [8, 6, 3] looks like one image without the axis "
                 "of images: [1, 8, 6, 3] has it");
  }
}

TEST(InferenceTensors, AnswersAsAsked) {
  const std::vector<AnswerTensor> outputs = {{"p", {1, 2}, std::vector<double>{0.25, 0.75}},
                                             {"c", {1}, std::vector<std::string>{"ab"}}};
  InferenceRequest all;
  const Json plain = Json::parse(inference_response({{"id", "x"}}, outputs, all).body);
  EXPECT_EQ(plain.dump(),
            R"({"id":"x","outputs":[{"name":"p","datatype":"FP64","shape":[1,2],)"
            R"("data":[0.25,0.75]},{"name":"c","datatype":"BYTES","shape":[1],"data":["ab"]}]})");
  InferenceRequest some;
  some.outputs = {"c"};
  some.binary_outputs = {"c"};
  const HttpResponse response = inference_response({}, outputs, some);
  const std::size_t length = std::stoul(response.headers.at(0).second);
  EXPECT_EQ(response.body.substr(length), std::string("\x02\0\0\0ab", 6));
  EXPECT_EQ(Json::parse(response.body.substr(0, length))["outputs"].size(), 1U);
  some.outputs = {"other"};
  EXPECT_EQ(thrown_status([&] { inference_response({}, outputs, some); }), 400);
}

}  // namespace
}  // namespace cubcal::test
