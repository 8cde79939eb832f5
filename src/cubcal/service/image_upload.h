#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cubcal/dicom/dicom_image.h"
#include "cubcal/http/http_message.h"
#include "cubcal/service/served_model.h"
#include "cubcal/service/slots.h"

namespace cubcal {

/// An image file in a request. A view of its body.
struct UploadedImage {
  std::string name;  ///< as the client calls it, made printable; no path of this machine
  std::string_view bytes;
};

/// The images of a body: of a multipart one each part that is a file or is named "image", else the
/// body itself, called `name`. Throws HttpError 400 where there is none and for parts that are
/// none, which would be passed over unnoticed, and 413 for more than `most`.
std::vector<UploadedImage> uploaded_images(const HttpRequest& request, const std::string& name,
                                           std::size_t most);

struct UploadLimits {
  std::size_t max_pixels = 25'000'000;
  std::optional<std::size_t> dicom_frame = {};  ///< of DICOM files that have several
  bool picture = false;                         ///< also make `ReceivedImage::picture`
};

/// An image ready for the model, or why it is not.
struct ReceivedImage {
  std::string name;
  std::shared_ptr<const PreparedImage> prepared;  ///< none where there is a problem
  std::string problem = {};                       ///< one sentence
  std::optional<DicomFacts> dicom = {};
  std::optional<std::size_t> frame = {};  ///< that was taken, from 0, where there are several
  std::string picture = {};               ///< what was decoded, small, as a data: address of a PNG
};

/// Decodes and prepares each; at most as many threads as there are slots do so at a time, which
/// bounds the memory for decoded pixels.
std::vector<ReceivedImage> receive_images(const std::vector<UploadedImage>& images,
                                          const ServedModel& model, const UploadLimits& limits,
                                          Slots& slots);

}  // namespace cubcal
