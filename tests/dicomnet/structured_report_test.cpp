#include "cubcal_nn/dicomnet/structured_report.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "dicomnet/image_sender.h"
#include "node/dicom_images.h"

namespace cubcal {
namespace {

using test::dicom_image;
using test::read_report_file;
using test::ReadReport;

ReportContent example(Decision decision = Decision::kAccept) {
  ReportContent content;
  content.image = read_image_identity(dicom_image("1.2.3", 1).file(), "it");
  content.answer.label_index = 1;
  content.answer.label = "melanoma";
  content.answer.probabilities = {0.125, 0.75, 0.125};
  content.answer.confidence = 0.75;
  content.answer.total = 0.7356;
  content.answer.aleatoric = 0.5;
  content.answer.epistemic = 1.5e-12;
  content.answer.decision = decision;
  content.answer.ood_p_value = 0.25;
  content.answer.reason = "uncertainty 0.7356 is below 0.9 nats";
  content.answer.passes = 80;
  content.model.name = "Skin";
  content.model.version = "2.1";
  content.model.network = "resnet18";
  content.model.class_names = {"naevus", "melanoma", "other"};
  content.model.weights_hash = "224b818613104d29";
  content.model.decision_hash = "e17e3dba69688694";
  content.model_name = "skin";
  content.report_uid = "2.25.1234567890";
  content.series_uid = "2.25.987654321";
  content.ae_title = "CUBCAL";
  return content;
}

bool has(const ReadReport& report, const std::string& part) {
  return report.text.find(part) != std::string::npos;
}

TEST(StructuredReport, SaysWhatTheAnswerIs) {
  const ReadReport report = read_report_file(make_structured_report(example()));
  ASSERT_TRUE(report.is_valid) << report.text;
  for (const std::string part :
       {"(126000,DCM,\"Imaging Measurement Report\")",
        "(PROBABILITY-1,99CUBCAL,\"Probability of melanoma\")=\"0.75\" (1,UCUM,\"no units\")",
        "(U-TOTAL,99CUBCAL,\"Total uncertainty (entropy)\")=\"0.7356\" ({nat},UCUM,\"nats\")",
        "(U-ALEATORIC,99CUBCAL,\"Aleatoric uncertainty\")=\"0.5\"",
        "(U-EPISTEMIC,99CUBCAL,\"Epistemic uncertainty\")=\"1.5e-12\"",
        "(OOD-P,99CUBCAL,\"p-value of being within scope\")=\"0.25\"",
        "(121071,DCM,\"Finding\")=(CLASS-1,99CUBCAL,\"melanoma\")",
        "(CLASS,99CUBCAL,\"Most probable class\")=(CLASS-1,99CUBCAL,\"melanoma\")",
        "(VERDICT,99CUBCAL,\"Verdict on the answer\")=(ACCEPT,99CUBCAL,",
        "\"uncertainty 0.7356 is below 0.9 nats\"", "(111001,DCM,\"Algorithm Name\")=\"Skin\"",
        "(111003,DCM,\"Algorithm Version\")=\"2.1\"", "weights hash 224b818613104d29",
        "decision hash e17e3dba69688694", "not a medical device"}) {
    EXPECT_TRUE(has(report, part)) << part << "\n" << report.text;
  }
}

TEST(StructuredReport, BelongsToTheImagesPatientAndStudy) {
  const ReadReport report = read_report_file(make_structured_report(example()));
  EXPECT_EQ(report.sop_uid, "2.25.1234567890");
  EXPECT_EQ(report.series_uid, "2.25.987654321");
  EXPECT_EQ(report.study_uid, "1.2.9");
  EXPECT_EQ(report.image_uid, "1.2.3");
  EXPECT_EQ(report.patient_id, "P-4711");
  EXPECT_EQ(report.patient_name, "M\xc3\xbcller^Anna");  // Latin 1 became UTF-8
}

TEST(StructuredReport, AnAnswerThatDoesNotCountIsNoFinding) {
  for (const Decision decision : {Decision::kRefer, Decision::kOutOfScope}) {
    const ReadReport report = read_report_file(make_structured_report(example(decision)));
    ASSERT_TRUE(report.is_valid);
    EXPECT_FALSE(has(report, "\"Finding\"")) << report.text;
    EXPECT_TRUE(has(report, "Most probable class"));
    EXPECT_TRUE(has(report, decision == Decision::kRefer ? "(REFER," : "(OUT-OF-SCOPE,"));
  }
}

TEST(StructuredReport, NamesAndReasonsMayBeAnyText) {
  ReportContent content = example();
  content.model.class_names[1] = std::string(100, 'x') + "\\\n\xff";
  content.answer.label = "\xd7\x90\\b\xc3\xa4" + std::string(200, 'y');
  content.answer.reason = "\x1b[31m" + std::string(5000, 'z');
  content.model.name = "a\\b";
  content.model.version = "";
  content.model.weights_hash = "";
  content.model.decision_hash = "";
  content.image.patient_name = std::string("\xb2\xe4\xcf\xd5\\x", 6);
  content.image.character_set = "ISO 2022 IR 999\\nonsense";
  content.image.patient_birth_date = "no date";
  content.image.instance_number = "-x";
  const ReadReport report = read_report_file(make_structured_report(content));
  EXPECT_FALSE(report.text.empty());
  EXPECT_EQ(report.image_uid, "1.2.3");
}

std::string name_of(const std::string& name, const std::string& character_set,
                    std::string* told = nullptr) {
  ReportContent content = example();
  content.image.patient_name = name;
  content.image.character_set = character_set;
  const Tell tell = [&](const std::string& sentence) {
    if (told != nullptr) *told += sentence;
  };
  return read_report_file(make_structured_report(content, tell)).patient_name;
}

// The examples of PS3.5, annex H.3.
TEST(StructuredReport, JapaneseNamesAreReadable) {
  const std::string kanji = "\x1b$B;3ED\x1b(B^\x1b$BB@O:\x1b(B";
  const std::string kana = "\x1b$B$d$^$@\x1b(B^\x1b$B$?$m$&\x1b(B";
  const std::string read = "=\u5c71\u7530^\u592a\u90ce=\u3084\u307e\u3060^\u305f\u308d\u3046";
  std::string told;
  EXPECT_EQ(name_of("Yamada^Tarou=" + kanji + "=" + kana, "\\ISO 2022 IR 87", &told),
            "Yamada^Tarou" + read);
  EXPECT_EQ(
      name_of("\xd4\xcf\xc0\xde^\xc0\xdb\xb3=\x1b$B;3ED\x1b(J^\x1b$BB@O:\x1b(J=\x1b$B$d$^$@\x1b(J^"
              "\x1b$B$?$m$&\x1b(J",
              "ISO 2022 IR 13\\ISO 2022 IR 87", &told),
      "\uff94\uff8f\uff80\uff9e^\uff80\uff9b\uff73" + read);
  EXPECT_EQ(name_of("\x1b)I\xd4\xcf", "ISO_IR 13", &told), "\uff94\uff8f");
  EXPECT_EQ(told, "");
}

TEST(StructuredReport, OfACharacterSetNobodyKnowsPlainGroupsAreKept) {
  std::string told;
  EXPECT_EQ(name_of("Yamada^Tarou=\xb2\xe4=\xcf", "ISO_IR 999", &told), "Yamada^Tarou");
  EXPECT_EQ(told,
            "a report lacks text of its image, whose character set is not known: 'ISO_IR 999'");
  EXPECT_EQ(name_of("Hong^Gildong=\x1b$B;3E", "\\ISO 2022 IR 87"),
            "Hong^Gildong");  // it ends within
}

TEST(StructuredReport, NamesTheFrame) {
  ReportContent content = example();
  EXPECT_EQ(make_structured_report(content).find(std::string("\x08\x00\x60\x11IS", 6)),
            std::string::npos);
  content.frame = 1;
  const ReadReport report = read_report_file(make_structured_report(content));
  EXPECT_TRUE(report.is_valid);
  // DICOM counts from 1.
  EXPECT_NE(make_structured_report(content).find(std::string("\x08\x00\x60\x11IS\x02\x00"
                                                             "2 ",
                                                             10)),
            std::string::npos);
}

TEST(StructuredReport, WritesManyClasses) {
  ReportContent content = example();
  content.model.class_names.assign(300, "class");
  content.answer.probabilities.assign(300, 1.0 / 300);
  const ReadReport report = read_report_file(make_structured_report(content));
  EXPECT_TRUE(report.is_valid);
  EXPECT_TRUE(has(report, "PROBABILITY-299"));
}

}  // namespace
}  // namespace cubcal
