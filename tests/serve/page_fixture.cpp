// page_fixture FOLDER: writes a small model and images of several kinds into the folder.

#include <iostream>

#include "cubcal/image/png_encoder.h"
#include "cubcal/io/atomic_file.h"
#include "dicom/dicom_file.h"
#include "infer/tiny_model.h"

int main(int argc, char** argv) {
  using namespace cubcal;
  using namespace cubcal::test;
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  save_model(folder + "/model", tiny_description(LayerKind::kVariational),
             *tiny_network(LayerKind::kVariational));
  const at::Tensor images = random_images(3, 1, 20).contiguous();
  const auto* pixels = images.data_ptr<std::uint8_t>();
  constexpr std::size_t kEach = 400;
  write_file_atomically(folder + "/a.png", encode_png({20, 20, 1, {pixels, pixels + kEach}, {}}));
  write_file_atomically(folder + "/b.png",
                        encode_png({20, 20, 1, {pixels + kEach, pixels + 2 * kEach}, {}}));
  DicomFileBuilder dicom = DicomFileBuilder::gray(20, 20, 8);
  dicom.text(0x00080018, "UI", "1.2.3").text(0x0020000d, "UI", "1.2");
  dicom.bytes(0x7fe00010, "OB", {pixels + 2 * kEach, pixels + 3 * kEach});
  write_file_atomically(folder + "/scan.dcm", dicom.file());
  write_file_atomically(folder + "/broken.jpg", "\xff\xd8\xff\xe0 no image");
  return 0;
}
