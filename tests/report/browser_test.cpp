// The page in a real browser, where the machine has one: the script runs, charts are there, values
// appear under the pointer and with the keyboard.

#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/program.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/report/write_report.h"
#include "report/example_run.h"

namespace cubcal::report {
namespace {

namespace fs = std::filesystem;

/// Empty where there is none.
std::string browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    for (const char* folder : {"/usr/bin/", "/usr/local/bin/"}) {
      if (fs::exists(std::string(folder) + name)) return std::string(folder) + name;
    }
  }
  return {};
}

/// What a visitor does; the results go into the document, which is then printed.
constexpr const char* kVisit = R"js(<pre id="visit"></pre><script>
window.addEventListener('load', () => {
  const say = (name, text) => {
    document.getElementById('visit').textContent += name + '=[' + text.replace(/\n/g, ' | ') + ']\n';
  };
  const reading = document.getElementById('reading');
  const named = (start) => [...document.querySelectorAll('svg.cubcal-plot')]
      .find((svg) => svg.getAttribute('aria-label').startsWith(start));
  const pointAt = (svg, share) => {
    svg.scrollIntoView();
    const box = svg.getBoundingClientRect();
    svg.dispatchEvent(new PointerEvent('pointermove', {
      bubbles: true, clientX: box.left + share[0] * box.width, clientY: box.top + share[1] * box.height }));
    return reading.hidden ? 'nothing' : reading.textContent;
  };
  const press = (svg, key) => {
    svg.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    return reading.hidden ? 'nothing' : reading.textContent;
  };
  say('charts', String(document.querySelectorAll('figure.chart svg').length));
  say('titles', String(document.querySelectorAll('svg title').length));
  say('focusable', String(document.querySelectorAll('svg.cubcal-plot[tabindex="0"]').length));
  say('matrix', pointAt(named('Confusion matrix'), [0.45, 0.25]));
  say('outside', pointAt(named('Confusion matrix'), [0.001, 0.001]));
  const boundary = named('Before calibration');
  press(boundary, 'End');
  say('curve', press(boundary, 'ArrowLeft'));
  let text = '';
  for (let i = 0; i < 8 && !/called|benign|malignant/.test(text); ++i) text = press(boundary, 'ArrowDown');
  say('sample', text);
  say('escape', press(boundary, 'Escape'));
  const background = () => getComputedStyle(document.body).backgroundColor + ' ' +
      getComputedStyle(document.querySelector('.cp-paper')).fill;
  const before = background();
  document.getElementById('theme').click();
  const after = background();
  say('theme', before === after ? 'unchanged' : document.documentElement.dataset.theme);
  say('closed', String(document.querySelectorAll('details:not([open])').length));
  document.getElementById('unfold').click();
  say('still closed', String(document.querySelectorAll('details:not([open])').length));
  say('fault', document.getElementById('fault').hidden ? 'none' : document.getElementById('fault').textContent);
  say('overflow', String(document.documentElement.scrollWidth > document.documentElement.clientWidth));
  say('wide tables', [...document.querySelectorAll('.scroll')]
      .filter((box) => box.scrollWidth > box.clientWidth + 1)
      .map((box) => box.textContent.trim().slice(0, 60)).join('; '));
  // A telephone: how large the smallest letters of charts are drawn, in pixels.
  document.body.style.width = '400px';
  let smallest = 100;
  for (const svg of document.querySelectorAll('svg.cubcal-plot')) {
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    for (const text of svg.querySelectorAll('text')) {
      smallest = Math.min(smallest, scale * Number(text.getAttribute('font-size')));
    }
  }
  say('smallest letters', smallest.toFixed(2));
  document.getElementById('visit').dataset.done = 'yes';
});
</script></body>)js";

