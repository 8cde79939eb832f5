#include "cubcal/dataset/dicom_rows.h"

#include <gtest/gtest.h>

#include "cubcal/dataset/sample_reader.h"
#include "dataset/set_fixtures.h"
#include "dicom/dicom_file.h"

namespace cubcal::test {
namespace {

/// A scan of one row of two pixels per frame.
std::string scan(const std::string& patient, const std::string& maker, std::size_t frames) {
  auto file = DicomFileBuilder::gray(1, 2, 8);
  file.text(0x00080070, "LO", maker).text(0x00080080, "LO", "Hospital of X");
  file.text(0x00100020, "LO", patient).text(0x00185101, "CS", "PA");
  file.text(0x00281050, "DS", "40\\50").text(0x00281051, "DS", "400\\350");
  std::string pixels;
  for (std::size_t f = 0; f < frames; ++f) pixels += std::string(2, static_cast<char>('a' + f));
  if (frames > 1) file.text(0x00280008, "IS", std::to_string(frames));
  return file.bytes(0x7fe00010, "OB", pixels).file();
}

struct Scans : SetFolder {
  Scans() {
    write("well/a.dcm", scan("Miller", "Acme", 3));
    write("ill/b.dcm", scan("Smith", "Other", 1));
    write("ill/c.png");
  }
};

TEST(DicomRows, FilesOfSeveralFramesBecomeRows) {
  const Scans set;
  const Catalog catalog = set.open();
  EXPECT_EQ(files_of(catalog),
            (Names{"ill/b.dcm", "ill/c.png", "well/a.dcm/0", "well/a.dcm/1", "well/a.dcm/2"}));
  EXPECT_EQ(catalog.notes, (Names{"1 DICOM file of several frames became 3 rows, one per frame"}));
  EXPECT_EQ(catalog.samples[2].group, catalog.samples[4].group);
  ImageFileOptions full;
  full.dicom_window = DicomWindow::kFile;
  const SampleReader reader(catalog, full);
  EXPECT_LT(reader.read(2).pixels, reader.read(3).pixels);
}

TEST(DicomRows, AManifestMayChooseFrames) {
  const Scans set;
  set.write("list.csv", "file,label\nwell/a.dcm/2,0\nill/b.dcm,1\n");
  EXPECT_EQ(files_of(set.open("list.csv")), (Names{"well/a.dcm/2", "ill/b.dcm"}));
  set.write("list.csv", "file,label\nwell/a.dcm/3,0\nill/b.dcm,1\n");
  EXPECT_EQ(set.complaint("list.csv"),
            "'list.csv' has 1 fault: line 2 names 'well/a.dcm/3', which is beyond the 3 frames "
            "there");
  set.write("list.csv", "file,label,group\nwell/a.dcm,0,p1\nill/b.dcm,1,p2\n");
  EXPECT_EQ(set.open("list.csv").samples[2].group, "p1");
}

TEST(DicomRows, TagsAreColumnsAndNamesAreHashed) {
  const Scans set;
  const Catalog catalog = set.open();
  ASSERT_EQ(catalog.columns, (Names{"dicom_manufacturer", "dicom_site", "dicom_view",
                                    "dicom_photometric", "dicom_window"}));
  const Sample& first = catalog.samples[0];
  EXPECT_EQ(first.metadata[0], "Other");
  EXPECT_EQ(first.metadata[1].size(), 16U);
  EXPECT_EQ(first.metadata[1], catalog.samples[2].metadata[1]);
  EXPECT_EQ(first.metadata[2], "PA");
  EXPECT_EQ(first.metadata[4], "40 / 400");
  EXPECT_EQ(first.group.size(), 16U);
  EXPECT_NE(first.group, catalog.samples[2].group);
  EXPECT_EQ(catalog.samples[1].metadata, (Names{"", "", "", "", ""}));
  OpenOptions named;
  named.keep_names = true;
  const Catalog open = open_catalog(set.path(), named);
  EXPECT_EQ(open.samples[0].group, "Smith");
  EXPECT_EQ(open.samples[0].metadata[1], "Hospital of X");
}

TEST(DicomRows, HashesOfNeighboursDoNotShowThatTheyAre) {
  const SetFolder set;
  for (int i = 0; i < 6; ++i) {
    set.write("all/" + std::to_string(i) + ".dcm", scan("PID-" + std::to_string(i), "Acme", 1));
  }
  const Catalog catalog = set.open();
  for (std::size_t i = 1; i < catalog.samples.size(); ++i) {
    const std::string& one = catalog.samples[i - 1].group;
    const std::string& other = catalog.samples[i].group;
    std::size_t same = 0;
    for (std::size_t k = 0; k < one.size(); ++k) same += one[k] == other[k] ? 1 : 0;
    EXPECT_LT(same, 8U) << one << " " << other;
  }
}

TEST(DicomRows, WhatIsWrittenReadsTheSame) {
  const Scans set;
  const Catalog catalog = set.open();
  write_manifest(set.file("out.csv"), catalog);
  EXPECT_EQ(file_bytes(set.file("out.csv")).find("Smith"), std::string::npos);
  const Catalog again = set.open("out.csv");
  EXPECT_EQ(files_of(again), files_of(catalog));
  EXPECT_EQ(again.columns, catalog.columns);
  EXPECT_EQ(again.samples[0].group, catalog.samples[0].group);
}

}  // namespace
}  // namespace cubcal::test
