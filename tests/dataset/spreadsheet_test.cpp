#include <gtest/gtest.h>

#include <functional>

#include "cubcal/dataset/column_roles.h"
#include "cubcal/dataset/manifest.h"
#include "cubcal/dataset/selection.h"
#include "dataset/set_fixtures.h"

// Tables as people have them, not as we would write them.

namespace cubcal::test {
namespace {

/// Little endian, with its byte order mark; the text is ASCII or Latin 1.
std::string utf16(const std::string& latin) {
  std::string bytes = "\xFF\xFE";
  for (const char c : latin) bytes += std::string(1, c) + std::string(1, '\0');
  return bytes;
}

struct Images : SetFolder {
  Images() { write_all({"a.png", "b.png", "c.png", "images/ISIC_1.jpg", "images/ISIC_2.JPG"}); }
};

Catalog read(const SetFolder& set, const std::string& text, const ManifestOptions& table = {}) {
  set.write("sheet.csv", text);
  OpenOptions options;
  options.table = table;
  return open_catalog(set.file("sheet.csv"), options);
}

Names classes_of(const Catalog& catalog) {
  Names names;
  for (const Sample& sample : catalog.samples) names.push_back(sample.label_name);
  return names;
}

TEST(Spreadsheet, KnowsTheColumnsOfOthers) {
  const Images set;
  const Catalog skin = read(set, "lesion_id,image_id,dx\nL1,ISIC_1,mel\nL2,ISIC_2,nv\n");
  EXPECT_EQ(files_of(skin), (Names{"images/ISIC_1.jpg", "images/ISIC_2.JPG"}));
  EXPECT_EQ(skin.class_names, (Names{"mel", "nv"}));
  EXPECT_EQ(skin.samples[1].group, "L2");
  EXPECT_EQ(skin.notes,
            (Names{"file = column 'image_id', class = column 'dx' (names), group = column "
                   "'lesion_id'",
                   "1 file found by adding .JPG", "1 file found by adding .jpg",
                   "2 files found in the folder 'images'"}));
  const Catalog eyes = read(set, "id_code,diagnosis\na,1\nb,0\n");
  EXPECT_EQ(files_of(eyes), (Names{"a.png", "b.png"}));
  EXPECT_EQ(eyes.samples[0].label, 1);
  const Catalog chest = read(set,
                             "Patient ID,Image Path,Class,Subset\np,a.png,x,Train\np,b.png,y,"
                             "valid\n");
  EXPECT_EQ(chest.samples[1].group, "p");
  EXPECT_EQ(chest.split_names(), (Names{"train", "val"}));
}

TEST(Spreadsheet, OwnNamesGoBeforeThoseOfOthers) {
  const Images set;
  const Catalog catalog = read(
      set, "file,label,label_name,class,patient_id,group\na.png,0,x,9,p1,g1\nb.png,1,y,9,p2,g2\n");
  EXPECT_EQ(catalog.columns, (Names{"class", "patient_id"}));
  EXPECT_EQ(catalog.samples[0].group, "g1");
  EXPECT_TRUE(catalog.notes.empty());
}

TEST(Spreadsheet, PathsGoBeforeIdentifiersAndPatientsBeforeLesions) {
  const Images set;
  const Catalog catalog =
      read(set, "image_id,filename,dx,lesion_id,patient_id\n7,a.png,x,l1,p1\n8,b.png,y,l2,p1\n");
  EXPECT_EQ(files_of(catalog), (Names{"a.png", "b.png"}));
  EXPECT_EQ(catalog.samples[1].group, "p1");
  EXPECT_EQ(catalog.columns, (Names{"image_id", "lesion_id"}));
}

TEST(Spreadsheet, AColumnForEachClass) {
  const Images set;
  const Catalog skin = read(set,
                            "image,MEL,NV,BCC,age\nISIC_1,0.0,1.0,0.0,50\nISIC_2,1.0,0.0,0.0,1\n"
                            "a,0,0,1,0\n");
  EXPECT_EQ(classes_of(skin), (Names{"NV", "MEL", "BCC"}));
  EXPECT_EQ(skin.columns, (Names{"age"}));
  EXPECT_NE(std::find(skin.notes.begin(), skin.notes.end(),
                      "class = the one of the columns 'MEL', 'NV', 'BCC' that is 1"),
            skin.notes.end());
  const Catalog several = read(set, "file,x,y,z\na.png,1,1,0\nb.png,0,1,0\nc.png,0,0,1\n");
  EXPECT_EQ(several.kind, CatalogKind::kImages);
  EXPECT_EQ(several.notes,
            (Names{"the columns 'x', 'y', 'z' look like one class each, but 1 row has not exactly "
                   "one 1 in them, so no class was taken"}));
  const Catalog labelled = read(set, "file,dx,x,y\na.png,mel,1,0\nb.png,nv,0,1\n");
  EXPECT_EQ(classes_of(labelled), (Names{"mel", "nv"}));
}

/// Sixty images, each of one of three classes in turn, with `more` behind each row.
struct OneHotTable : SetFolder {
  OneHotTable() {
    for (std::size_t i = 0; i < kRows; ++i) write(name(i));
  }
  static std::string name(std::size_t i) { return "i" + std::to_string(100 + i) + ".png"; }

