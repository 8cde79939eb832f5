// `cubcal data inspect` as a user meets it, on folders of generated images.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cubcal/image/jpeg_encoder.h"
#include "cubcal/image/png_encoder.h"
#include "cubcal/io/atomic_file.h"
#include "inspection/photographs.h"

namespace cubcal::test {
namespace {

namespace fs = std::filesystem;

/// Class folders below train and test, ten images each.
class InspectCommand : public testing::Test {
 protected:
  void SetUp() override {
    std::uint64_t seed = 0;
    for (const char* split : {"train", "test"}) {
      for (const char* name : {"benign", "malignant"}) {
        fs::create_directories(folder() / split / name);
        for (int i = 0; i < 10; ++i) {
          write(fs::path(split) / name / (std::to_string(i) + ".png"),
                encode_png(photograph(seed++, 96, 96)));
        }
      }
    }
  }

  fs::path folder() const { return scratch_.path() / "naïve scans"; }
  void write(const fs::path& name, const std::string& bytes) const {
    write_file_atomically((folder() / name).string(), bytes);
  }
  Outcome inspect(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"data", "inspect", folder().string()});
    return run_cubcal(arguments, scratch_.path());
  }

  ScratchFolder scratch_;
};

TEST_F(InspectCommand, WritesACorrectedManifestAndNothingInPlace) {
  const std::string same = encode_png(photograph(77, 96, 96));
  write("train/benign/twin.png", same);
  write("test/benign/twin.png", same);
  write("train/benign/cut.png", same.substr(0, 200));
  const Outcome outcome = inspect({"--fix", "fixed.csv"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("left out 'train/benign/cut.png': it cannot be read"),
            std::string::npos);
  EXPECT_NE(outcome.out.find("left out 'train/benign/twin.png': in 'train', the same pixels as"),
            std::string::npos);
  EXPECT_NE(outcome.out.find("wrote fixed.csv: 41 of 43 images"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder() / "train/benign/cut.png"));
  const std::vector<std::string> again = {"data", "inspect", "fixed.csv", "--strict"};
  EXPECT_EQ(run_cubcal(again, scratch_.path()).exit_code, 0);
  const std::vector<std::string> over = {"data", "inspect", "fixed.csv", "--fix", "fixed.csv"};
  EXPECT_EQ(run_cubcal(over, scratch_.path()).exit_code, 2);
  EXPECT_EQ(inspect({"--label-column", "x"}).exit_code, 2);  // no table
}

TEST_F(InspectCommand, TablesOfOthers) {
  const auto run = [&](const std::string& table, const std::string& option = "--sep=auto") {
    write("sheet.csv", table);
    return run_cubcal({"data", "inspect", (folder() / "sheet.csv").string(), option},
                      scratch_.path());
  };
  const std::string foreign =
      "Dateiname;Diagnose\ntrain/benign/0.png;gut\ntrain/benign/1.png;gut\n";
  const Outcome unknown = run(foreign);
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_NE(unknown.err.find("'Diagnose': name the one with the files by --file-column\n"),
            std::string::npos)
      << unknown.err;
  EXPECT_EQ(run(foreign, "--file-column=Dateiname").exit_code, 0);
  const Outcome classes = run("image,MEL,NV\ntrain/benign/0,1.0,0.0\ntrain/benign/1,0.0,1.0\n");
  EXPECT_EQ(classes.exit_code, 0) << classes.err;
  EXPECT_NE(classes.out.find("recognised: class = the one of the columns 'MEL', 'NV' that is 1"),
            std::string::npos)
      << classes.out;
}

TEST_F(InspectCommand, AGapInTheLabelsIsAFinding) {
  std::string rows = "file,label\n";
  for (int i = 0; i < 10; ++i) {
    rows += "train/benign/" + std::to_string(i) + ".png,0\n" + "train/malignant/" +
            std::to_string(i) + ".png," + (i < 5 ? "2.0" : "3") + "\n";
  }
  write("float.csv", rows + "test/benign/0.png,0.5\n");
  const std::string table = (folder() / "float.csv").string();
  const Outcome outcome =
      run_cubcal({"data", "inspect", table, "--fix", "gapless.csv"}, scratch_.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("No row has the label 1, though labels run further"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("1 row cannot be used"), std::string::npos);
  EXPECT_NE(outcome.out.find("numbered without gaps"), std::string::npos);
  const Outcome fixed = run_cubcal(
      {"data", "pack", "gapless.csv", "-o", "p.safetensors", "--size", "32"}, scratch_.path());
  EXPECT_EQ(fixed.exit_code, 0) << fixed.err;
}

TEST_F(InspectCommand, ACleanSet) {
  const Outcome run = inspect({"--strict"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  for (const char* words : {"class folders, 40 images, 2 classes", "size 96 x 96; gray; 8 bits",
                            "malignant     10    10   20", "Nothing was found."}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << "\n" << run.out;
  }
}

TEST_F(InspectCommand, LeaksFailOnlyWhenStrict) {
  write("test/malignant/copy.png", encode_png(photograph(3, 96, 96)));
  write("test/benign/again.jpg", encode_jpeg(photograph(5, 96, 96), 60));
  const Outcome run = inspect();
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* words :
       {"leak: 1 set of identical images (2 images) lies in more than one split.",
        "train/benign/3.png (benign, train) and test/malignant/copy.png (malignant, test)",
        "leak: 1 pair of near-duplicates lies in two splits",
        "warning: 1 set of identical images (2 images) carries different labels"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << "\n" << run.out;
  }
  const Outcome strict = inspect({"--strict"});
  EXPECT_EQ(strict.exit_code, 1);
  EXPECT_NE(strict.err.find("has leaks between its splits"), std::string::npos) << strict.err;
  EXPECT_EQ(strict.out, run.out);
  const Outcome narrow = inspect({"--near", "0"});
  EXPECT_EQ(narrow.out.find("near-duplicates"), std::string::npos) << narrow.out;
}

TEST_F(InspectCommand, EveryUnreadableFileIsListed) {
  const std::string whole = encode_png(photograph(1, 96, 96));
  for (int i = 0; i < 12; ++i) {
    write("train/benign/cut" + std::to_string(i) + ".png", whole.substr(0, whole.size() / 2));
  }
  const Outcome run = inspect();
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("warning: 12 of 52 images cannot be read."), std::string::npos) << run.out;
  for (int i = 0; i < 12; ++i) {
    EXPECT_NE(run.out.find("cut" + std::to_string(i) + ".png' cannot be read"), std::string::npos);
  }
}

TEST_F(InspectCommand, EnlargedImagesAreFound) {
  for (int i = 0; i < 8; ++i) {
    const Image small = photograph(100 + static_cast<std::uint64_t>(i), 32, 32);
    write("train/malignant/large" + std::to_string(i) + ".png",
          encode_png(resize_image(small, 96, 96)));
  }
  const Outcome run = inspect();
  EXPECT_NE(run.out.find("warning: 8 of 48 images are blurred as if they had been enlarged"),
            std::string::npos)
      << run.out;
}

TEST_F(InspectCommand, WritesPageAndJson) {
  const Outcome run = inspect({"--html", "page.html", "--json", "all.json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("wrote page.html"), std::string::npos);
  const std::string page = contents_of(scratch_.path() / "page.html");
  EXPECT_NE(page.find("<h1>naïve scans</h1>"), std::string::npos);
  EXPECT_NE(page.find("src=\"data:image/jpeg;base64,"), std::string::npos);
  const Outcome to_stdout = inspect({"--json", "-"});
  EXPECT_EQ(to_stdout.out, contents_of(scratch_.path() / "all.json"));
  const auto json = nlohmann::json::parse(to_stdout.out);
  EXPECT_EQ(json["kind"], "class folders");
  EXPECT_EQ(json["images"].size(), 40U);
}

TEST_F(InspectCommand, DoesNotDependOnThreads) {
  EXPECT_EQ(inspect({"--json", "-", "--threads", "1"}).out,
            inspect({"--json", "-", "--threads", "5"}).out);
}

TEST_F(InspectCommand, RowsCanBeChosen) {
  const Outcome run = inspect({"--where", "split=train"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("20 images"), std::string::npos) << run.out;
}

TEST_F(InspectCommand, RefusesWhatIsNoDataSet) {
  const Outcome run = run_cubcal({"data", "inspect", "absent"}, scratch_.path());
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("absent"), std::string::npos) << run.err;
  EXPECT_EQ(inspect({"--near", "300"}).exit_code, 2);
}

}  // namespace
}  // namespace cubcal::test
