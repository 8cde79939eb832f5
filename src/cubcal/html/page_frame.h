#pragma once

#include <string>

/// What surrounds the contents of every page. A page is one HTML document that needs nothing
/// besides itself: style and script stand in it, pictures are data URIs, and a content security
/// policy forbids everything else. Light and dark by the reader's setting or a button; the script
/// only adds values under the pointer and keyboard, so the page can be read without it and on
/// paper.
namespace cubcal::report {

/// From the document's first line to the end of its head: what every page may load, the style that
/// all share (colours, body, headings, text), and `style`, the page's own, after it.
std::string page_head(const std::string& title, const std::string& style);

/// From the document's first line to the opening of its main part: title, the line below it, and
/// the buttons that the script shows.
std::string page_start(const std::string& title, const std::string& subtitle);

/// From the end of the main part on.
std::string page_end();

}  // namespace cubcal::report
