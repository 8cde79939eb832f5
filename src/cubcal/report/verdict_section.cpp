#include "cubcal/report/numbers.h"
#include "cubcal/report/sections.h"
#include "cubcal/report/verdict.h"

namespace cubcal::report {

namespace {

std::string item(const char* name, const std::string& text) {
  return element("dt", name) + element("dd", escaped(text)) + "\n";
}

std::string calibration_words(const RunResult& run) {
  if (const PostHoc* in_use = run.calibration_in_use()) {
    return "; how honest it is, with its calibration " +
           std::string(method_name(in_use->calibration.method)) + ".";
  }
  return run.deployed ? ", which has no calibration." : ", without calibration unless it says so.";
}

}  // namespace

std::string verdict_section(const Method& method) {
  const RunResult& run = *method.runs.front();
  const Verdict verdict = verdict_of(run);
  std::string which = "About " + method.label;
  if (method.runs.size() > 1) {
    which += ", the first of its " + std::to_string(method.runs.size()) + " runs" +
             (run.record.seed ? " (seed " + std::to_string(*run.record.seed) + ")" : "");
  }
  std::string list;
  for (const std::string& sentence : verdict.beware)
    list += element("li", escaped(sentence)) + "\n";
  return "<section class=\"verdict\" aria-label=\"Verdict\">\n" + element("h2", "Verdict") + "\n" +
         paragraph(which + calibration_words(run), "muted") + "<dl>\n" +
         item("How often is it right?", verdict.accuracy) +
         item("How honest is its uncertainty?", verdict.honesty) +
         item("What to refer?", verdict.referral) +
         (list.empty() ? "" : element("dt", "Beware") + element("dd", "<ul>" + list + "</ul>")) +
         "</dl>\n</section>\n";
}

}  // namespace cubcal::report
