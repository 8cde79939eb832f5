#include "cubcal/inspection/inspection_page.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "cubcal/core/words.h"
#include "cubcal/html/html.h"
#include "cubcal/html/page_frame.h"
#include "cubcal/inspection/contact_sheet.h"
#include "cubcal/inspection/inspection_style.h"
#include "cubcal/inspection/overview.h"
#include "cubcal/inspection/page_charts.h"
#include "cubcal/inspection/wording.h"
#include "cubcal/plot/svg.h"
#include "cubcal/version.h"

namespace cubcal {

namespace {

using report::element;
using report::escaped;

/// Which images a finding shows: sets side by side, or a few of many single ones.
std::vector<SampleList> shown_sets(const Finding& finding, const PageOptions& options) {
  switch (finding.kind) {
    case FindingKind::kUnreadable:
    case FindingKind::kGrayAsRgb: return {};
    case FindingKind::kEnlarged:
    case FindingKind::kTurned:
    case FindingKind::kNoSplit:
    case FindingKind::kConstant: {
      std::vector<SampleList> singles;
      const auto stream = static_cast<std::uint64_t>(finding.kind) << 32;
      for (const std::size_t i : drawn(finding.sets[0], options.sets_shown, options.seed, stream)) {
        singles.push_back({i});
      }
      return singles;
    }
    default: break;
  }
  std::vector<SampleList> sets = finding.sets;
  if (sets.size() > options.sets_shown) sets.resize(options.sets_shown);
  for (SampleList& set : sets) {
    if (set.size() > options.set_images) set.resize(options.set_images);
  }
  return sets;
}

class Page {
 public:
  Page(const Catalog& catalog, const std::vector<ImageFacts>& facts,
       const std::vector<Finding>& findings, const Thumbnails& thumbnails,
       const PageOptions& options)
      : catalog_(catalog),
        facts_(facts),
        findings_(findings),
        options_(options),
        view_(overview(catalog, facts)),
        sheet_(contact_sheet(catalog, options.seed)) {
    fetch_pictures(thumbnails);
  }

  std::string html() const {
    const std::string title = last_part(catalog_.path);
    return report::page_head(title + ": data inspection", kInspectionStyle) + "<body>\n" +
           element("h1", escaped(title)) + "<p class=\"muted\">Data inspection by cubcal " +
           kVersion + "</p>\n" + what_was_read() + counts() + all_findings() + all_tables() +
           charts() + contacts() + "</body>\n</html>\n";
  }

