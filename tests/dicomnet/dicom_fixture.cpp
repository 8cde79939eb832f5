// dicom_fixture FOLDER [IMAGES]: writes a small model and DICOM images of two studies into the
// folder.

#include <cstdlib>

#include "cubcal/io/atomic_file.h"
#include "infer/tiny_model.h"
#include "node/dicom_images.h"

int main(int argc, char** argv) {
  using namespace cubcal;
  using namespace cubcal::test;
  if (argc < 2) return 2;
  const std::string folder = argv[1];
  const int images = argc > 2 ? std::atoi(argv[2]) : 4;
  save_model(folder + "/model", tiny_description(LayerKind::kVariational),
             *tiny_network(LayerKind::kVariational));
  for (int i = 0; i < images; ++i) {
    const std::string number = std::to_string(i);
    const auto level = static_cast<unsigned char>(37 * i);
    write_file_atomically(
        folder + "/" + number + ".dcm",
        dicom_image("1.2.840.99." + number, level, "1.2.9." + std::to_string(i % 2 + 1)).file());
  }
  return 0;
}