class InBrowser : public testing::Test {
 protected:
  void SetUp() override {
    if (browser().empty()) GTEST_SKIP() << "this machine has no Chromium";
    write_example_run(scratch_.path() / "cub", "bnn+cub", 1, 2.2);
    write_example_run(scratch_.path() / "bnn", "bnn", 1, 1.6);
    ReportOptions options;
    options.output = scratch_.file("report.html");
    options.bootstrap.replicates = 50;
    options.runs = {scratch_.file("cub"), scratch_.file("bnn")};
    write_report(options);
    std::string page = test::contents_of(options.output);
    const std::string end = "</body>";
    page.replace(page.rfind(end), end.size(), kVisit);
    write_file_atomically(scratch_.file("visit.html"), page);
  }

  /// The document after its script has run.
  std::string document(const std::string& window) {
    const std::string command =
        "timeout 120 '" + browser() +
        "' --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
        "--disable-component-update --disable-sync --user-data-dir='" +
        scratch_.file("profile") + "' --window-size=" + window + " --virtual-time-budget=5000 " +
        "--dump-dom 'file://" + scratch_.file("visit.html") + "' >'" + scratch_.file("dom") +
        "' 2>'" + scratch_.file("log") + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << test::contents_of(scratch_.path() / "log");
    return test::contents_of(scratch_.path() / "dom");
  }

  static std::string said(const std::string& dom, const std::string& name) {
    const std::size_t visit = dom.find("<pre id=\"visit\"");
    const std::size_t at = dom.find("\n" + name + "=[", visit);
    const std::size_t first = dom.find(name + "=[", at == std::string::npos ? visit : at);
    if (visit == std::string::npos || first == std::string::npos) return "(not said)";
    const std::size_t start = first + name.size() + 2;
    return dom.substr(start, dom.find("]\n", start) - start);
  }

  test::ScratchFolder scratch_;
};

TEST_F(InBrowser, ChartsSpeakAndNothingFails) {
  const std::string dom = document("1280,900");
  ASSERT_NE(dom.find("data-done=\"yes\""), std::string::npos)
      << test::contents_of(scratch_.path() / "log");
  EXPECT_EQ(said(dom, "fault"), "none");
  EXPECT_EQ(said(dom, "titles"), "0");
  EXPECT_GE(std::stoi(said(dom, "charts")), 30);
  EXPECT_EQ(said(dom, "focusable"), said(dom, "charts"));
  EXPECT_NE(said(dom, "matrix").find("benign, called benign: "), std::string::npos)
      << said(dom, "matrix");
  EXPECT_EQ(said(dom, "outside"), "nothing");
  EXPECT_NE(said(dom, "curve").find("confidence c: "), std::string::npos) << said(dom, "curve");
  EXPECT_NE(said(dom, "curve").find("predictive entropy U (nats): "), std::string::npos);
  EXPECT_NE(said(dom, "sample").find("sample "), std::string::npos) << said(dom, "sample");
  EXPECT_EQ(said(dom, "escape"), "nothing");
  EXPECT_EQ(said(dom, "theme"), "dark");
  EXPECT_NE(said(dom, "closed"), "0");
  EXPECT_EQ(said(dom, "still closed"), "0");
  EXPECT_EQ(said(dom, "overflow"), "false");
  EXPECT_GE(std::stod(said(dom, "smallest letters")), 8.5);
}

TEST_F(InBrowser, LongNamesOfRowsAreWrapped) {
  std::string page = test::contents_of(scratch_.path() / "visit.html");
  const std::string name = ">north<";
  ASSERT_NE(page.find(name), std::string::npos);
  for (std::size_t at = 0; (at = page.find(name, at)) != std::string::npos;) {
    page.replace(at, name.size(),
                 ">Hospital_of_the_northern_parts_" + std::string(60, 'n') + " and all else<");
  }
  write_file_atomically(scratch_.file("visit.html"), page);
  EXPECT_EQ(said(document("1280,900"), "wide tables"), "");
}

TEST_F(InBrowser, ANarrowWindowScrollsNothingSideways) {
  const std::string dom = document("500,900");
  EXPECT_EQ(said(dom, "overflow"), "false");
  EXPECT_EQ(said(dom, "fault"), "none");
}

}  // namespace
}  // namespace cubcal::report
