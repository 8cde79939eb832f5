#include <algorithm>

#include "cubcal/inspection/thumbnails.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/sections.h"
#include "cubcal/report/shown_path.h"

namespace cubcal::report {

namespace {

std::string tile(const RunResult& run, std::uint32_t i, const std::string& uri) {
  const SampleFacts& facts = run.facts;
  const std::string label = run.class_names[static_cast<std::size_t>(facts.labels[i])];
  const std::string called = run.class_names[static_cast<std::size_t>(facts.predicted[i])];
  const std::string name =
      run.files.empty() ? "sample " + std::to_string(i) : shown_path(run.files[i]);
  const std::string says = facts.correct[i] ? label : "called " + called + ", is " + label;
  const std::string picture =
      uri.empty() ? element("span", "unreadable", "class=\"none\"")
                  : "<img alt=\"" + escaped(name + ": " + says) + "\" src=\"" + uri + "\">";
  return "<figure class=\"tile\" title=\"" + escaped(name) + "\"><span class=\"frame\">" + picture +
         "</span>" +
         element("figcaption", element("b", escaped(says)) +
                                   element("span", escaped("c " + percent(facts.confidence[i], 0) +
                                                           ", U " + fixed(facts.entropy[i], 2))) +
                                   element("small", escaped(name))) +
         "</figure>\n";
}

std::string strip(const RunResult& run, const SampleImages& images,
                  const std::vector<std::uint32_t>& shown) {
  const std::vector<std::string> uris = thumbnail_uris(
      {shown.begin(), shown.end()}, [&](std::size_t sample) { return images.read(sample); });
  std::string html;
  for (std::size_t i = 0; i < shown.size(); ++i) html += tile(run, shown[i], uris[i]);
  return "<div class=\"tiles\">\n" + html + "</div>\n";
}

}  // namespace

std::string image_section(const RunResult& run, const SampleImages& images, std::size_t most) {
  if (!images.read) return section("Images", paragraph(images.note, "muted"));
  std::vector<std::uint32_t> mistakes;
  std::vector<std::uint32_t> hits;
  const std::vector<std::uint32_t>& order = run.facts.by_entropy;
  for (const std::uint32_t i : order) {
    if (!run.facts.correct[i] && mistakes.size() < most) mistakes.push_back(i);
  }
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    if (run.facts.correct[*i] && hits.size() < most) hits.push_back(*i);
  }
  std::string html;
  if (!mistakes.empty()) {
    html += element("h4", "The most certain mistakes") + "\n" + strip(run, images, mistakes);
  }
  if (!hits.empty()) {
    html += element("h4", "The most uncertain right answers") + "\n" + strip(run, images, hits);
  }
  return section("Images", html);
}

}  // namespace cubcal::report
