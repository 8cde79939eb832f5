#include "cubcal/service/inference_tensors.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "cubcal/core/parse_number.h"
#include "cubcal/http/http_error.h"
#include "cubcal/io/base64.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/json_text.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kHeaderLength = "inference-header-content-length";
constexpr JsonLimits kInferenceJson{16, 256, 8'000'000};

/// The order in which a tensor has its pixels.
struct PixelShape {
  std::size_t images = 1;
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 1;
  bool channels_first = false;

  std::size_t each() const { return height * width * channels; }
};

[[noreturn]] void refuse_tensor(const std::string& sentence) { throw HttpError(400, sentence); }

bool is_channels(std::size_t count) { return count == 1 || count == 3; }

std::vector<std::size_t> shape_in(const JsonFields& input) {
  const Json& list = input.at("shape");
  if (!list.is_array() || list.empty() || list.size() > 4) {
    refuse_tensor("the shape of an input tensor must have one to four sizes");
  }
  std::vector<std::size_t> shape;
  for (const Json& size : list) {
    constexpr std::uint64_t kMost = 1U << 30U;
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > kMost) {
      refuse_tensor("the sizes of an input tensor must be whole numbers");
    }
    shape.push_back(size.get<std::size_t>());
  }
  return shape;
}

void check_count(std::size_t images, const InferenceLimits& limits) {
  if (images == 0) refuse_tensor("an input tensor must hold at least one image");
  if (images > limits.images) {
    throw HttpError(413, "a request may have at most " + std::to_string(limits.images) +
                             " images, not " + std::to_string(images));
  }
}

PixelShape pixel_shape(const std::vector<std::size_t>& shape, const InferenceLimits& limits) {
  PixelShape result;
  result.images = shape[0];
  const bool is_one_image =
      shape.size() == 3 && is_channels(shape[2]) && shape[0] > 3 && shape[1] > 3;
  if (is_one_image) {
    const std::string sizes = std::to_string(shape[0]) + ", " + std::to_string(shape[1]) + ", " +
                              std::to_string(shape[2]) + "]";
    refuse_tensor("a tensor of pixels [" + sizes + " looks like one image without the axis of " +
                  "images: [1, " + sizes + " has it");
  }
  if (shape.size() == 3) {
    result.height = shape[1];
    result.width = shape[2];
  } else if (shape.size() == 4 && is_channels(shape[3])) {
    result.height = shape[1];
    result.width = shape[2];
    result.channels = shape[3];
  } else if (shape.size() == 4 && is_channels(shape[1])) {
    result.channels = shape[1];
    result.height = shape[2];
    result.width = shape[3];
    result.channels_first = true;
  } else {
    refuse_tensor(
        "a tensor of pixels must be [N, H, W, C], [N, C, H, W] or [N, H, W] with 1 or 3 channels");
  }
  check_count(result.images, limits);
  if (result.height == 0 || result.width == 0 || result.height > limits.pixels / result.width) {
    throw HttpError(413, "an image may have at most " + std::to_string(limits.pixels) +
                             " pixels, and must have one");
  }
  return result;
}

/// Pixels one image after the other, as the tensor has them.
Image image_from(const PixelShape& shape, const float* values) {
  Image image{shape.height, shape.width, shape.channels, {}, {}};
  const std::size_t plane = shape.height * shape.width;
  const auto place = [&](std::size_t i) {
    return shape.channels_first ? i % shape.channels * plane + i / shape.channels : i;
  };
  bool is_8_bit = true;
  for (std::size_t i = 0; i < shape.each(); ++i) {
    const float value = values[i];
    if (!(value >= 0 && value <= 1)) refuse_tensor("FP32 pixels must lie from 0 to 1");
    const float level = value * 255;
    is_8_bit = is_8_bit && std::abs(level - std::round(level)) < 1e-3F;
  }
  for (std::size_t i = 0; i < shape.each(); ++i) {
    const float value = values[place(i)];
    if (is_8_bit) {
      image.pixels.push_back(static_cast<std::uint8_t>(std::lround(value * 255)));
    } else {
      image.deep_pixels.push_back(
          static_cast<std::uint16_t>(std::lround(static_cast<double>(value) * 65535)));
    }
  }
  return image;
}

Image image_from(const PixelShape& shape, const std::uint8_t* values) {
  Image image{shape.height, shape.width, shape.channels, {}, {}};
  const std::size_t plane = shape.height * shape.width;
  image.pixels.resize(shape.each());
  for (std::size_t i = 0; i < shape.each(); ++i) {
    const std::size_t place =
        shape.channels_first ? i % shape.channels * plane + i / shape.channels : i;
    image.pixels[i] = values[place];
  }
  return image;
}

