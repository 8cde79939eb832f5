#include "cubcal/html/page_frame.h"

#include "cubcal/html/html.h"
#include "cubcal/html/page_assets.h"
#include "cubcal/plot/palette.h"
#include "cubcal/version.h"

namespace cubcal::report {

namespace {

/// The colours of charts under the page's own switch, which outranks the reader's setting.
std::string switched_colours() {
  return "@media screen{:root[data-theme=light] .cubcal-plot{" + plot::colour_definitions(false) +
         "}:root[data-theme=dark] .cubcal-plot{" + plot::colour_definitions(true) + "}}\n";
}

}  // namespace

std::string page_head(const std::string& title, const std::string& style) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src "
         "data:; "
         "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"generator\" content=\"cubcal " +
         std::string(kVersion) + "\">\n" + element("title", escaped(title)) + "\n<style>\n" +
         kBaseStyle + style + "</style>\n</head>\n";
}

std::string page_start(const std::string& title, const std::string& subtitle) {
  return page_head(title, kPageStyle + plot::style_sheet() + switched_colours()) +
         "<body>\n<header>\n" + element("h1", escaped(title)) + "\n" +
         paragraph(subtitle, "muted") +
         "<div class=\"tools\" hidden><button type=\"button\" id=\"theme\">Light or "
         "dark</button> <button type=\"button\" id=\"unfold\">Open all</button> "
         "<span class=\"muted\">Point at a chart to read its values, or move to it with "
         "Tab and read them with the arrow keys. Printed is what is open.</span></div>\n" +
         "</header>\n<p id=\"fault\" role=\"alert\" hidden></p>\n<main>\n";
}

std::string page_end() {
  return "</main>\n<div id=\"reading\" role=\"status\" hidden></div>\n<script>\n" +
         std::string(kPageScript) + "</script>\n</body>\n</html>\n";
}

}  // namespace cubcal::report