 private:
  void fetch_pictures(const Thumbnails& thumbnails) {
    SampleList wanted;
    for (const Finding& finding : findings_) {
      for (const SampleList& set : shown_sets(finding, options_)) {
        wanted.insert(wanted.end(), set.begin(), set.end());
      }
    }
    for (const ContactStrip& strip : sheet_) {
      wanted.insert(wanted.end(), strip.shown.begin(), strip.shown.end());
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    const std::vector<std::string> uris = thumbnails(wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i) pictures_[wanted[i]] = uris[i];
  }

  std::string what_was_read() const {
    std::string rows;
    const auto add = [&](const char* name, const std::string& value) {
      rows += element("dt", name) + element("dd", escaped(value)) + "\n";
    };
    add("Path", catalog_.path);
    add("Recognised as", catalog_kind_name(catalog_.kind));
    if (!catalog_.notes.empty()) add("In its table", listed(catalog_.notes, "and", 10));
    add("Images",
        grouped(catalog_.samples.size()) +
            (view_.unreadable == 0 ? ", all readable"
                                   : ", " + grouped(view_.unreadable) + " of them unreadable"));
    if (catalog_.has_groups()) add("Groups", grouped(view_.total.groups.back()));
    if (!catalog_.columns.empty()) add("Further columns", listed(catalog_.columns, "and"));
    const auto tally_line = [&](const char* name, const Tally& tally) {
      std::vector<std::string> parts;
      for (const auto& entry : tally) {
        parts.push_back(entry.first +
                        (tally.size() == 1 ? "" : " (" + grouped(entry.second) + ")"));
      }
      if (!parts.empty()) add(name, listed(parts, "and", 6));
    };
    tally_line("Sizes", view_.sizes);
    tally_line("Colour", view_.channels);
    tally_line("Depth", view_.depths);
    if (view_.depths.size() == 1) {
      add("Levels", std::to_string(view_.min_level) + " to " + std::to_string(view_.max_level) +
                        ", mean " + std::to_string(std::lround(view_.mean_level)));
    }
    return "<dl class=\"read\">\n" + rows + "</dl>\n";
  }

  std::string counts() const {
    std::string table = "<table>\n<tr><th>Images" +
                        std::string(catalog_.has_groups() ? " <small>(groups)</small>" : "") +
                        "</th>";
    for (const std::string& column : view_.columns) table += element("th", escaped(column));
    table += "</tr>\n";
    const auto add = [&](const CountRow& row, const char* attributes) {
      table +=
          "<tr" + std::string(attributes) + ">" +
          element("th", escaped(row.name) + (row.is_class || row.name == "no label"
                                                 ? ""
                                                 : " <small class=\"muted\">no class</small>"));
      for (std::size_t c = 0; c < row.images.size(); ++c) {
        const bool shows_groups = catalog_.has_groups() && row.images[c] > 0;
        const std::string groups =
            shows_groups ? " <small>(" + grouped(row.groups[c]) + ")</small>" : "";
        table += element("td", row.images[c] == 0 ? "–" : grouped(row.images[c]) + groups);
      }
      table += "</tr>\n";
    };
    for (const CountRow& row : view_.rows) add(row, "");
    if (view_.rows.size() > 1) add(view_.total, " class=\"all\"");
    return "<h2>Counts</h2>\n<div class=\"scroll\">" + table + "</table></div>\n";
  }

  std::string all_findings() const {
    std::map<Severity, std::size_t> counts;
    for (const Finding& finding : findings_) ++counts[finding.severity];
    std::string text = "<h2>Findings</h2>\n<p class=\"summary\">" +
                       counted(counts[Severity::kLeak], "leak") + ", " +
                       counted(counts[Severity::kWarning], "warning") + ", " +
                       counted(counts[Severity::kNote], "note") + "</p>\n";
    for (const Finding& finding : findings_) text += article(finding);
    return text;
  }

  std::string article(const Finding& finding) const {
    static const std::map<Severity, const char*> kSigns = {
        {Severity::kLeak, "■"}, {Severity::kWarning, "▲"}, {Severity::kNote, "●"}};
    const std::string name = severity_name(finding.severity);
    std::string text = "<article class=\"" + name + "\"><p><span class=\"tag\">" +
                       kSigns.at(finding.severity) + " " + name + "</span>" +
                       escaped(finding.sentence) + "</p>\n";
    if (finding.table) text += table(*finding.table);
    if (finding.kind == FindingKind::kUnreadable) text += reasons(finding.sets[0]);
    if (!finding.lines.empty()) text += list_of(finding.lines);
    text += pictures(finding);
    return text + "</article>\n";
  }

  std::string reasons(const SampleList& samples) const {
    std::vector<std::string> lines;
    for (const std::size_t i : samples) lines.push_back(facts_[i].unreadable);
    return list_of(lines);
  }

  static std::string list_of(const std::vector<std::string>& lines) {
    std::string list;
    for (const std::string& line : lines) list += element("li", escaped(line)) + "\n";
    return "<ul class=\"reasons\">\n" + list + "</ul>\n";
  }

  std::string pictures(const Finding& finding) const {
    const std::vector<SampleList> sets = shown_sets(finding, options_);
    if (sets.empty()) return {};
    std::string text = "<div class=\"sets\">\n";
    for (const SampleList& set : sets) {
      text += "<div class=\"set\">";
      for (const std::size_t i : set) text += figure(i, Caption::kFull);
      text += "</div>\n";
    }
    text += "</div>\n";
    const bool of_singles = finding.sets.size() == 1 && sets.size() > 1;
    const std::size_t all = of_singles ? finding.sets[0].size() : finding.sets.size();
    if (all > sets.size()) {
      text += "<p class=\"muted\">and " + counted(all - sets.size(), of_singles ? "image" : "set") +
              " more</p>\n";
    }
    return text;
  }

  enum class Caption { kFull, kFile };

  std::string figure(std::size_t i, Caption caption) const {
    const Sample& sample = catalog_.samples[i];
    const std::string file = last_part(sample.file);
    const std::string& uri = pictures_.at(i);
    const bool is_tiny = std::max(facts_[i].height, facts_[i].width) < 64;
    const std::string picture =
        uri.empty() ? "<div class=\"frame none\">unreadable</div>"
                    : "<div class=\"frame\"><img loading=\"lazy\" alt=\"\" src=\"" + uri + "\"" +
                          (is_tiny ? " class=\"tiny\"" : "") + "></div>";
    std::string lines = element("small", escaped(file));
    if (caption == Caption::kFull) {
      const std::string split = sample.split.empty() ? "" : element("small", escaped(sample.split));
      lines = element("b", escaped(sample.label_name.empty() ? "no label" : sample.label_name)) +
              split + lines;
    }
    return "<figure title=\"" + escaped(sample.file) + "\">" + picture +
           element("figcaption", lines) + "</figure>";
  }

  /// Counts, tinted by their share of the row; those a rule would call the row's are framed.
  std::string table(const Association& table) const {
    std::string text = "<div class=\"scroll\"><table>\n<tr><th>" + escaped(table.column) + "</th>";
    for (const std::string& value : table.values) text += element("th", escaped(value));
    text += "</tr>\n";
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      std::size_t total = 0;
      for (std::size_t v = 0; v < table.values.size(); ++v) total += table.count(r, v);
      text += "<tr>" + element("th", escaped(table.rows[r]));
      for (std::size_t v = 0; v < table.values.size(); ++v) {
        const std::size_t images = table.count(r, v);
        const auto& chosen = table.rule.values;
        const bool is_rule =
            r == table.rule.row && std::find(chosen.begin(), chosen.end(), v) != chosen.end();
        const double share =
            total == 0 ? 0 : static_cast<double>(images) / static_cast<double>(total);
        text += "<td" + std::string(is_rule ? " class=\"rule\"" : "") +
                " style=\"background: rgba(var(--tint), " + plot::svg_number(0.45 * share) +
                ")\">" + (images == 0 ? "–" : grouped(images)) + "</td>";
      }
      text += "</tr>\n";
    }
    return text + "</table></div>\n";
  }

