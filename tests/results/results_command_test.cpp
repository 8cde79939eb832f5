#include <gtest/gtest.h>
#include <sys/stat.h>

#include "cli/program.h"
#include "cubcal/io/atomic_file.h"
#include "results/example_record.h"

namespace cubcal::test {
namespace {

TEST(ResultsCommand, WritesTheTablesInThreeForms) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "records");
  write_file_atomically(folder.file("records/a.json"),
                        example_record_json("bnn+cub", 1, 0.96).dump());
  const Outcome shown = run_cubcal({"results", "records"}, folder.path());
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_NE(shown.out.find("| BNN + CUB | 96.0 [86.0, 106.0] | 97.0 |"), std::string::npos)
      << shown.out;
  const Outcome written =
      run_cubcal({"results", "records", "--markdown", "r.md", "--tables", "t"}, folder.path());
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_EQ(written.out, "wrote r.md: 1 records\nwrote t: each table as .csv and .tex\n");
  EXPECT_NE(contents_of(folder.path() / "r.md").find("## lungs"), std::string::npos);
  EXPECT_NE(contents_of(folder.path() / "t/lungs-ood.tex").find("\\toprule"), std::string::npos);
  EXPECT_NE(contents_of(folder.path() / "t/lungs-ood.csv").find("Uncertainty,AUROC %,1,70.0000"),
            std::string::npos);
}

TEST(ResultsCommand, ANameOfARecordIsNoPath) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path() / "records");
  std::filesystem::create_directories(folder.path() / "escaped");
  for (const char* field : {"experiment", "regime", "method"}) {
    for (const char* name : {"../escaped/x", "..", "", "a/b"}) {
      auto json = example_record_json("bnn+cub", 1, 0.96);
      json[field] = name;
      write_file_atomically(folder.file("records/a.json"), json.dump());
      const Outcome written = run_cubcal({"results", "records", "--tables", "t"}, folder.path());
      EXPECT_EQ(written.exit_code, 1);
      EXPECT_NE(written.err.find("becomes the name of a file"), std::string::npos) << written.err;
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "escaped"));
}

TEST(ResultsCommand, ASearchPassesOverFoldersAndPipes) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path() / "records/folder.json");
  ASSERT_EQ(::mkfifo(folder.file("records/pipe.json").c_str(), 0600), 0);
  write_file_atomically(folder.file("records/a.json"),
                        example_record_json("bnn+cub", 1, 0.96).dump());
  const Outcome shown = run_cubcal({"results", "records"}, folder.path());
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
}

TEST(ResultsCommand, DrawsWhatAvuCosts) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "records");
  for (const auto& [method, accuracy] : {std::pair{"bnn", 0.96}, {"bnn+cub", 0.95}}) {
    write_file_atomically(folder.file("records/" + std::string(method) + ".json"),
                          example_record_json(method, 1, accuracy).dump());
  }
  const Outcome outcome = run_cubcal(
      {"results", "records", "--markdown", "docs/r.md", "--figures", "docs/images"}, folder.path());
  EXPECT_EQ(outcome.exit_code, 1) << "docs is not there for the page";
  std::filesystem::create_directory(folder.path() / "docs");
  ASSERT_EQ(
      run_cubcal({"results", "records", "--markdown", "docs/r.md", "--figures", "docs/images"},
                 folder.path())
          .exit_code,
      0);
  EXPECT_NE(contents_of(folder.path() / "docs/r.md").find("](images/lungs-price.svg)"),
            std::string::npos);
  const std::string drawing = contents_of(folder.path() / "docs/images/lungs-price.svg");
  EXPECT_NE(drawing.find("AvU against Acc %"), std::string::npos);
  EXPECT_NE(drawing.find("BNN + CUB"), std::string::npos);
}

TEST(ResultsCommand, DrawsNothingWhereThereIsOneMethod) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("one.json"), example_record_json("bnn+cub", 1, 0.9).dump());
  ASSERT_EQ(run_cubcal({"results", "one.json", "--markdown", "r.md", "--figures", "images"},
                       folder.path())
                .exit_code,
            0);
  EXPECT_EQ(contents_of(folder.path() / "r.md").find("price.svg"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "images"));
}

TEST(ResultsCommand, PassesOverOtherJsonOfAFolder) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "run");
  write_file_atomically(folder.file("run/a.json"), example_record_json("bnn", 1, 0.96).dump());
  write_file_atomically(folder.file("run/calibration.json"),
                        R"({"format": "cubcal-calibration", "version": 1})");
  write_file_atomically(folder.file("run/ood.json"), "[]");
  EXPECT_EQ(run_cubcal({"results", "run"}, folder.path()).exit_code, 0);
  const Outcome named = run_cubcal({"results", "run/calibration.json"}, folder.path());
  EXPECT_EQ(named.exit_code, 1);
  EXPECT_EQ(
      named.err,
      "cubcal: 'run/calibration.json' is not a record of a result: format and version are not "
      "those of a result\n");
  write_file_atomically(folder.file("run/cut.json"), "");
  EXPECT_EQ(run_cubcal({"results", "run"}, folder.path()).err, "cubcal: 'run/cut.json' is empty\n");
}

TEST(ResultsCommand, SaysWhatIsMissing) {
  const ScratchFolder folder;
  EXPECT_EQ(run_cubcal({"results"}, folder.path()).exit_code, 2);
  const Outcome none = run_cubcal({"results", "."}, folder.path());
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(none.err, "cubcal: there is no record (*.json) in '.'\n");
  write_file_atomically(folder.file("a.json"), example_record_json("bnn", 1, 0.9).dump());
  EXPECT_EQ(run_cubcal({"results", "a.json", "--markdown", "a.json"}, folder.path()).exit_code, 2);
  const Outcome absent = run_cubcal({"results", "gone.json"}, folder.path());
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_NE(absent.err.find("gone.json"), std::string::npos) << absent.err;
}

}  // namespace
}  // namespace cubcal::test
