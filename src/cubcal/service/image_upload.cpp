#include "cubcal/service/image_upload.h"

#include <algorithm>

#include "cubcal/dataset/dicom_window.h"
#include "cubcal/http/http_error.h"
#include "cubcal/http/media_type.h"
#include "cubcal/http/multipart.h"
#include "cubcal/image/image_codec.h"
#include "cubcal/image/image_resize.h"
#include "cubcal/image/png_encoder.h"
#include "cubcal/io/base64.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr std::size_t kLongestName = 255;
constexpr std::size_t kPictureSide = 512;

std::string shown_name(const std::string& name) { return printable(name.substr(0, kLongestName)); }

std::string picture_of(const Image& image) {
  const std::size_t longer = std::max(image.height, image.width);
  const auto scaled = [&](std::size_t side) {
    return std::max<std::size_t>(1, (side * kPictureSide + longer / 2) / longer);
  };
  const Image small =
      longer <= kPictureSide
          ? to_8_bits(image)
          : to_8_bits(resize_image(image, scaled(image.height), scaled(image.width)));
  return "data:image/png;base64," + base64(encode_png(small));
}

ReceivedImage receive_image(const UploadedImage& image, const ServedModel& model,
                            const UploadLimits& limits) {
  ReceivedImage result{image.name, nullptr};
  try {
    ImageFileOptions options;
    options.dicom_window = parse_dicom_window(model.facts().dicom_window);
    options.dicom_frame = limits.dicom_frame;
    options.max_pixels = limits.max_pixels;
    const Image pixels = decode_image(image.bytes, image.name, options);
    if (is_dicom(image.bytes)) result.dicom = dicom_facts(image.bytes, image.name);
    if (result.dicom && result.dicom->frames > 1) result.frame = limits.dicom_frame;
    if (limits.picture) result.picture = picture_of(pixels);
    result.prepared = model.prepare(pixels);
  } catch (const Error& error) {
    result.problem = error.what();
  }
  return result;
}

}  // namespace

std::vector<UploadedImage> uploaded_images(const HttpRequest& request, const std::string& name,
                                           std::size_t most) {
  const MediaType type = parse_media_type(header_of(request.headers, "content-type").value_or(""));
  std::vector<UploadedImage> images;
  if (type.name == "multipart/form-data") {
    const auto boundary = type.parameters.find("boundary");
    const std::string line = boundary == type.parameters.end() ? "" : boundary->second;
    for (const BodyPart& part : multipart_parts(request.body, line, most)) {
      if (part.file_name.empty() && part.name != "image") {
        throw HttpError(400, "the body has the field " + in_quotes(shown_name(part.name)) +
                                 ", and fields other than images are not read: give model, name, "
                                 "frame, picture and deadline_ms in the query");
      }
      images.push_back(
          {shown_name(part.file_name.empty() ? part.name : part.file_name), part.content});
    }
  } else if (!request.body.empty()) {
    images.push_back({shown_name(name), request.body});
  }
  if (images.empty()) {
    throw HttpError(400, "there is no image: send a file (" + image_format_names() +
                             " are read) as the body, or several as files of a multipart/form-data "
                             "body");
  }
  return images;
}

std::vector<ReceivedImage> receive_images(const std::vector<UploadedImage>& images,
                                          const ServedModel& model, const UploadLimits& limits,
                                          Slots& slots) {
  std::vector<ReceivedImage> received;
  received.reserve(images.size());
  for (const UploadedImage& image : images) {
    const Slots::Hold hold(slots);
    received.push_back(receive_image(image, model, limits));
  }
  return received;
}

}  // namespace cubcal
