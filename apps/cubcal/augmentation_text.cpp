#include "augmentation_text.h"

#include "cubcal/core/check.h"

namespace cubcal::app {

std::string augmentation_text(const AugmentationOptions& options) {
  std::string text;
  const auto add = [&text](bool is_on, const std::string& words) {
    if (is_on) text += (text.empty() ? "" : ", ") + words;
  };
  add(options.horizontal_flip, "horizontal flip");
  add(options.vertical_flip, "vertical flip");
  add(options.shift > 0, "shift " + to_text(options.shift));
  add(options.rotation > 0, "rotation " + to_text(options.rotation) + " degrees");
  add(options.crop_least < 1, "crop " + to_text(options.crop_least) + " to " +
                                  to_text(options.crop_largest) + " of the area, aspect " +
                                  to_text(options.crop_aspect));
  add(options.brightness > 0, "brightness " + to_text(options.brightness));
  add(options.contrast > 0, "contrast " + to_text(options.contrast));
  return text.empty() ? "none" : text;
}

}  // namespace cubcal::app