  std::string all_tables() const {
    const std::vector<Association> tables = associations(catalog_, facts_);
    if (tables.empty()) return {};
    std::string text =
        "<h2>What else tells the class</h2>\n<p class=\"muted\">How much of the uncertainty about "
        "the class a column settles, and how much of that about the column the class does "
        "(uncertainty coefficients); from " +
        whole_percent(kTellingCoefficient) +
        " on it is warned of. Values of fewer than 10 images are left aside.</p>\n"
        "<div class=\"scroll\"><table>\n<tr><th>Column</th><th>Values</th><th>About</th>"
        "<th>told by the column</th><th>tells the column</th></tr>\n";
    for (const Association& table : tables) {
      text +=
          "<tr>" +
          element("td", escaped(table.column) +
                            (table.is_derived ? " <small>seen in the images</small>" : "")) +
          element("td", std::to_string(table.values.size())) +
          element("td", table.of_outliers ? "out of distribution" : "class") +
          element("td", (table.is_telling() ? "▲ " : "") + whole_percent(table.row_from_value)) +
          element("td", whole_percent(table.value_from_row)) + "</tr>\n";
    }
    return text + "</table></div>\n";
  }

  std::string charts() const {
    std::string text;
    for (const std::string& chart : page_charts(facts_)) text += element("div", chart) + "\n";
    return text.empty() ? text : "<h2>Spread</h2>\n<div class=\"charts\">\n" + text + "</div>\n";
  }

  std::string contacts() const {
    std::string text = "<h2>Contact sheet</h2>\n<p class=\"muted\">Drawn by chance, seed " +
                       std::to_string(options_.seed) + "</p>\n";
    std::string current;
    for (const ContactStrip& strip : sheet_) {
      if (strip.name != current) text += element("h3", escaped(strip.name)) + "\n";
      current = strip.name;
      text += "<div class=\"strip\"><div>" +
              (strip.split.empty() ? "" : escaped(strip.split) + "<br>") +
              "<small class=\"muted\">" + std::to_string(strip.shown.size()) + " of " +
              grouped(strip.images) + "</small></div><div class=\"images\">";
      for (const std::size_t i : strip.shown) text += figure(i, Caption::kFile);
      text += "</div></div>\n";
    }
    return text;
  }

  const Catalog& catalog_;
  const std::vector<ImageFacts>& facts_;
  const std::vector<Finding>& findings_;
  const PageOptions& options_;
  Overview view_;
  std::vector<ContactStrip> sheet_;
  std::map<std::size_t, std::string> pictures_;
};

}  // namespace

std::string inspection_page(const Catalog& catalog, const std::vector<ImageFacts>& facts,
                            const std::vector<Finding>& findings, const Thumbnails& thumbnails,
                            const PageOptions& options) {
  return Page(catalog, facts, findings, thumbnails, options).html();
}

}  // namespace cubcal