/// The numbers of an array, of arrays within arrays in their order.
template <class Value>
void flatten(const Json& data, std::vector<Value>& values, std::size_t most) {
  for (const Json& each : data) {
    if (each.is_array()) {
      flatten(each, values, most);
      continue;
    }
    if (!each.is_number()) refuse_tensor("the data of a tensor of pixels must be numbers");
    const double number = each.get<double>();
    if constexpr (std::is_same_v<Value, std::uint8_t>) {
      if (!(number >= 0 && number <= 255 && number == std::floor(number))) {
        refuse_tensor("UINT8 pixels must be whole numbers from 0 to 255");
      }
    }
    if (values.size() == most) refuse_tensor("a tensor has more data than its shape says");
    values.push_back(static_cast<Value>(number));
  }
}

/// What a tensor's numbers are, from JSON or the bytes behind it.
template <class Value>
std::vector<Value> numbers_of(const Json& input, const std::optional<std::string_view>& bytes,
                              std::size_t count) {
  std::vector<Value> values;
  if (bytes) {
    if (bytes->size() / sizeof(Value) != count || bytes->size() % sizeof(Value) != 0) {
      refuse_tensor("a tensor has other bytes than its shape says");
    }
    values.resize(count);
    std::memcpy(values.data(), bytes->data(), bytes->size());
    return values;
  }
  const auto data = input.find("data");
  if (data == input.end() || !data->is_array()) refuse_tensor("a tensor needs the list 'data'");
  flatten(*data, values, count);
  if (values.size() != count) refuse_tensor("a tensor has less data than its shape says");
  return values;
}

template <class Value>
void add_pixels(const PixelShape& shape, const std::vector<Value>& values,
                std::vector<TensorImage>& images) {
  for (std::size_t i = 0; i < shape.images; ++i) {
    images.emplace_back(image_from(shape, &values[i * shape.each()]));
  }
}

/// Length of 32 bits, least significant byte first, then so many bytes, for each.
void add_length_prefixed(std::string_view bytes, std::vector<TensorImage>& images,
                         std::size_t most) {
  while (!bytes.empty()) {
    std::uint32_t length = 0;
    if (bytes.size() < sizeof length) refuse_tensor("a tensor of BYTES ends within a length");
    std::memcpy(&length, bytes.data(), sizeof length);
    bytes.remove_prefix(sizeof length);
    if (length > bytes.size()) refuse_tensor("a tensor of BYTES ends within an element");
    if (images.size() == most) refuse_tensor("a tensor has more data than its shape says");
    images.emplace_back(std::string(bytes.substr(0, length)));
    bytes.remove_prefix(length);
  }
}

void add_encoded(const Json& input, const std::optional<std::string_view>& bytes, std::size_t count,
                 std::vector<TensorImage>& images) {
  if (bytes) {
    add_length_prefixed(*bytes, images, count);
  } else {
    const auto data = input.find("data");
    if (data == input.end() || !data->is_array()) refuse_tensor("a tensor needs the list 'data'");
    for (const Json& row : *data) {
      const Json& text = row.is_array() && row.size() == 1 ? row[0] : row;
      if (!text.is_string()) refuse_tensor("BYTES in JSON must be texts, the files as base64");
      if (images.size() == count) refuse_tensor("a tensor has more data than its shape says");
      images.emplace_back(base64_bytes(text.get_ref<const std::string&>()));
    }
  }
  if (images.size() != count) refuse_tensor("a tensor has less data than its shape says");
}

void read_input(const Json& input, std::string_view rest, const InferenceLimits& limits,
                std::vector<TensorImage>& images) {
  const JsonFields fields(input, "input tensor");
  const std::vector<std::size_t> shape = shape_in(fields);
  const std::string type = fields.text("datatype");
  std::optional<std::string_view> bytes;
  if (fields.has("parameters") && fields.object("parameters").has("binary_data_size")) {
    const std::size_t size = fields.object("parameters").count("binary_data_size");
    if (size != rest.size()) refuse_tensor("binary_data_size is not the bytes behind the JSON");
    bytes = rest;
  } else if (!rest.empty()) {
    refuse_tensor("there are bytes behind the JSON that no tensor takes");
  }
  if (type == "BYTES") {
    if (shape.size() > 2 || (shape.size() == 2 && shape[1] != 1)) {
      refuse_tensor("a tensor of BYTES must be [N] or [N, 1]");
    }
    check_count(shape[0], limits);
    add_encoded(input, bytes, shape[0], images);
    return;
  }
  if (type != "UINT8" && type != "FP32") {
    refuse_tensor("an input tensor must be BYTES, UINT8 or FP32, not " + in_quotes(type));
  }
  const PixelShape pixels = pixel_shape(shape, limits);
  const std::size_t count = pixels.each() * pixels.images;
  if (type == "UINT8") {
    add_pixels(pixels, numbers_of<std::uint8_t>(input, bytes, count), images);
  } else {
    add_pixels(pixels, numbers_of<float>(input, bytes, count), images);
  }
}

