#include "cubcal/inspection/page_charts.h"

#include <algorithm>
#include <cmath>

#include "cubcal/plot/chart.h"

namespace cubcal {

namespace {

constexpr std::size_t kBins = 32;

plot::Chart histogram(const std::vector<double>& values, const char* title, const char* x_label) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double width = (*high > *low ? *high - *low : 1.0) / static_cast<double>(kBins);
  plot::BarSeries bars;
  bars.name = "images";
  bars.in_legend = false;
  bars.opacity = 1;
  bars.colour = plot::Colour::kBlue;
  for (std::size_t i = 0; i < kBins; ++i) {
    bars.left.push_back(*low + width * static_cast<double>(i));
    bars.right.push_back(*low + width * static_cast<double>(i + 1));
    bars.top.push_back(0);
  }
  for (const double value : values) {
    const auto bin = static_cast<std::size_t>((value - *low) / width);
    bars.top[std::min(bin, kBins - 1)] += 1;
  }
  plot::ChartOptions options;
  options.title = title;
  options.x_label = x_label;
  options.y_label = "images";
  options.width = 340;
  options.height = 230;
  options.y_min = 0;
  plot::Chart chart(options);
  chart.bars(std::move(bars));
  return chart;
}

bool differ(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end();
}

}  // namespace

std::vector<std::string> page_charts(const std::vector<ImageFacts>& facts) {
  std::vector<double> shorter, proportions, means, deviations, falloffs;
  for (const ImageFacts& image : facts) {
    if (!image.is_readable()) continue;
    shorter.push_back(static_cast<double>(std::min(image.height, image.width)));
    proportions.push_back(static_cast<double>(image.width) / static_cast<double>(image.height));
    const double step = image.bits == 16 ? 257 : 1;  // as if all had 8 bits
    means.push_back(image.mean_level / step);
    deviations.push_back(image.level_deviation / step);
    if (image.enlargement) falloffs.push_back(image.enlargement->falloff);
  }
  std::vector<std::string> charts;
  const auto add = [&](const std::vector<double>& values, const char* title, const char* label) {
    if (differ(values)) charts.push_back(histogram(values, title, label).svg());
  };
  add(shorter, "Shorter side", "pixels");
  add(proportions, "Proportions", "width / height");
  add(means, "Brightness", "mean level of an image, of 255");
  add(deviations, "Contrast", "standard deviation of its levels, of 255");
  if (differ(falloffs)) {
    plot::Chart chart = histogram(falloffs, "Detail", "falloff of the spectrum");
    plot::ReferenceLine line;
    line.value = kEnlargedFalloff;
    line.label = "enlarged";
    chart.reference(line);
    charts.push_back(chart.svg());
  }
  return charts;
}

}  // namespace cubcal
