#include "cubcal/html/page_frame.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/outputs.h"
#include "cubcal/report/shown_path.h"
#include "cubcal/version.h"

namespace cubcal::report {

namespace {

struct Part {
  const char* name;
  std::string html;
};

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
      {"Clinical metrics", clinical_section(run, options)},
      {"Net benefit", benefit_section(run, options, figures)},
      {"Prevalence", prevalence_section(run, options)},
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
                           const ReportOptions& options, bool several, Figures& figures) {
  const RunResult& run = *method.runs.front();
  std::string html;
  figures.set_subject(several ? method.label : "");
  if (method.runs.size() > 1) {
    html += paragraph("The first of " + std::to_string(method.runs.size()) + " runs" +
                          (run.source.empty() ? "" : ": " + shown_path(run.source)) +
                          ". The others count in the tables above.",
                      "muted");
  }
  html += run_parts(run, number, images, options, figures);
  return "<details class=\"method\" id=\"method-" + std::to_string(number) + "\"" +
         (number == 1 ? " open" : "") + "><summary>" + element("h2", escaped(method.label)) +
         "</summary>\n" + html + "</details>\n";
}

std::string contents(const std::vector<Method>& methods, bool has_deployed) {
  std::string links = has_deployed ? "<a href=\"#deployed\">The model in use</a>\n" : "";
  links += "<a href=\"#methods\">" +
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
                 const MethodDifferences& differences, const SampleImages& images,
                 const ReportOptions& options, Figures& figures) {
  const std::string deployed = deployed_section(*methods.front().runs.front());
  std::string html = page_start(title, subtitle(methods)) + verdict_section(methods.front()) +
                     contents(methods, !deployed.empty()) + deployed;
  html += "<section id=\"methods\">\n" +
          element("h2", methods.size() > 1 ? "Methods compared" : "Metrics") + "\n" +
          methods_section(methods, differences, options, figures) + "</section>\n";
  static const SampleImages kOnlyOfTheFirst = {
      {}, "Images are shown for the first method only, to keep the page small."};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const bool has_pictures = m == 0 || !images.read;
    html += method_details(methods[m], m + 1, has_pictures ? images : kOnlyOfTheFirst, options,
                           methods.size() > 1, figures);
  }
  return html + page_end();
}

}  // namespace cubcal::report
