#include "cubcal/dataset/folder_tree.h"

#include <gtest/gtest.h>

#include "dataset/set_fixtures.h"
#include "dicom/dicom_file.h"

namespace cubcal::test {
namespace {

namespace fs = std::filesystem;

TEST(FolderTree, ClassesAreFoldersInTheOrderOfBytes) {
  SetFolder set;
  set.write_all({"b/2.PNG", "b/10.jpg", "a klasse/ö.jpeg", "Z/x.Dcm", "b/notes.txt",
                 "b/.hidden.png", "b/Thumbs.db", ".cache/x.png", "__MACOSX/x.png", "readme.md"});
  const Catalog catalog = set.open();
  EXPECT_EQ(catalog.kind, CatalogKind::kFolderTree);
  EXPECT_EQ(catalog.class_names, (Names{"Z", "a klasse", "b"}));
  EXPECT_EQ(files_of(catalog), (Names{"Z/x.Dcm", "a klasse/ö.jpeg", "b/10.jpg", "b/2.PNG"}));
  EXPECT_EQ(catalog.samples[3].label, 2);
  EXPECT_EQ(catalog.samples[3].label_name, "b");
  EXPECT_FALSE(catalog.has_splits());
  EXPECT_EQ(catalog.file_path(catalog.samples[1]), set.file("a klasse/ö.jpeg"));
}

TEST(FolderTree, MayHaveALevelOfSplits) {
  SetFolder set;
  set.write_all({"Train/cat/1.png", "Train/dog/1.png", "valid/cat/1.png", "test/dog/1.png",
                 "test/eel/1.png", "ood/fog/1.png", "ood/cat/1.png", "ood/plain.png"});
  const Catalog catalog = set.open(".");
  EXPECT_EQ(catalog.class_names, (Names{"cat", "dog", "eel"}));
  EXPECT_EQ(catalog.split_names(), (Names{"train", "val", "test", "ood"}));
  EXPECT_EQ(files_of(catalog),
            (Names{"Train/cat/1.png", "Train/dog/1.png", "valid/cat/1.png", "test/dog/1.png",
                   "test/eel/1.png", "ood/plain.png", "ood/cat/1.png", "ood/fog/1.png"}));
  const Sample& outlier = catalog.samples[6];
  EXPECT_EQ(outlier.label, kNoLabel);
  EXPECT_EQ(outlier.label_name, "cat");
  EXPECT_EQ(outlier.split, kOutlierSplit);
}

TEST(FolderTree, MayHaveOutliersBesideItsClasses) {
  SetFolder set;
  set.write_all({"cat/1.png", "dog/1.png", "ood/fog/1.png"});
  const Catalog catalog = set.open();
  EXPECT_EQ(catalog.class_names, (Names{"cat", "dog"}));
  EXPECT_FALSE(catalog.has_splits());
  EXPECT_EQ(catalog.samples[2].split, kOutlierSplit);
}

TEST(FolderTree, TakesDeeperFoldersAndWrappersAlong) {
  SetFolder set;
  set.write_all({"unpacked/set/a/p1/s1/1.png", "unpacked/set/a/p1/2.png", "unpacked/set/b/1.png"});
  const Catalog catalog = set.open();
  EXPECT_EQ(catalog.root, set.file("unpacked/set"));
  EXPECT_EQ(catalog.path, set.path());
  EXPECT_EQ(files_of(catalog), (Names{"a/p1/2.png", "a/p1/s1/1.png", "b/1.png"}));
}

TEST(FolderTree, KnowsDicomFilesWithoutExtension) {
  SetFolder set;
  const std::string dicom = std::string(128, '\0') + "DICM....";
  set.write("a/IM0001", dicom);
  set.write("a/1.2.840.113619.2", dicom);
  set.write("a/DICOMDIR", dicom);
  set.write("a/LICENSE", "text");
  set.write("b/IM0002", dicom);
  const Catalog catalog = set.open();
  EXPECT_EQ(files_of(catalog), (Names{"a/1.2.840.113619.2", "a/IM0001", "b/IM0002"}));
  EXPECT_FALSE(catalog.has_groups());  // they are damaged, which decoding will say
}

TEST(FolderTree, TakesThePatientOfDicomFilesAsGroup) {
  SetFolder set;
  const auto scan = [](const std::string& patient) {
    return DicomFileBuilder::gray(1, 1, 8)
        .text(0x00100020, "LO", patient)
        .text(0x0020000d, "UI", "1.2.3")
        .file();
  };
  set.write("a/1.dcm", scan("anna"));
  set.write("a/IM2", scan(""));
  set.write("b/1.dcm", scan("anna"));
  set.write("b/2.png");
  OpenOptions named;
  named.keep_names = true;
  const Catalog catalog = open_catalog(set.path(), named);
  EXPECT_EQ(catalog.samples[0].group, "anna");
  EXPECT_EQ(catalog.samples[1].group, "1.2.3");  // the study, where the patient is not named
  EXPECT_EQ(catalog.samples[2].group, "anna");
  EXPECT_EQ(catalog.samples[3].group, "");
  EXPECT_EQ(open_catalog(set.file("a"), named).samples[0].group, "anna");  // images without labels
}

TEST(FolderTree, SaysAllThatIsAmiss) {
  SetFolder set;
  set.write_all({"train/a/1.png", "train/b/1.png", "train/stray.png", "extra/x/1.png",
                 "val/a/2.nii", "test/only.png"});
  fs::create_directories(set.file("train/empty"));
  fs::create_symlink("nowhere", set.file("train/b/link.png"));
  EXPECT_EQ(
      set.complaint(),
      "'' has 6 faults: 'extra' lies beside the folders of splits; 'test' has no class "
      "folders; 'train/stray.png' lies beside the class folders; 'train/b/link.png' is a "
      "link that leads nowhere; 'val/a/2.nii' is of a format that is not read ("
      "PNG, JPEG, TIFF, BMP, WebP, GIF, JPEG 2000, JPEG XL and DICOM are); no class folder 'empty' "
      "holds an image");
}

TEST(FolderTree, RefusesImagesBesideClassFolders) {
  SetFolder set;
  set.write_all({"a/1.png", "b/1.png", "c.png"});
  EXPECT_EQ(set.complaint(),
            "'' holds images beside folders of images, such as 'a': put them into class folders, "
            "or list them all in a manifest labels.csv");
}

TEST(FolderTree, OutlivesLoopsOfLinks) {
  SetFolder set;
  set.write_all({"a/1.png", "b/1.png", "b/deep/2.png"});
  fs::create_directory_symlink("..", set.file("a/up"));
  fs::create_directory_symlink("../../b", set.file("b/deep/again"));
  fs::create_directory_symlink(".", set.file("b/self"));
  const Catalog catalog = set.open();
  EXPECT_EQ(count_of(catalog, "b", ""), 2u);
  EXPECT_EQ(files_of(catalog),
            (Names{"a/1.png", "a/up/b/1.png", "a/up/b/deep/2.png", "b/1.png", "b/deep/2.png"}));
  fs::create_symlink("round.png", set.file("a/round.png"));
  EXPECT_EQ(set.complaint(), "'' has 1 fault: 'a/round.png' is a link that leads nowhere");

  SetFolder wrapper;
  fs::create_directory_symlink(".", wrapper.file("inner"));
  EXPECT_TRUE(contains(wrapper.complaint(), "holds no images"));
}

TEST(FolderTree, ClassFoldersMayBeLinks) {
  SetFolder store, set;
  store.write_all({"x/1.png", "y/1.png"});
  fs::create_directory_symlink(store.file("x"), set.file("cat"));
  fs::create_directory_symlink(store.file("y"), set.file("dog"));
  EXPECT_EQ(files_of(set.open()), (Names{"cat/1.png", "dog/1.png"}));
}

TEST(FolderTree, ReadsFoldersThatCannotBeWritten) {
  SetFolder set;
  set.write_all({"a/1.png", "b/1.png"});
  for (const char* name : {"a", "b"}) ::chmod(set.file(name).c_str(), 0500);
  EXPECT_EQ(set.open().samples.size(), 2u);
  for (const char* name : {"a", "b"}) ::chmod(set.file(name).c_str(), 0700);
}

TEST(FolderTree, SaysWhichFolderCannotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read every folder";
  SetFolder set;
  set.write_all({"a/1.png", "b/1.png"});
  ::chmod(set.file("b").c_str(), 0);
  EXPECT_EQ(set.complaint<IoError>(), "cannot read the folder 'b': Permission denied");
  ::chmod(set.file("b").c_str(), 0700);
}

}  // namespace
}  // namespace cubcal::test
