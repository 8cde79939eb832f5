#include "cubcal/report/page.h"

#include "cubcal/plot/palette.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/page_assets.h"
#include "cubcal/version.h"

namespace cubcal::report {

namespace {

struct Part {
  const char* name;
  std::string html;
};

/// The colours of charts under the page's own switch, which outranks the reader's setting.
std::string switched_colours() {
  return "@media screen{:root[data-theme=light] .cubcal-plot{" + plot::colour_definitions(false) +
         "}:root[data-theme=dark] .cubcal-plot{" + plot::colour_definitions(true) + "}}\n";
}

std::string head(const std::string& title) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src "
         "data:; "
         "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"generator\" content=\"cubcal " +
         std::string(kVersion) + "\">\n" + element("title", escaped(title)) + "\n<style>\n" +
         kPageStyle + plot::style_sheet() + switched_colours() + "</style>\n</head>\n";
}

/// The parts of one run, with links to them.
std::string run_parts(const RunResult& run, std::size_t number, const SampleImages& images,
                      const ReportOptions& options, Figures& figures) {
  const Part parts[] = {
      {"Boundary", boundary_section(run, options, figures)},
      {"Reliability", reliability_section(run, figures)},
      {"Referral", referral_section(run, figures)},
      {"Temperatures", temperature_section(run, figures)},
      {"OOD", detection_section(run, figures)},
      {"Classes", classes_section(run, figures)},
      {"Subgroups", subgroup_section(run)},
      {"Images", image_section(run, images, options.images)},
      {"Training", training_section(run, figures)},
      {"Model card", card_section(run, options)},
  };
  std::string links;
  std::string html;
  for (const Part& part : parts) {
    if (part.html.empty()) continue;
    const std::string id =
        "part-" + std::to_string(number) + "-" + std::to_string(&part - parts + 1);
    links += element("a", part.name, "href=\"#" + id + "\"") + "\n";
    html += element("div", part.html, "id=\"" + id + "\"") + "\n";
  }
  return "<nav class=\"parts\" aria-label=\"Parts of " + escaped(run.label) + "\">\n" + links +
         "</nav>\n" + html;
}

std::string method_details(const Method& method, std::size_t number, const SampleImages& images,
                           const ReportOptions& options, Figures& figures) {
  const RunResult& run = *method.runs.front();
  std::string html;
  if (method.runs.size() > 1) {
    html += paragraph("The first of " + std::to_string(method.runs.size()) + " runs" +
                          (run.folder.empty() ? "" : ": " + run.folder) +
                          ". The others count in the tables above.",
                      "muted");
  }
  html += run_parts(run, number, images, options, figures);
  return "<details class=\"method\" id=\"method-" + std::to_string(number) + "\"" +
         (number == 1 ? " open" : "") + "><summary>" + element("h2", escaped(method.label)) +
         "</summary>\n" + html + "</details>\n";
}

std::string contents(const std::vector<Method>& methods) {
  std::string links = "<a href=\"#methods\">" +
                      std::string(methods.size() > 1 ? "Methods compared" : "Metrics") + "</a>\n";
  for (std::size_t m = 0; m < methods.size(); ++m) {
    links +=
        element("a", escaped(methods[m].label), "href=\"#method-" + std::to_string(m + 1) + "\"") +
        "\n";
  }
  return "<nav aria-label=\"Contents\">\n" + links + "</nav>\n";
}

std::string subtitle(const std::vector<Method>& methods) {
  std::size_t runs = 0;
  for (const Method& method : methods) runs += method.runs.size();
  return counted(methods.size(), "method") + ", " + counted(runs, "run") + ", " +
         std::to_string(methods.front().runs.front()->facts.classes) + " classes" +
         ". Made by cubcal " + kVersion + ", a research tool and not a medical device.";
}

}  // namespace

std::string page(const std::string& title, const std::vector<Method>& methods,
                 const SampleImages& images, const ReportOptions& options) {
  Figures figures;
  std::string html =
      head(title) + "<body>\n<header>\n" + element("h1", escaped(title)) + "\n" +
      paragraph(subtitle(methods), "muted") +
      "<div class=\"tools\" hidden><button type=\"button\" id=\"theme\">Light or "
      "dark</button> <button type=\"button\" id=\"unfold\">Open all</button> "
      "<span class=\"muted\">Point at a chart to read its values, or move to it with "
      "Tab and read them with the arrow keys. Printed is what is open.</span></div>\n" +
      "</header>\n<p id=\"fault\" role=\"alert\" hidden></p>\n<main>\n" +
      verdict_section(methods.front()) + contents(methods);
  html += "<section id=\"methods\">\n" +
          element("h2", methods.size() > 1 ? "Methods compared" : "Metrics") + "\n" +
          methods_section(methods, options, figures) + "</section>\n";
  static const SampleImages kOnlyOfTheFirst = {
      {}, "Images are shown for the first method only, to keep the page small."};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const bool has_pictures = m == 0 || !images.read;
    html += method_details(methods[m], m + 1, has_pictures ? images : kOnlyOfTheFirst, options,
                           figures);
  }
  return html + "</main>\n<div id=\"reading\" role=\"status\" hidden></div>\n<script>\n" +
         kPageScript + "</script>\n</body>\n</html>\n";
}

}  // namespace cubcal::report
