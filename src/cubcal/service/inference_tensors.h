#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cubcal/http/http_message.h"
#include "cubcal/image/image_file.h"

/// Tensors of the Open Inference Protocol, version 2, in JSON or, as Triton's extension has it, as
/// bytes behind the JSON, whose length the header Inference-Header-Content-Length says.
namespace cubcal {

/// An image that came as an encoded file or as pixels.
using TensorImage = std::variant<std::string, Image>;

struct InferenceRequest {
  std::string id;  ///< empty: none was given
  std::vector<TensorImage> images;
  std::set<std::string> outputs;         ///< asked for; empty: all
  std::set<std::string> binary_outputs;  ///< of `outputs`, those wanted as bytes
  bool binary = false;                   ///< outputs that are not named are wanted as bytes
};

struct InferenceLimits {
  std::size_t images = 64;
  std::size_t pixels = 25'000'000;  ///< of one image
};

/// One input tensor of N images: BYTES [N] or [N, 1], each an image file (in JSON as
/// base64), or UINT8 or FP32 pixels [N, H, W, C], [N, C, H, W] or [N, H, W] with 1 or 3 channels;
/// where both orders of four fit, the last is the channels'. Levels of UINT8 are those of an image
/// file; of FP32 0 is black and 1 is white: numbers that are all 255ths become 8 bits, others 16.
/// Throws HttpError 400 or 413 in one sentence for anything else.
InferenceRequest parse_inference(const HttpRequest& request, const InferenceLimits& limits);

/// An output.
struct AnswerTensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>> values;
};

/// The datatype of the values: FP64, INT64 or BYTES.
const char* datatype_of(const AnswerTensor& tensor);

/// The response with those outputs that were asked for; `head` has its other fields. Throws
/// HttpError 400 where an output was asked for that is not there.
HttpResponse inference_response(nlohmann::ordered_json head,
                                const std::vector<AnswerTensor>& outputs,
                                const InferenceRequest& request);

}  // namespace cubcal
