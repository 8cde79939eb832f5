#pragma once

#include <string>
#include <vector>

#include "cubcal/inspection/image_facts.h"

namespace cubcal {

/// How the images of a set spread, as SVG: sides and proportions where they differ, mean level,
/// contrast and detail. Empty where nothing can be read.
std::vector<std::string> page_charts(const std::vector<ImageFacts>& facts);

}  // namespace cubcal