  using Row = std::function<std::string(std::size_t)>;
  Catalog read(const std::string& header, const Row& row, OpenOptions options = {}) const {
    std::string text = "file," + header + "\n";
    for (std::size_t i = 0; i < kRows; ++i) text += name(i) + "," + row(i) + "\n";
    write("table.csv", text);
    return open_catalog(file("table.csv"), options);
  }
  static std::string plain(std::size_t i) {
    return std::vector<std::string>{"1,0,0", "0,1,0", "0,0,1"}[i % 3];
  }

  static constexpr std::size_t kRows = 60;
};

OpenOptions looking() {
  OpenOptions options;
  options.tolerant = true;
  return options;
}

TEST(OneHot, ABadRowIsAFaultOfThatRow) {
  const OneHotTable set;
  const std::pair<const char*, const char*> faults[] = {
      {"0,0,0", "line 9 has no 1 in any of the columns of the classes"},
      {"1,0,1", "line 9 has a 1 in the columns of several classes ('MEL', 'BCC')"},
      {",,", "line 9 has nothing in the column of the class 'MEL', where 0 or 1 is expected"},
      {"0,,1", "line 9 has nothing in the column of the class 'NV', where 0 or 1 is expected"},
      {"0.5,0.5,0", "line 9 has '0.5' in the column of the class 'MEL', where 0 or 1 is expected"}};
  for (const auto& [bad, fault] : faults) {
    const auto row = [bad = std::string(bad)](std::size_t i) {
      return i == 7 ? bad : OneHotTable::plain(i);
    };
    const Catalog catalog = set.read("MEL,NV,BCC", row, looking());
    EXPECT_EQ(catalog.class_names, (Names{"BCC", "MEL", "NV"})) << bad;
    EXPECT_EQ(catalog.samples.size(), 59U);
    EXPECT_EQ(catalog.faults, (Names{fault}));
    EXPECT_TRUE(contains(message_of<DataError>([&] { set.read("MEL,NV,BCC", row); }), fault));
  }
}

TEST(OneHot, ManyBadRowsAreNoClasses) {
  const OneHotTable set;
  const Catalog catalog = set.read("MEL,NV,BCC", [](std::size_t i) {
    return i % 10 == 0 ? std::string("1,1,0") : OneHotTable::plain(i);
  });
  EXPECT_EQ(catalog.kind, CatalogKind::kImages);
  EXPECT_EQ(catalog.notes, (Names{"the columns 'MEL', 'NV', 'BCC' look like one class each, but 6 "
                                  "rows have not exactly one 1 in them, so no class was taken"}));
}

TEST(OneHot, MayBeSpelledInWords) {
  const OneHotTable set;
  const Catalog catalog = set.read("ill,well", [](std::size_t i) {
    return std::string(i % 2 == 0 ? "True,False" : "FALSE,true");
  });
  EXPECT_EQ(catalog.class_names, (Names{"ill", "well"}));
}

TEST(OneHot, AFlagBesideThemIsNoClass) {
  const OneHotTable set;
  const Catalog catalog = set.read("old,MEL,NV,BCC,UNK,rare", [](std::size_t i) {
    return std::string(i % 7 < 3 ? "1," : "0,") + OneHotTable::plain(i) + ",0," +
           (i == 5 ? "1" : "0");
  });
  EXPECT_EQ(catalog.class_names, (Names{"BCC", "MEL", "NV"}));
  EXPECT_EQ(catalog.columns, (Names{"old", "rare"}));
  EXPECT_TRUE(catalog.faults.empty());
}

TEST(OneHot, OfTwoBlocksTheOneThatIsMeantIsNamed) {
  const OneHotTable set;
  const std::string header = "MEL,NV,BCC,female,male";
  const auto row = [](std::size_t i) {
    return OneHotTable::plain(i) + (i % 2 == 0 ? ",1,0" : ",0,1");
  };
  EXPECT_EQ(message_of<DataError>([&] { set.read(header, row, looking()); }),
            "'" + set.file("table.csv") +
                "' has the columns 'MEL', 'NV', 'BCC' and the columns 'female', 'male', either of "
                "which could be a class each: name those of the classes with the option "
                "'label_column', separated by commas");
  OpenOptions named;
  named.table.label_column = "MEL, NV,BCC";
  const Catalog catalog = set.read(header, row, named);
  EXPECT_EQ(catalog.class_names, (Names{"BCC", "MEL", "NV"}));
  EXPECT_EQ(catalog.columns, (Names{"female", "male"}));
  named.table.label_column = "MEL,no";
  EXPECT_TRUE(contains(message_of<ArgumentError>([&] { set.read(header, row, named); }),
                       "has no column 'no'"));
  named.table.label_column = "MEL,MEL";
  EXPECT_TRUE(contains(message_of<ArgumentError>([&] { set.read(header, row, named); }),
                       "asked for twice"));
}

TEST(OneHot, OutliersAreOfNoClass) {
  const OneHotTable set;
  const Catalog catalog = set.read("MEL,NV,BCC,split", [](std::size_t i) {
    return i < 12 ? "0,0,0,ood" : OneHotTable::plain(i) + ",train";
  });
  EXPECT_EQ(catalog.class_names, (Names{"BCC", "MEL", "NV"}));
  EXPECT_EQ(catalog.samples.size(), 60U);
}

TEST(Spreadsheet, ANameThatIsNotKnownIsAskedFor) {
  const Images set;
  EXPECT_NE(message_of<NoFileColumn>([&] {
              read(set, "Dateiname;Diagnose\na.png;mel\n");
            }).find("it has 'Dateiname', 'Diagnose'"),
            std::string::npos);
}

TEST(Spreadsheet, OneFileWithTwoLabelsHasNone) {
  const Images set;
  const std::string text = "file,dx\na.png,mel\nb.png,nv\nc.png,mel\na.png,nv\nb.png,nv \n";
  set.write("sheet.csv", text);
  OpenOptions options;
  options.tolerant = true;
  const Catalog catalog = open_catalog(set.file("sheet.csv"), options);
  EXPECT_EQ(files_of(catalog), (Names{"b.png", "c.png"}));
  EXPECT_EQ(catalog.faults,
            (Names{"line 2 lists 'a.png' with the label 'mel', which line 5 contradicts",
                   "line 5 lists 'a.png' again with the label 'nv', which line 2 gives 'mel'",
                   "line 6 lists 'b.png' again, after line 3"}));
  EXPECT_NE(message_of<DataError>([&] {
              read(set, text);
            }).find("has 2 faults: line 5 lists 'a.png' again with the label 'nv'"),
            std::string::npos);
}

TEST(Spreadsheet, SplitsWithBlanksAndOtherCaseAreThoseThatAreMeant) {
  const Images set;
  const std::string text = "file,dx,split\na.png,mel, Train \nb.png,nv,TRAIN\nc.png,nv,Fold 1 \n";
  const Catalog catalog = read(set, text);
  EXPECT_EQ(catalog.split_names(), (Names{"train", "Fold 1"}));
  EXPECT_EQ(catalog.blank_splits,
            (std::map<std::string, std::size_t>{{" Train ", 1}, {"Fold 1 ", 1}}));
}

TEST(Spreadsheet, AsksWhereSeveralColumnsWouldDo) {
  const Images set;
  EXPECT_EQ(message_of<DataError>([&] { read(set, "image,diagnosis,target\na,x,0\nb,y,1\n"); }),
            "'" + set.file("sheet.csv") +
                "' has several columns that could hold the class ('diagnosis', 'target'): say "
                "which one is meant");
  ManifestOptions table;
  table.label_column = "Target";  // case and underscores do not matter
  const Catalog catalog = read(set, "image,diagnosis,target\na,x,0\nb,y,1\n", table);
  EXPECT_EQ(classes_of(catalog), (Names{"0", "1"}));
  EXPECT_EQ(catalog.columns, (Names{"diagnosis"}));
  table.label_column = "grade";
  EXPECT_TRUE(contains(message_of<ArgumentError>([&] { read(set, "image,dx\na,x\nb,y\n", table); }),
                       "has no column 'grade'; it has 'image', 'dx'"));
  table.label_column = "image";
  EXPECT_TRUE(contains(message_of<ArgumentError>([&] { read(set, "image,dx\na,x\nb,y\n", table); }),
                       "is asked for twice, in different roles"));
}

TEST(Spreadsheet, AColumnThatIsNotTakenKeepsItsPlaceUnderAnotherName) {
  const Images set;
  ManifestOptions table;
  table.label_column = "dx";
  table.group_column = "eye";
  const Catalog catalog =
      read(set, "file,label,dx,group,eye\na.png,5,x,g,e1\nb.png,7,y,g,e2\n", table);
  EXPECT_EQ(catalog.columns, (Names{"table_label", "table_group"}));
  write_manifest(set.file("out.csv"), catalog);
  EXPECT_EQ(open_catalog(set.file("out.csv")).columns, catalog.columns);
}

TEST(Spreadsheet, RowsAreChosenByTheTablesOwnNames) {
  const Images set;
  const Catalog catalog = read(set, "image,dx,patient_id\na,x,p1\nb,y,p1\nc,y,p2\n");
  Selection selection;
  selection.where = {parse_row_filter("patient_id=p1")};
  EXPECT_EQ(files_of(select(catalog, selection)), (Names{"a.png", "b.png"}));
}

TEST(Spreadsheet, IsReadInAnyEncodingAndWithAnySeparator) {
  const std::string rows = "image;dx;Alter\r\na.png;n\xE4vus;4,5\r\nb.png;mel;\r\n";
  const Names expected{"n\xC3\xA4vus", "mel"};
  const Images set;
  const Catalog latin = read(set, rows);
  EXPECT_EQ(classes_of(latin), expected);
  EXPECT_EQ(latin.samples[0].metadata, (Names{"4,5"}));
  EXPECT_EQ(latin.notes[1], "text is latin-1, fields are separated by semicolon");
  EXPECT_EQ(classes_of(read(set, utf16(rows))), expected);
  EXPECT_EQ(classes_of(read(set, "\xEF\xBB\xBFimage,dx\na,n\xC3\xA4vus\nb,mel\n")), expected);
  EXPECT_EQ(classes_of(read(set, "sep=|\nimage|dx\na|n\xC3\xA4vus\nb|mel\n")), expected);
  set.write("sheet.tsv", "image\tdx\na\tn\xC3\xA4vus, gro\xC3\x9F\nb\tmel\n");
  EXPECT_EQ(set.open("sheet.tsv").samples.size(), 2U);
  set.write("sheet.txt", "image\tdx\na\tx\nb\tmel\n");
  EXPECT_EQ(set.open("sheet.txt").samples.size(), 2U);
  EXPECT_EQ(set.open("sheet.tsv").samples[0].label_name, "n\xC3\xA4vus, gro\xC3\x9F");
  ManifestOptions table;
  table.encoding = TextEncoding::kUtf8;
  EXPECT_TRUE(contains(message_of<DataError>([&] { read(set, rows, table); }), "is not UTF-8"));
  table = {};
  table.separator = ',';
  EXPECT_TRUE(contains(message_of<DataError>([&] { read(set, rows, table); }),
                       "has 2 fields, but the header has 1"));
}

TEST(Spreadsheet, LabelsMayBeNumbersAsSpreadsheetsWriteThem) {
  const Images set;
  const Catalog catalog = read(set, "image,target\na,0.0\nb, 1.00\nc,\"1,0\"\n");
  EXPECT_EQ(catalog.samples[0].label, 0);
  EXPECT_EQ(catalog.samples[1].label, 1);
  EXPECT_EQ(catalog.samples[2].label, 1);
  EXPECT_EQ(catalog.class_names, (Names{"0", "1"}));
  const Catalog names = read(set, "image,label\na,benign\nb,malignant\nc,0\n");
  EXPECT_EQ(names.class_names, (Names{"0", "benign", "malignant"}));
}

TEST(Spreadsheet, FindsFilesBehindBackslashesBlanksAndMissingExtensions) {
  const Images set;
  const Catalog catalog = read(set, "path,dx\nimages\\ISIC_1.jpg,x\n a.png ,y\nb,y\n");
  EXPECT_EQ(files_of(catalog), (Names{"images/ISIC_1.jpg", "a.png", "b.png"}));
  EXPECT_EQ(catalog.notes[1],
            "2 files found after backslashes became slashes and blanks at the ends were left out");
  set.write("b.jpg");
  EXPECT_TRUE(contains(message_of<DataError>([&] { read(set, "path,dx\na,x\nb,y\n"); }),
                       "line 3 names 'b', which could be any of 'b.png', 'b.jpg'"));
  EXPECT_TRUE(contains(message_of<DataError>([&] { read(set, "path,dx\na,x\nd,y\n"); }),
                       "line 3 names 'd', which does not exist"));
}

TEST(Spreadsheet, RowsAndColumnsOfNothingArePassedOver) {
  const Images set;
  const Catalog catalog = read(set, "image;dx;;\na;x;;\n;;;\nb;y;;\n;;;\n");
  EXPECT_EQ(files_of(catalog), (Names{"a.png", "b.png"}));
  EXPECT_TRUE(catalog.columns.empty());
}

TEST(Spreadsheet, IsFoundInItsFolderByWhatItHolds) {
  const Images set;
  set.write("notes.csv", "image,who\na,me\n");  // no class: not about the set
  set.write("train.csv", utf16("id_code;diagnosis\r\na;0\r\nb;1\r\n"));
  EXPECT_EQ(set.open().samples.size(), 2U);
  set.write("book.xlsx");
  EXPECT_EQ(set.complaint("book.xlsx"),
            "'book.xlsx' is a workbook of a spreadsheet program: save its sheet as CSV");
}

TEST(Spreadsheet, ALookAtItEndsWithNoSingleRow) {
  const Images set;
  set.write("sheet.csv",
            "image,dx,split\na,x,train\nb,y,\nno,y,val\nc,,train\na,x,test\nISIC_1,x,train\n");
  OpenOptions options;
  options.tolerant = true;
  const Catalog catalog = open_catalog(set.file("sheet.csv"), options);
  EXPECT_EQ(files_of(catalog), (Names{"a.png", "b.png", "no", "images/ISIC_1.jpg"}));
  EXPECT_EQ(catalog.samples[1].split, "");
  EXPECT_EQ(catalog.class_names, (Names{"x", "y"}));
  EXPECT_EQ(catalog.faults, (Names{"line 5 has no dx", "line 6 lists 'a' again, after line 2"}));
  set.write("sheet.csv", "image,dx\na,\nb,\n");
  EXPECT_TRUE(contains(message_of<DataError>([&] { open_catalog(set.file("sheet.csv"), options); }),
                       "2 faults"));
}

}  // namespace
}  // namespace cubcal::test