bool flag_in(const Json& owner, const char* name) {
  const auto parameters = owner.find("parameters");
  if (parameters == owner.end() || !parameters->is_object()) return false;
  const auto flag = parameters->find(name);
  return flag != parameters->end() && flag->is_boolean() && flag->get<bool>();
}

void read_outputs(const Json& document, InferenceRequest& request) {
  request.binary = flag_in(document, "binary_data_output");
  const auto outputs = document.find("outputs");
  if (outputs == document.end()) return;
  if (!outputs->is_array()) refuse_tensor("'outputs' must be a list");
  for (const Json& output : *outputs) {
    const std::string name = JsonFields(output, "output tensor").text("name");
    request.outputs.insert(name);
    if (request.binary || flag_in(output, "binary_data")) request.binary_outputs.insert(name);
  }
}

std::size_t json_length(const HttpRequest& request) {
  const std::optional<std::string> text = header_of(request.headers, kHeaderLength);
  if (!text) return request.body.size();
  const std::optional<std::size_t> length = parse_whole<std::size_t>(*text);
  if (!length || *length > request.body.size()) {
    refuse_tensor("Inference-Header-Content-Length must be the length of the JSON in the body");
  }
  return *length;
}

std::string binary_text(const AnswerTensor& tensor) {
  std::string bytes;
  const auto append = [&](const void* from, std::size_t size) {
    bytes.append(static_cast<const char*>(from), size);
  };
  std::visit(
      [&](const auto& values) {
        for (const auto& value : values) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
            const auto length = static_cast<std::uint32_t>(value.size());
            append(&length, sizeof length);
            append(value.data(), value.size());
          } else {
            append(&value, sizeof value);
          }
        }
      },
      tensor.values);
  return bytes;
}

}  // namespace

InferenceRequest parse_inference(const HttpRequest& request, const InferenceLimits& limits) {
  const std::size_t length = json_length(request);
  const std::string_view rest = std::string_view(request.body).substr(length);
  InferenceRequest result;
  try {
    const Json document = parse_json(request.body.substr(0, length), "the request", kInferenceJson);
    if (!document.is_object()) refuse_tensor("the request must be a JSON object");
    const JsonFields fields(document, "request");
    if (fields.has("id")) result.id = fields.text("id");
    const Json& inputs = fields.at("inputs");
    if (!inputs.is_array() || inputs.size() != 1 || !inputs[0].is_object()) {
      refuse_tensor("'inputs' must be a list of one tensor");
    }
    read_input(inputs[0], rest, limits, result.images);
    read_outputs(document, result);
  } catch (const DataError& error) {
    refuse_tensor(error.what());
  }
  return result;
}

const char* datatype_of(const AnswerTensor& tensor) {
  constexpr const char* kNames[] = {"FP64", "INT64", "BYTES"};
  return kNames[tensor.values.index()];
}

HttpResponse inference_response(Json head, const std::vector<AnswerTensor>& outputs,
                                const InferenceRequest& request) {
  std::set<std::string> wanted = request.outputs;
  std::string behind;
  head["outputs"] = Json::array();
  for (const AnswerTensor& output : outputs) {
    if (!request.outputs.empty() && wanted.erase(output.name) == 0) continue;
    Json json = {{"name", output.name}, {"datatype", datatype_of(output)}, {"shape", output.shape}};
    const bool is_binary = request.binary_outputs.count(output.name) > 0 ||
                           (request.outputs.empty() && request.binary);
    if (is_binary) {
      const std::string bytes = binary_text(output);
      json["parameters"] = {{"binary_data_size", bytes.size()}};
      behind += bytes;
    } else {
      json["data"] = std::visit([](const auto& values) { return Json(values); }, output.values);
    }
    head["outputs"].push_back(json);
  }
  if (!wanted.empty()) {
    refuse_tensor("there is no output " + in_quotes(*wanted.begin()) +
                  ": the address of the model lists them");
  }
  HttpResponse response;
  response.body = head.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (behind.empty()) {
    response.body += '\n';
    return response;
  }
  response.headers = {{"Inference-Header-Content-Length", std::to_string(response.body.size())}};
  response.type = "application/octet-stream";
  response.body += behind;
  return response;
}

}  // namespace cubcal
