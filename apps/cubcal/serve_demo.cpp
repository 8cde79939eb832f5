#include "serve_demo.h"

#include <filesystem>
#include <iostream>

#include "cubcal/image/png_encoder.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/record/model_paths.h"
#include "demo_parts.h"
#include "recipe_setup.h"
#include "report_images.h"
#include "work_view.h"

namespace cubcal::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDemoImages = 12;

void make_demo_model(const std::vector<RunPart>& parts, const std::string& folder) {
  std::cout << "there is no demo in " << folder << " yet: training its model\n";
  const ImageSet set = load_data(parts.front().recipe.data);
  WorkView view;
  for (const RunPart* part : {&parts.front(), &parts.back()}) {
    make_part(
        *part, [&set]() -> const ImageSet& { return set; }, "", "cubcal demo --out " + folder,
        view);
  }
}

}  // namespace

std::string demo_model(const std::string& folder) {
  const std::vector<RunPart> parts = demo_parts({folder});
  const std::string model = parts.back().model();
  if (!fs::exists(ModelPaths{model}.description())) make_demo_model(parts, folder);
  const std::string images = folder + "/images";
  make_folders(images);
  const auto drawn = drawn_test_images(parts.back().folder, "phantom");
  for (std::size_t i = 0; i < kDemoImages; ++i) {
    const std::string path = images + "/test" + std::to_string(i) + ".png";
    if (!fs::exists(path)) write_file_atomically(path, encode_png(drawn(i)));
  }
  std::cout << "images to try: " << images << '\n';
  return model;
}

}  // namespace cubcal::app
