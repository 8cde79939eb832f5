#include <cstdio>
#include <vector>

#include "cubcal/boundary/thresholds.h"
#include "cubcal/core/version.h"
#include "cubcal/image/image_file.h"
#include "cubcal/uncertainty/predictive.h"

int main(int argc, char** argv) {
  if (argc > 1) {  // also brings in the image libraries
    const cubcal::Image image = cubcal::read_image_file(argv[1]);
    std::printf("%zu x %zu pixels\n", image.width, image.height);
  }
  const std::vector<float> logits = {2.0F, 0.0F, -1.0F, 1.5F, 0.5F, -1.0F};  // [2 passes, 1, 3]
  const cubcal::Predictive predictive = cubcal::predict(cubcal::McLogits(logits.data(), 2, 1, 3));
  const cubcal::Thresholds thresholds = cubcal::thresholds_from_eta(0.325, 3);
  std::printf("cubcal %s: class %d, U = %.4f nats, refer above %.3f\n", cubcal::kVersion,
              predictive.predicted[0], predictive.entropy[0], thresholds.eta);
  return predictive.predicted[0] == 0 ? 0 : 1;
}
