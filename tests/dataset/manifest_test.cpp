#include "cubcal/dataset/manifest.h"

#include <gtest/gtest.h>

#include <tuple>

#include "cubcal/io/npz.h"
#include "dataset/set_fixtures.h"

namespace cubcal::test {
namespace {

/// Opens a manifest over the files a.png, b.png, c.png and gives its complaint.
std::string complaint(const std::string& text) {
  SetFolder set;
  set.write_all({"a.png", "b.png", "c.png"});
  set.labels(text);
  return set.complaint();
}

TEST(Manifest, KeepsWhatTheTableSays) {
  SetFolder set;
  set.write_all({"images/a b.png", "images/ä.jpg", "images/c.png", "t.png"});
  set.labels(
      "file,age,label,label_name,group,split,sex\n"
      "images/a b.png,63,1,cat,p1,train,f\n"
      "images/ä.jpg,,0,\"dog, large\",p2,Validation,m\n"
      "./images/c.png,40,0,\"dog, large\",,testing,\n"
      "t.png,1,-1,cat,p4,ood,f\n");
  const Catalog catalog = set.open();
  EXPECT_EQ(catalog.kind, CatalogKind::kManifest);
  EXPECT_STREQ(catalog_kind_name(catalog.kind), "manifest");
  EXPECT_EQ(catalog.path, set.path());
  EXPECT_EQ(catalog.root, set.path());
  EXPECT_EQ(catalog.class_names, (Names{"dog, large", "cat"}));
  EXPECT_EQ(catalog.columns, (Names{"age", "sex"}));
  EXPECT_EQ(catalog.split_names(), (Names{"train", "val", "test", "ood"}));
  ASSERT_EQ(catalog.samples.size(), 4u);
  const Sample& first = catalog.samples[0];
  EXPECT_EQ(first.file, "images/a b.png");
  EXPECT_EQ(first.label, 1);
  EXPECT_EQ(first.group, "p1");
  EXPECT_EQ(first.metadata, (Names{"63", "f"}));
  EXPECT_EQ(catalog.file_path(first), set.file("images/a b.png"));
  EXPECT_EQ(catalog.samples[3].label, kNoLabel);
  EXPECT_EQ(catalog.samples[3].label_name, "cat");  // an outlier's name is free
  EXPECT_EQ(catalog.column("sex"), 1u);
  EXPECT_EQ(message_of<ArgumentError>([&] { catalog.column("size"); }),
            "'" + set.path() + "' has no column 'size'; its columns are 'age', 'sex'");
}

TEST(Manifest, NamesAloneAreNumberedInTheOrderOfBytes) {
  SetFolder set;
  set.write_all({"a.png", "b.png", "c.png", "d.png"});
  set.labels("file,label_name,split\na.png,b,train\nb.png,a,\nc.png,B,val\nd.png,x,ood\n");
  EXPECT_EQ(set.complaint(), "'labels.csv' has 1 fault: line 3 has no split, though other rows do");
  set.labels("file,label_name,split\na.png,b,train\nb.png,a,other\nc.png,B,val\nd.png,x,ood\n");
  const Catalog catalog = set.open();
  EXPECT_EQ(catalog.class_names, (Names{"B", "a", "b"}));
  EXPECT_EQ(catalog.samples[0].label, 2);
  EXPECT_EQ(catalog.samples[3].label, kNoLabel);
  EXPECT_EQ(catalog.split_names(), (Names{"train", "val", "other", "ood"}));
  EXPECT_FALSE(catalog.has_groups());
}

TEST(Manifest, NumbersAloneAreTheirOwnNames) {
  SetFolder set;
  set.write_all({"a.png", "b.png", "c.png"});
  set.labels("file,label\na.png,1\nb.png,0\nc.png,-1\n");
  const Catalog catalog = set.open("labels.csv");
  EXPECT_EQ(catalog.class_names, (Names{"0", "1"}));
  EXPECT_EQ(catalog.samples[0].label_name, "1");
  EXPECT_EQ(catalog.samples[2].split, kOutlierSplit);  // label -1 says so
  EXPECT_FALSE(catalog.has_splits());
  EXPECT_EQ(message_of<ArgumentError>([&] { catalog.column("sex"); }),
            "'" + set.file("labels.csv") + "' has no column 'sex' besides those it must have");
}

TEST(Manifest, WithoutLabelsIsATableOfImages) {
  SetFolder set;
  set.write_all({"a.png", "b.png"});
  set.labels("file,width,group\na.png,3,p\nb.png,4,q\n");
  const Catalog catalog = set.open();
  EXPECT_EQ(catalog.kind, CatalogKind::kImages);
  EXPECT_EQ(catalog.classes(), 0u);
  EXPECT_EQ(catalog.columns, (Names{"width"}));
  EXPECT_EQ(catalog.samples[1].label, kNoLabel);
  EXPECT_EQ(catalog.samples[1].split, "");
  EXPECT_TRUE(catalog.has_groups());
}

TEST(Manifest, SaysEveryFaultWithItsLine) {
  EXPECT_EQ(complaint("file,label\na.png,0\nx.png,1\n,1\n./a.png,0\nb.png,\n"),
            "'labels.csv' has 4 faults: line 3 names 'x.png', which does not exist; line 4 has no "
            "file; line 5 lists './a.png' again, after line 2; line 6 has no label");
  EXPECT_EQ(complaint("file,label\na.png,0.5\nb.png,-2\nc.png,10000\n"),
            "'labels.csv' has 3 faults: line 2 has the label '0.5'; labels are 0..9999, or -1 for "
            "none of the classes; line 3 has the label '-2'; labels are 0..9999, or -1 for none of "
            "the classes; line 4 has the label '10000'; labels are 0..9999, or -1 for none of the "
            "classes");
  EXPECT_EQ(complaint("file,label\na.png,0\nb.png,3\nc.png,3\n"),
            "'labels.csv' has 2 faults: no row has the label 1, though labels run to 3; no row has "
            "the label 2, though labels run to 3");
  EXPECT_EQ(complaint("file,label,label_name\na.png,0,x\nb.png,1,x\nc.png,1,y\n"),
            "'labels.csv' has 2 faults: line 3 gives 'x' the label 1, but line 2 gives it 0; line "
            "4 calls the label 1 'y', but line 3 calls it 'x'");
  EXPECT_EQ(complaint("file,label,label_name\na.png,0,x\nb.png,1,\n"),
            "'labels.csv' has 1 fault: line 3 has no label_name");
  EXPECT_EQ(complaint("file,label_name\na.png,x\nb.png,\n"),
            "'labels.csv' has 1 fault: line 3 has no label_name");
}

TEST(Manifest, KeepsOutliersApart) {
  EXPECT_EQ(complaint("file,label,split\na.png,0,train\nb.png,1,ood\nc.png,-1,val\n"),
            "'labels.csv' has 2 faults: line 3 has the label 1 in the split 'ood', which is for "
            "images of no class (label -1); line 4 has the label -1 in the split 'val'; images of "
            "no class belong to the split 'ood'");
  EXPECT_EQ(complaint("file,label_name,split\na.png,x,train\nb.png,y,val\nc.png,y,ood\n"),
            "'labels.csv' has 1 fault: line 4 has the class 'y' in the split 'ood', which is for "
            "images of no class");
  SetFolder set;
  set.write_all({"a.png", "b.png"});
  set.labels("file,label,split\na.png,0,train\nb.png,,ood\n");
  EXPECT_EQ(set.open().samples[1].label, kNoLabel);
}

TEST(Manifest, ShowsTenFaultsAndCountsTheRest) {
  std::string text = "file,label\n";
  for (int i = 0; i < 25; ++i) text += "n" + std::to_string(i) + ".png,0\n";
  const std::string all = complaint(text);
  EXPECT_TRUE(contains(all, "'labels.csv' has 25 faults: line 2 names 'n0.png', which"));
  EXPECT_TRUE(contains(all, "line 11 names 'n9.png', which does not exist and 15 more"));
  EXPECT_FALSE(contains(all, "n10.png"));
}

TEST(Manifest, NeedsItsColumnsAndRows) {
  EXPECT_EQ(complaint("scan,label\na.png,0\n"),
            "'labels.csv' has no column 'file', nor one of a name that is known for files; it has "
            "'scan', 'label'");
  EXPECT_EQ(complaint("file,label\n"), "'labels.csv' lists no images");
  EXPECT_EQ(complaint(""), "'labels.csv' is empty, but a header row is expected");
  EXPECT_EQ(complaint("file,label\na.png\n"),
            "line 2 of 'labels.csv' has 1 fields, but the header has 2");
}

TEST(Manifest, FilesMayLieElsewhereButMustBeFiles) {
  SetFolder set;
  set.write_all({"store/a.png", "store/b.png"});
  std::filesystem::create_directories(set.file("store/folder.png"));
  set.write("lists/all.csv", "file,label\n../store/a.png,0\n" + set.file("store/b.png") + ",1\n");
  const Catalog catalog = set.open("lists");
  EXPECT_EQ(catalog.file_path(catalog.samples[1]), set.file("store/b.png"));
  EXPECT_EQ(catalog.path, set.file("lists"));
  set.write("lists/all.csv", "file,label\n../store/folder.png,0\n");
  EXPECT_EQ(set.complaint("lists"),
            "'lists/all.csv' has 1 fault: line 2 names '../store/folder.png', which is a folder");
}

TEST(Manifest, IsFoundInItsFolder) {
  SetFolder set;
  set.write_all({"a.png", "b.png"});
  set.write("notes.csv", "who,what\nme,this\n");
  set.write("rows.csv", "file,label\r\na.png,0\r\nb.png,1\r\n");
  EXPECT_EQ(set.open().kind, CatalogKind::kManifest);
  set.write("more.csv", "file\na.png\n");
  EXPECT_EQ(set.complaint(),
            "'' holds several tables of images ('more.csv', 'rows.csv'): name one of "
            "them, or call it labels.csv");
  set.labels("file,label\nb.png,0\n");
  EXPECT_EQ(set.open().samples.size(), 1u);
  EXPECT_EQ(find_manifest(set.path()), set.file("labels.csv"));
}

TEST(Manifest, RoundTripsThroughWriting) {
  SetFolder set;
  set.write_all({"sub/a b.png", "sub/ü.png", "c.png"});
  set.labels(
      "file,label,label_name,group,split,note\n"
      "sub/a b.png,1,\"x, y\",g1,train,\"say \"\"hi\"\"\"\n"
      "sub/ü.png,0,z,,val,\n"
      "c.png,-1,odd,g2,ood,n\n");
  const Catalog catalog = set.open();
  for (const char* place : {"copy.csv", "sub/copy.csv", "elsewhere/copy.csv"}) {
    std::filesystem::create_directories(std::filesystem::path(set.file(place)).parent_path());
    write_manifest(set.file(place), catalog);
    const Catalog again = open_catalog(set.file(place));
    EXPECT_EQ(again.class_names, catalog.class_names);
    EXPECT_EQ(again.columns, catalog.columns);
    ASSERT_EQ(again.samples.size(), catalog.samples.size());
    for (std::size_t i = 0; i < again.samples.size(); ++i) {
      const Sample &a = again.samples[i], &b = catalog.samples[i];
      EXPECT_TRUE(std::filesystem::equivalent(again.file_path(a), catalog.file_path(b)));
      EXPECT_EQ(std::tie(a.label, a.label_name, a.group, a.split, a.metadata),
                std::tie(b.label, b.label_name, b.group, b.split, b.metadata));
    }
  }
  EXPECT_EQ(open_catalog(set.file("copy.csv")).samples[0].file, "sub/a b.png");
  EXPECT_EQ(open_catalog(set.file("sub/copy.csv")).samples[0].file, "a b.png");
  EXPECT_EQ(open_catalog(set.file("sub/copy.csv")).samples[2].file[0], '/');
}

TEST(Manifest, OfPlainImagesHasNoLabels) {
  SetFolder set;
  set.write_all({"a.png", "b.png"});
  write_manifest(set.file("list.csv"), set.open());
  EXPECT_EQ(file_bytes(set.file("list.csv")), "file\na.png\nb.png\n");
  EXPECT_EQ(set.open("list.csv").kind, CatalogKind::kImages);
}

TEST(Manifest, MayNameImagesOfAnNpzSet) {
  SetFolder set;
  const std::vector<std::uint8_t> pixels(3 * 2 * 2, 9);
  NpzWriter writer(set.file("s.npz"));
  writer.add("train_images", ArrayView<const std::uint8_t>(pixels), {3, 2, 2});
  writer.add("train_labels", ArrayView<const std::uint8_t>(std::vector<std::uint8_t>{0, 1, 1}),
             {3});
  writer.finish();
  write_manifest(set.file("list.csv"), open_catalog(set.file("s.npz")));
  const Catalog again = set.open("list.csv");
  EXPECT_EQ(files_of(again), (Names{"s.npz/train/0", "s.npz/train/1", "s.npz/train/2"}));
  EXPECT_EQ(again.samples[2].label, 1);
  set.write("list.csv",
            "file,label\ns.npz/train/3,0\ns.npz/val/0,1\nt.npz/train/0,1\ns.npz/train/x,0\n");
  const std::string all = set.complaint("list.csv");
  EXPECT_TRUE(contains(all, "names 's.npz/train/3', which is beyond the 3 images there"));
  EXPECT_TRUE(
      contains(all, "'s.npz/val/0', which cannot be read: 's.npz' has no array 'val_images'"));
  EXPECT_TRUE(contains(all, "'t.npz/train/0', which cannot be read: cannot open"));
  EXPECT_TRUE(contains(all, "line 5 names 's.npz/train/x', which"));
}

}  // namespace
}  // namespace cubcal::test
