#include "cubcal/html/page_frame.h"

#include <gtest/gtest.h>

namespace cubcal::report {
namespace {

bool holds(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(PageFrame, AllPagesShareHeadAndStyle) {
  const std::string own = "h2 { color: red; }\n";
  const std::string head = page_head("a < b", own);
  EXPECT_EQ(head.rfind("<!DOCTYPE html>\n", 0), 0U);
  EXPECT_TRUE(holds(head, "<title>a &lt; b</title>"));
  EXPECT_TRUE(holds(head, "default-src 'none'")) << "nothing is loaded from elsewhere";
  EXPECT_TRUE(holds(head, "--paper:"));
  EXPECT_TRUE(holds(head, "prefers-color-scheme: dark"));
  const std::size_t shared = head.find("\nh2 {");
  ASSERT_NE(shared, std::string::npos);
  EXPECT_LT(shared, head.find(own)) << "a page's own style outranks what it shares";
  EXPECT_FALSE(holds(page_head("a", ""), ".verdict")) << "what only reports show is theirs";
}

TEST(PageFrame, APageIsWholeAndNeedsNothingBesidesItself) {
  const std::string page = page_start("T & U", "below <it>") + "<p>x</p>\n" + page_end();
  EXPECT_EQ(page.rfind(page_head("T & U", "").substr(0, 200), 0), 0U);
  EXPECT_TRUE(holds(page, "<h1>T &amp; U</h1>"));
  EXPECT_TRUE(holds(page, "<p class=\"muted\">below &lt;it&gt;</p>"));
  EXPECT_TRUE(holds(page, ".verdict {"));
  for (const char* name : {"html", "head", "style", "body", "header", "main", "script"}) {
    const std::string open = std::string("<") + name, close = std::string("</") + name + ">";
    EXPECT_TRUE(holds(page, open)) << name;
    EXPECT_EQ(page.find(close), page.rfind(close)) << name << " ends once";
    EXPECT_LT(page.find(open), page.find(close)) << name;
  }
  for (const char* outside : {"src=\"http", "href=\"http", "url(http", "@import"}) {
    EXPECT_FALSE(holds(page, outside)) << outside;
  }
}

}  // namespace
}  // namespace cubcal::report
