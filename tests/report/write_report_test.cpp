#include "cubcal/report/write_report.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "cli/program.h"
#include "cubcal/core/content_hash.h"
#include "cubcal/image/png_encoder.h"
#include "cubcal/io/logits_rows.h"
#include "expect_error.h"
#include "report/example_run.h"

namespace cubcal::report {
namespace {

class WriteReport : public testing::Test {
 protected:
  WriteReport() {
    options_.output = scratch_.file("report.html");
    options_.bootstrap.replicates = 50;
  }
  std::string folder(const std::string& name) const { return scratch_.file(name); }
  std::string written() {
    summary_ = write_report(options_);
    return test::contents_of(options_.output);
  }
  static std::size_t count(const std::string& page, const std::string& words) {
    std::size_t found = 0;
    for (std::size_t at = page.find(words); at != std::string::npos;
         at = page.find(words, at + 1)) {
      ++found;
    }
    return found;
  }

  test::ScratchFolder scratch_;
  ReportOptions options_;
  WrittenReport summary_;
};

/// The '>' that ends the tag at `first`; those in quotes do not.
std::size_t end_of_tag(const std::string& markup, std::size_t first) {
  bool quoted = false;
  std::size_t at = first;
  for (; at < markup.size() && (quoted || markup[at] != '>'); ++at) {
    if (markup[at] == '"') quoted = !quoted;
  }
  return at;
}

/// Elements that are opened are closed, in order. (No regular expression: the library's overflow
/// the stack on tags as long as an image.)
void expect_balanced(const std::string& page) {
  static const std::set<std::string> kVoid = {"meta", "img", "br"};
  const std::size_t script = page.find("<script>");
  const std::string markup = page.substr(0, script) + page.substr(page.find("</script>") + 9);
  std::vector<std::string> open;
  for (std::size_t at = markup.find('<'); at != std::string::npos; at = markup.find('<', at + 1)) {
    const bool closes = markup[at + 1] == '/';
    const std::size_t first = at + (closes ? 2 : 1);
    std::size_t after = first;
    while (std::isalnum(static_cast<unsigned char>(markup[after])) != 0) ++after;
    const std::string name = markup.substr(first, after - first);
    const std::size_t end = end_of_tag(markup, at);
    if (name.empty() || kVoid.count(name) > 0 || markup[end - 1] == '/') continue;
    if (!closes) {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << name;
    ASSERT_EQ(open.back(), name);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
}

void expect_unique_ids(const std::string& page) {
  const std::string start = " id=\"";
  std::set<std::string> ids;
  for (std::size_t at = page.find(start); at != std::string::npos; at = page.find(start, at + 1)) {
    const std::size_t first = at + start.size();
    const std::string id = page.substr(first, page.find('"', first) - first);
    EXPECT_TRUE(ids.insert(id).second) << id;
  }
}

TEST_F(WriteReport, ARunHasEveryPart) {
  write_example_run(folder("a"), "bnn+cub", 1, 1.0);
  options_.runs = {folder("a")};
  const std::string page = written();
  EXPECT_EQ(summary_.bytes, page.size());
  for (const char* words : {"<!DOCTYPE html>",
                            "<title>Uncertainty report: lesions</title>",
                            "How often is it right?",
                            "How honest is its uncertainty?",
                            "What to refer?",
                            "Beware",
                            "Before calibration",
                            "After dts<",
                            "After ts-nll",
                            "Scaling regions",
                            "Confidence, before calibration",
                            "Boundary curve, after ts-nll",
                            "Risk and coverage",
                            "by uncertainty, ts-nll",
                            "The objective: BCCE",
                            "Its price: NLL",
                            "ROC",
                            "Precision and recall",
                            "Confusion matrix",
                            "site. Gap: accuracy of the group minus that of the rest.",
                            "age. Its numbers in four ranges",
                            "Every gap by site",
                            "Left out: the column 'note' has 200 values",
                            "Calibration",
                            "Hash of the weights",
                            "89ab",
                            "not a medical device",
                            "Images are left out: no data set was named."}) {
    EXPECT_NE(page.find(words), std::string::npos) << words;
  }
  expect_balanced(page);
  expect_unique_ids(page);
}

TEST_F(WriteReport, NothingComesFromOutside) {
  write_example_run(folder("a"), "bnn", 1);
  options_.runs = {folder("a")};
  const std::string page = written();
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* words : {"src=\"http", "href=\"http", "@import", "url(http", "fetch("}) {
    EXPECT_EQ(page.find(words), std::string::npos) << words;
  }
}

TEST_F(WriteReport, TextFromFilesIsEscaped) {
  write_example_run(folder("a"), "<script>alert(1)</script>", 1);
  options_.runs = {folder("a")};
  options_.title = "<b>bold</b> & \"title\"";
  const std::string page = written();
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<b>bold"), std::string::npos);
  EXPECT_EQ(page.find("<other>"), std::string::npos);
  EXPECT_EQ(page.find("<tag>"), std::string::npos);
  EXPECT_NE(page.find("&lt;other&gt; &amp; &quot;odd&quot;"), std::string::npos);
  expect_balanced(page);
}

TEST_F(WriteReport, SameInputSameBytes) {
  write_example_run(folder("a"), "bnn", 1);
  options_.runs = {folder("a")};
  EXPECT_EQ(written(), written());
}

TEST_F(WriteReport, MethodsAndRepeatsAreCompared) {
  write_example_run(folder("cub1"), "bnn+cub", 1, 2.2);
  write_example_run(folder("cub2"), "bnn+cub", 2, 2.4);
  write_example_run(folder("bnn1"), "bnn", 1, 1.6);
  options_.runs = {folder("cub1"), folder("cub2"), folder("bnn1")};
  const std::string page = written();
  EXPECT_EQ(summary_.runs, 3U);
  EXPECT_EQ(summary_.methods, 2U);
  for (const char* words :
       {"bnn+cub (2 runs)", " ± ", "bnn+cub minus each other method", "Methods compared",
        "What a better AvU costs", "divided by one temperature, from 1.5 to 0.5",
        "About bnn+cub, the first of its 2 runs (seed 1)"}) {
    EXPECT_NE(page.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(count(page, ", one temperature"), 4U) << "two methods in the charts of ECE and NLL";
  EXPECT_EQ(count(page, "means of settings"), 3U) << "bnn and bnn+cub, in three charts";
  EXPECT_EQ(count(page.substr(0, page.find("<script")), "\n("), 10U)
      << "the interval of a difference below it";
  EXPECT_EQ(count(page, "<details class=\"method\""), 2U);
  expect_unique_ids(page);
}

TEST_F(WriteReport, RunsOfOneMethodAndSeedAreToldApartByFolder) {
  write_example_run(folder("a"), "bnn", 1);
  write_example_run(folder("b"), "bnn", 1);
  options_.runs = {folder("a"), folder("b")};
  written();
  EXPECT_EQ(summary_.methods, 2U);
}

/// The first table of paired differences.
std::string differences_of(const std::string& page) {
  const std::size_t caption = page.find("minus each other method on the same images");
  return caption == std::string::npos
             ? ""
             : page.substr(caption, page.find("</table>", caption) - caption);
}

TEST_F(WriteReport, FilesOfLogitsAreComparedOnTheSameImages) {
  LogitsFile a = example_logits(10, 200, 6, 2.2);
  LogitsFile b = example_logits(10, 200, 6, 1.6);
  for (std::size_t i = 0; i < 200; ++i) a.files.push_back("image " + std::to_string(i));
  b.files = a.files;
  write_logits_file(folder("a.npz"), a);
  write_logits_file(folder("b.npz"), b);
  write_logits_file(folder("av.npz"), example_logits(20, 200, 6, 2.2));
  options_.runs = {"A=" + folder("a.npz"), "B=" + folder("b.npz")};
  options_.validation = {"A=" + folder("av.npz")};
  const std::string page = written();
  EXPECT_EQ(summary_.methods, 2U);
  const std::string table = differences_of(page);
  EXPECT_NE(table.find("minus B"), std::string::npos);
  EXPECT_EQ(count(table, "), p "), 10U);
  EXPECT_NE(page.find("What a better AvU costs"), std::string::npos);
  EXPECT_EQ(page.find(scratch_.path().string()), std::string::npos) << "no path of this machine";
  expect_unique_ids(page);

  EXPECT_NE(page.find("Bold: the best mean"), std::string::npos);

  // The same samples in another order give the same differences.
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 200; ++i) rows.push_back((7 * i + 3) % 200);
  write_logits_file(folder("b.npz"), take_samples(b, rows));
  EXPECT_EQ(differences_of(written()), table);

  // Other images are not paired, whatever their labels.
  b.files.back() = "another";
  write_logits_file(folder("b.npz"), b);
  const std::string other = written();
  EXPECT_EQ(differences_of(other), "");
  EXPECT_NE(
      other.find("B is not compared with A image by image: its test logits name other files."),
      std::string::npos);
  EXPECT_EQ(other.find("Bold: the best mean"), std::string::npos);
  EXPECT_NE(other.find("not tested on the same images, so that none is called best"),
            std::string::npos);
}

TEST_F(WriteReport, AFileIsNoRepeatOfItself) {
  write_logits_file(folder("a.npz"), example_logits(10, 100));
  const std::string twice = folder("./a.npz");
  options_.runs = {"A=" + folder("a.npz"), "A=" + twice};
  test::expect_error<ArgumentError>([&] { written(); }, "is given twice as 'A'");
  options_.runs = {"A=" + folder("a.npz"), "B=" + folder("a.npz")};
  written();
  EXPECT_EQ(summary_.methods, 2U);
}

TEST_F(WriteReport, FilesOfOneNameAreToldApartAndOneLabelMakesRepeats) {
  std::filesystem::create_directories(folder("x"));
  std::filesystem::create_directories(folder("y"));
  write_logits_file(folder("x/test.npz"), example_logits(10, 100));
  write_logits_file(folder("y/test.npz"), example_logits(10, 100, 6, 1.2));
  options_.runs = {folder("x/test.npz"), folder("y/test.npz")};
  const std::string page = written();
  EXPECT_EQ(summary_.methods, 2U);
  EXPECT_NE(page.find("minus y/test"), std::string::npos);
  EXPECT_EQ(page.find(scratch_.path().string()), std::string::npos);
  options_.runs = {"M=" + folder("x/test.npz"), "M=" + folder("y/test.npz")};
  EXPECT_NE(written().find("Mean ± standard deviation over runs"), std::string::npos);
  EXPECT_EQ(summary_.methods, 1U);
}

TEST_F(WriteReport, NoPathOfThisMachineIsOnThePage) {
  write_example_run(folder("a"), "bnn", 1);
  const std::string record = folder("a/record.json");
  std::string text = test::contents_of(record);
  const auto put = [&](const std::string& old, const std::string& now) {
    text.replace(text.find(old), old.size(), now);
  };
  put("sets/lesions", "/home/ann/sets/lesions");
  put("seed = 1 # <tag>", "data = \\\"/home/ann/sets/lesions\\\"");
  put("1107c974a340bf87", content_hash("data = \"/home/ann/sets/lesions\""));
  write_file_atomically(record, text);
  LogitsFile logits = example_logits(10);
  for (std::size_t i = 0; i < 200; ++i) {
    logits.files.push_back("/home/ann/images/" + std::to_string(i) + ".png");
  }
  write_logits_file(folder("a/test.npz"), logits);
  options_.runs = {folder("a")};
  const std::string page = written();
  EXPECT_EQ(page.find("/home/ann"), std::string::npos);
  EXPECT_EQ(page.find(scratch_.path().string()), std::string::npos);
  EXPECT_NE(page.find("…/lesions"), std::string::npos);
  EXPECT_NE(page.find("17.png: "), std::string::npos);
}

TEST_F(WriteReport, AClassWithoutImagesHasAnEmptyRow) {
  LogitsFile file = example_logits(1, 60);
  for (std::int64_t& label : file.labels) label = label == 2 ? 0 : label;
  write_logits_file(folder("test.npz"), file);
  options_.logits = folder("test.npz");
  const std::string page = written();
  EXPECT_NE(page.find("% of the class"), std::string::npos);
  EXPECT_NE(page.find(", a class without images"), std::string::npos);
  expect_balanced(page);
}

TEST_F(WriteReport, LogitsAloneAreEnough) {
  write_logits_file(folder("test.npz"), example_logits(1));
  options_.logits = folder("test.npz");
  const std::string page = written();
  EXPECT_NE(page.find("none can be fitted without validation logits."), std::string::npos);
  EXPECT_NE(page.find("not known: the report was made from logits alone"), std::string::npos);
  EXPECT_EQ(page.find("Images of no class"), std::string::npos);
  write_logits_file(folder("val.npz"), example_logits(2));
  options_.validation = {folder("val.npz")};
  EXPECT_NE(written().find("The objective: BCCE"), std::string::npos);
}

TEST_F(WriteReport, TwoClassesOnePassAndNoMistakes) {
  LogitsFile file;
  file.logits = NdArray(DType::kF64, {1, 40, 2});
  file.has_labels = true;
  for (std::size_t i = 0; i < 40; ++i) {
    file.logits.as<double>()[2 * i + i % 2] = 3 + 0.1 * static_cast<double>(i);
    file.logits.as<double>()[2 * i + 1 - i % 2] = 0;
    file.labels.push_back(static_cast<std::int64_t>(i % 2));
  }
  write_logits_file(folder("test.npz"), file);
  options_.logits = folder("test.npz");
  options_.validation = options_.outliers = {folder("test.npz")};
  const std::string page = written();
  EXPECT_NE(page.find("There are too few wrong answers for a density."), std::string::npos);
  EXPECT_NE(page.find("There is a single pass"), std::string::npos);
  expect_balanced(page);
}

TEST_F(WriteReport, ManySamplesAreThinnedAndThePageSaysSo) {
  write_logits_file(folder("test.npz"), example_logits(1, 3000, 2));
  options_.logits = folder("test.npz");
  options_.scatter_points = 400;
  const std::string page = written();
  EXPECT_NE(page.find("spread evenly over the order of uncertainty"), std::string::npos);
  EXPECT_LT(page.size(), 1'000'000U);
}

TEST_F(WriteReport, ImagesComeFromTheHookOrTheDataSet) {
  write_example_run(folder("a"), "bnn", 1);
  options_.runs = {folder("a")};
  options_.images = 3;
  Image image;
  image.height = image.width = 8;
  image.channels = 1;
  image.pixels.assign(64, 100);
  options_.test_image = [&](std::size_t sample) {
    if (sample >= 200) throw DataError("no such sample");
    return image;
  };
  const std::string page = written();
  EXPECT_EQ(count(page, "<img alt="), 6U);
  EXPECT_NE(page.find("The most certain mistakes"), std::string::npos);
  EXPECT_NE(page.find("The most uncertain right answers"), std::string::npos);

  // A data set whose test split has the samples in the same order.
  options_.test_image = {};
  options_.data = folder("set");
  std::filesystem::create_directories(folder("set"));
  const LogitsFile logits = example_logits(10);
  std::string table = "file,label,split\n";
  for (std::size_t i = 0; i < 200; ++i) {
    const std::string name = std::to_string(i) + ".png";
    write_file_atomically(folder("set/" + name), encode_png(image));
    table += name + "," + std::to_string(logits.labels[i]) + ",test\n";
  }
  write_file_atomically(folder("set/labels.csv"), table);
  EXPECT_EQ(count(written(), "<img alt="), 6U);
  EXPECT_TRUE(summary_.notes.empty());

  table += "more.png,0,test\n";
  write_file_atomically(folder("set/more.png"), encode_png(image));
  write_file_atomically(folder("set/labels.csv"), table);
  EXPECT_EQ(count(written(), "<img alt="), 0U);
  ASSERT_EQ(summary_.notes.size(), 1U);
  EXPECT_NE(summary_.notes[0].find("has 201 images, but the test logits have 200 samples"),
            std::string::npos);
}

TEST_F(WriteReport, RefusesWhatDoesNotGoTogether) {
  test::expect_error<ArgumentError>([&] { write_report(options_); }, "give one of them");
  options_.runs = {folder("a")};
  options_.logits = folder("test.npz");
  test::expect_error<ArgumentError>([&] { write_report(options_); }, "give one of them");
  options_.logits.clear();
  options_.validation = {"val.npz"};
  test::expect_error<ArgumentError>([&] { write_report(options_); }, "run folders have their own");
  options_.validation.clear();
  options_.risk_target = 0;
  test::expect_error<ArgumentError>([&] { write_report(options_); }, "the risk target");
}

TEST_F(WriteReport, AFailureLeavesNoFileBehind) {
  options_.runs = {folder("nowhere")};
  test::expect_error<IoError>([&] { write_report(options_); }, "there is no such folder");
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.path()));
  write_example_run(folder("a"), "bnn", 1);
  options_.runs = {folder("a")};
  options_.output = folder("no/such/folder/report.html");
  test::expect_error<IoError>([&] { write_report(options_); }, "report.html");
}

TEST_F(WriteReport, OtherClassesCannotBeCompared) {
  write_example_run(folder("a"), "bnn", 1);
  write_example_run(folder("b"), "cub", 1);
  LogitsFile other = example_logits(1);
  other.class_names = {"x", "y", "z"};
  write_logits_file(folder("b/test.npz"), other);
  options_.runs = {folder("a"), folder("b")};
  test::expect_error<DataError>([&] { write_report(options_); }, "do not have the same classes");

  // Classes without names are the first's, as many as there are.
  other.class_names.clear();
  write_logits_file(folder("b/test.npz"), other);
  written();
  EXPECT_EQ(summary_.methods, 2U);
  std::swap(options_.runs[0], options_.runs[1]);
  written();
  EXPECT_EQ(summary_.methods, 2U);
  LogitsFile two;
  two.logits = NdArray(DType::kF32, {1, 4, 2});
  std::fill_n(two.logits.as<float>(), 8, 0.5F);
  two.logits.as<float>()[0] = 3;
  two.labels = {0, 1, 0, 1};
  two.has_labels = true;
  write_logits_file(folder("two.npz"), two);
  options_.runs = {folder("a"), folder("two.npz")};
  test::expect_error<DataError>([&] { write_report(options_); }, "do not have the same classes");
}

}  // namespace
}  // namespace cubcal::report
