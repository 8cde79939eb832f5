#include "cubcal/dataset/catalog.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>

#include "cubcal/dataset/file_name.h"
#include "cubcal/dataset/split_name.h"
#include "dataset/set_fixtures.h"

namespace cubcal::test {
namespace {

TEST(Catalog, RecognisesImagesWithoutLabels) {
  SetFolder set;
  set.write_all({"10.png", "2.JPG", "notes.txt"});
  const Catalog catalog = set.open();
  EXPECT_EQ(catalog.kind, CatalogKind::kImages);
  EXPECT_STREQ(catalog_kind_name(catalog.kind), "images without labels");
  EXPECT_EQ(files_of(catalog), (Names{"10.png", "2.JPG"}));
  EXPECT_EQ(catalog.samples[0].label, kNoLabel);
  EXPECT_EQ(catalog.samples[0].split, "");
  EXPECT_TRUE(catalog.split_names().empty());

  SetFolder single;
  single.write_all({"only folder/x/1.png", "only folder/x/2.png"});
  EXPECT_EQ(single.open().kind, CatalogKind::kImages);
  EXPECT_EQ(single.open("only folder/x/2.png").root, single.file("only folder/x"));
  EXPECT_EQ(files_of(single.open("only folder/x/2.png")), (Names{"2.png"}));
}

TEST(Catalog, TakesFoldersWithAClosingSlash) {
  SetFolder set;
  set.write_all({"a/1.png", "b/1.png"});
  const Catalog catalog = open_catalog(set.path() + "//");
  EXPECT_EQ(catalog.path, set.path() + "//");
  EXPECT_EQ(catalog.file_path(catalog.samples[0]), set.file("a/1.png"));
}

TEST(Catalog, SaysWhatAPathIsNot) {
  SetFolder set;
  EXPECT_EQ(set.complaint<IoError>("absent"), "cannot read 'absent': No such file or directory");
  EXPECT_EQ(set.complaint(),
            "'' holds no images: a data set is a manifest labels.csv, class folders of images "
            "(PNG, JPEG, TIFF, BMP, WebP, GIF, JPEG 2000, JPEG XL and DICOM), or an .npz file");
  set.write("notes.txt");
  EXPECT_EQ(set.complaint("notes.txt"),
            "'notes.txt' is not a data set: a manifest (.csv, .tsv), an npz set (.npz), an image "
            "(PNG, JPEG, TIFF, BMP, WebP, GIF, JPEG 2000, JPEG XL and DICOM) or a folder is "
            "expected");
  std::filesystem::create_directories(set.file("a/b"));
  std::filesystem::create_directories(set.file("c"));
  EXPECT_TRUE(contains(set.complaint(), "'' holds no images"));
  set.write_all({"one.npz", "two.npz"});
  EXPECT_EQ(set.complaint(),
            "'' holds no images but npz files ('one.npz', 'two.npz'): name one of them");
  set.write("x.nii");
  EXPECT_EQ(set.complaint(),
            "'' has 1 fault: 'x.nii' is of a format that is not read ("
            "PNG, JPEG, TIFF, BMP, WebP, GIF, JPEG 2000, JPEG XL and DICOM are)");
}

TEST(Catalog, KnowsSplitsByTheirNames) {
  EXPECT_EQ(canonical_split("Training"), "train");
  EXPECT_EQ(canonical_split("VALID"), "val");
  EXPECT_EQ(canonical_split("validation"), "val");
  EXPECT_EQ(canonical_split("OOD"), "ood");
  EXPECT_EQ(canonical_split("Fold 1"), "Fold 1");
  EXPECT_FALSE(is_split_name("Fold 1"));
}

TEST(FileName, TakesPathsApart) {
  EXPECT_EQ(extension_of("a.b/c.PnG"), "png");
  EXPECT_EQ(extension_of("a.b/c"), "");
  EXPECT_EQ(extension_of(".png"), "");
  EXPECT_EQ(folder_of("c"), ".");
  EXPECT_EQ(folder_of("/c"), "/");
  EXPECT_EQ(folder_of("a/b/c"), "a/b");
  EXPECT_EQ(path_in("a/", "b"), "a/b");
  EXPECT_EQ(path_in("a", "/b"), "/b");
  EXPECT_EQ(path_in(".", "b"), "b");
  EXPECT_EQ(normal_path("a/./b//c/../d/"), "a/b/d");
  EXPECT_EQ(normal_path("../../a/b"), "../../a/b");
  EXPECT_EQ(normal_path("../../a/../b"), "../../b");
  EXPECT_EQ(normal_path("."), ".");
}

/// A folder in memory where the system has one: making 100,000 files on a busy disk takes a minute.
std::unique_ptr<SetFolder> folder_in_memory() {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 1);
  auto folder = std::make_unique<SetFolder>();
  before != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  return folder;
}

TEST(Catalog, OfHundredThousandFilesOpensInASecond) {
  const std::unique_ptr<SetFolder> folder = folder_in_memory();
  const SetFolder& set = *folder;
  std::string rows = "file,label,label_name,group,split,age\n";
  constexpr int count = 100'000;
  set.write_all({"set/0/first.png", "set/1/first.png"});
  for (int i = 2; i < count; ++i) {
    const std::string label = std::to_string(i % 2);
    const std::string name = label + "/image " + std::to_string(i) + ".png";
    std::ofstream(set.file("set/" + name));
    rows +=
        "set/" + name + "," + label + ",c" + label + ",p" + std::to_string(i / 3) + ",train,50\n";
  }
  set.write("list.csv", rows);
  for (const char* name : {"set", "list.csv"}) {
    const auto start = std::chrono::steady_clock::now();
    const Catalog catalog = set.open(name);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    EXPECT_GE(catalog.samples.size(), static_cast<std::size_t>(count - 2));
    EXPECT_LT(taken.count(), 10);  // sanitizers and machines that are shared are slower
    RecordProperty(catalog_kind_name(catalog.kind), std::to_string(taken.count()) + " s");
  }
}

}  // namespace
}  // namespace cubcal::test
