#include "cubcal_nn/dicomnet/structured_report.h"

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dcdatset.h>
#include <dcmtk/dcmdata/dcdeftag.h>
#include <dcmtk/dcmdata/dcostrmb.h>
#include <dcmtk/dcmdata/dcuid.h>
#include <dcmtk/dcmsr/cmr/tid1500.h>
#include <dcmtk/dcmsr/codes/dcm.h>
#include <dcmtk/dcmsr/codes/ucum.h>
#include <dcmtk/dcmsr/dsrdoc.h>

#include <vector>

#include "cubcal/core/check.h"
#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"
#include "cubcal/node/dicom_file_head.h"
#include "cubcal/spool/derived_uid.h"
#include "cubcal/version.h"
#include "cubcal_nn/dicomnet/dcmtk_text.h"
#include "cubcal_nn/dicomnet/report_codes.h"

namespace cubcal {

namespace {

constexpr std::size_t kLongText = 64;    // of LO
constexpr std::size_t kFreeText = 1024;  // of UT, of which there may be more
constexpr int kDigits = 6;               // 16 characters are allowed in a decimal string

using MeasurementGroup = TID1500_MeasurementReport::TID1501_Measurements;

/// Throws DataError where DCMTK refused.
void check_made(const OFCondition& outcome, const char* what) {
  if (outcome.bad()) {
    throw DataError(std::string("the report could not be made: ") + what + ": " + outcome.text());
  }
}

OFString cut(const std::string& text, std::size_t most = kLongText) {
  return short_text(text, most).c_str();
}

std::string algorithm_name(const ReportContent& content) {
  return content.model.name.empty() ? content.model_name : content.model.name;
}

/// The model's own version, or, of a model that was not deployed, the hash of its weights.
std::string algorithm_version(const ReportContent& content) {
  const ModelFacts& model = content.model;
  return model.version.empty() ? "weights " + model.weights_hash : model.version;
}

void add_number(MeasurementGroup& group, const ReportContent& content,
                const DSRBasicCodedEntry& concept_name, double value,
                const DSRBasicCodedEntry& unit) {
  const MeasurementGroup::MeasurementValue number(significant(value, kDigits).c_str(),
                                                  DSRCodedEntryValue(unit));
  check_made(group.addMeasurement(DSRCodedEntryValue(concept_name), number), "a measurement");
  DSRImageReferenceValue source(content.image.sop_class.c_str(), content.image.sop_uid.c_str());
  // DICOM counts frames from 1.
  if (content.frame) source.getFrameList().addItem(static_cast<Sint32>(*content.frame + 1));
  check_made(group.getMeasurement().addImage(CODE_DCM_SourceOfMeasurement, source), "its image");
}

void add_measurements(MeasurementGroup& group, const ReportContent& content) {
  const DSRBasicCodedEntry none("1", "UCUM", "no units");
  const DSRBasicCodedEntry nats("{nat}", "UCUM", "nats");
  const Answer& answer = content.answer;
  for (std::size_t k = 0; k < answer.probabilities.size(); ++k) {
    add_number(group, content, probability_code(k, content.model.class_names[k]),
               answer.probabilities[k], none);
  }
  add_number(group, content, concept_code("U-TOTAL"), answer.total, nats);
  add_number(group, content, concept_code("U-ALEATORIC"), answer.aleatoric, nats);
  add_number(group, content, concept_code("U-EPISTEMIC"), answer.epistemic, nats);
  if (answer.ood_p_value) {
    add_number(group, content, concept_code("OOD-P"), *answer.ood_p_value, none);
  }
}

void add_evaluations(MeasurementGroup& group, const ReportContent& content) {
  const Answer& answer = content.answer;
  const DSRBasicCodedEntry label = class_code(answer.label_index, answer.label);
  check_made(group.addQualitativeEvaluation(concept_code("CLASS"), label), "the class");
  check_made(group.addQualitativeEvaluation(concept_code("VERDICT"), verdict_code(answer.decision)),
             "the verdict");
  check_made(
      group.addQualitativeEvaluation(concept_code("VERDICT-REASON"), cut(answer.reason, kFreeText)),
      "the reason");
  if (answer.prediction_set) {
    std::string names;
    for (const std::size_t k : *answer.prediction_set) {
      names += (names.empty() ? "" : ", ") + content.model.class_names[k];
    }
    check_made(group.addQualitativeEvaluation(concept_code("PREDICTION-SET"),
                                              cut(names.empty() ? "none" : names, kFreeText)),
               "the prediction set");
  }
  check_made(group.addQualitativeEvaluation(concept_code("PASSES"),
                                            OFString(std::to_string(answer.passes).c_str())),
             "the passes");
  check_made(group.addQualitativeEvaluation(
                 CODE_DCM_Comment,
                 "Made by a research tool, not a medical device. Not verified by a person."),
             "the comment");
}

/// TID 1500 with all that this version of DCMTK has of it.
void fill_tree(DSRDocument& document, const ReportContent& content) {
  TID1500_MeasurementReport report(CMR_CID7021::ImagingMeasurementReport);
  check_made(report.setLanguage(CID5000_Languages::English), "the language");
  check_made(
      report.getObservationContext().addDeviceObserver(
          derived_uid("device/" + content.model.weights_hash).c_str(), cut(algorithm_name(content)),
          "cubcal", cut(content.model.network), cut(content.model.weights_hash)),
      "the observer");
  const DSRBasicCodedEntry imaging("363679005", "SCT", "Imaging");
  check_made(report.addProcedureReported(DSRCodedEntryValue(imaging)), "the procedure");

  DcmDataset image;
  image.putAndInsertString(DCM_SOPClassUID, content.image.sop_class.c_str());
  image.putAndInsertString(DCM_SOPInstanceUID, content.image.sop_uid.c_str());
  check_made(report.getImageLibrary().createNewImageLibrary(), "the image library");
  check_made(report.getImageLibrary().addImageGroup(), "the image library");
  check_made(
      report.getImageLibrary().addImageEntry(image, TID1600_ImageLibrary::withoutDescriptors),
      "the image's entry");

  MeasurementGroup& group = report.getIndividualMeasurements();
  check_made(group.setTrackingIdentifier("Image classification"), "the identifier");
  check_made(
      group.setTrackingUniqueIdentifier(derived_uid(content.report_uid + "/tracking").c_str()),
      "the identifier");
  // A finding only where the answer counts; the most probable class is told in any case.
  if (content.answer.decision == Decision::kAccept) {
    check_made(group.setFinding(class_code(content.answer.label_index, content.answer.label)),
               "the finding");
  }
  add_measurements(group, content);
  add_evaluations(group, content);
  check_made(document.setTreeFromRootTemplate(report), "the tree");
}

/// TID 4019 at the head of the measurement group: DCMTK's templates have no place for it there.
void add_algorithm(DSRDocumentTree& tree, const ReportContent& content) {
  if (tree.gotoNamedNode(CODE_DCM_MeasurementGroup) == 0) {
    throw DataError("the report could not be made: it has no measurement group");
  }
  DSRTypes::E_AddMode place = DSRTypes::AM_belowCurrentBeforeFirstChild;
  const auto add = [&](const DSRBasicCodedEntry& concept_name, const std::string& text) {
    const bool is_added =
        tree.addContentItem(DSRTypes::RT_hasConceptMod, DSRTypes::VT_Text, place) != 0;
    check_made(is_added ? EC_Normal : SR_EC_CannotAddContentItem, "the algorithm");
    DSRContentItem& item = tree.getCurrentContentItem();
    check_made(item.setConceptName(concept_name), "the algorithm");
    check_made(item.setStringValue(cut(text, kFreeText)), "the algorithm");
    place = DSRTypes::AM_afterCurrent;
  };
  const ModelFacts& model = content.model;
  add(CODE_DCM_AlgorithmName, algorithm_name(content));
  add(CODE_DCM_AlgorithmVersion, algorithm_version(content));
  add(CODE_DCM_AlgorithmParameters, std::string("program cubcal ") + kVersion);
  add(CODE_DCM_AlgorithmParameters, "network " + model.network);
  add(CODE_DCM_AlgorithmParameters, "weights hash " + model.weights_hash);
  if (!model.decision_hash.empty()) {
    add(CODE_DCM_AlgorithmParameters, "decision hash " + model.decision_hash);
  }
  add(CODE_DCM_AlgorithmParameters,
      "calibration " + (model.calibration.empty() ? "none" : model.calibration));
  add(CODE_DCM_AlgorithmParameters, "seed " + std::to_string(model.seed));
}

/// Patient and study as in the image.
void fill_head(DSRDocument& document, const ReportContent& content, bool& left_out) {
  const ImageIdentity& image = content.image;
  const auto text = [&](const std::string& value) {
    return OFString(text_as_utf8(value, image.character_set, left_out).c_str());
  };
  check_made(document.createNewSeriesInStudy(image.study_uid.c_str(), OFFalse), "the series");
  document.setSpecificCharacterSetType(DSRTypes::CS_UTF8);
  // Values are taken over as they are, proper or not: a report must be its image's.
  document.setPatientName(text(image.patient_name), OFFalse);
  document.setPatientID(text(image.patient_id), OFFalse);
  document.setPatientBirthDate(text(image.patient_birth_date), OFFalse);
  document.setPatientSex(text(image.patient_sex), OFFalse);
  document.setStudyDate(text(image.study_date), OFFalse);
  document.setStudyTime(text(image.study_time), OFFalse);
  document.setStudyID(text(image.study_id), OFFalse);
  document.setStudyDescription(text(image.study_description), OFFalse);
  document.setAccessionNumber(text(image.accession_number), OFFalse);
  document.setReferringPhysicianName(text(image.referring_physician), OFFalse);
  document.setSeriesDescription(cut("cubcal " + algorithm_name(content)), OFFalse);
  document.setSeriesNumber("9900", OFFalse);
  const bool has_number = !image.instance_number.empty();
  document.setInstanceNumber(has_number ? text(image.instance_number) : OFString("1"), OFFalse);
  document.setManufacturer("cubcal", OFFalse);
  document.setManufacturerModelName(cut(algorithm_name(content)), OFFalse);
  document.setSoftwareVersions(cut(std::string("cubcal ") + kVersion), OFFalse);
  document.setDeviceSerialNumber(cut(content.model.weights_hash), OFFalse);
  document.setPreliminaryFlag(DSRTypes::PF_Preliminary);
  check_made(document.getCurrentRequestedProcedureEvidence().addItem(
                 image.study_uid.c_str(), image.series_uid.c_str(), image.sop_class.c_str(),
                 image.sop_uid.c_str(), OFFalse),
             "the evidence");
  check_made(document.getCodingSchemeIdentification().addItem(kCodingScheme), "the codes");
  document.getCodingSchemeIdentification().setCodingSchemeName("cubcal");
}

std::string bytes_of(DcmDataset& dataset) {
  std::string bytes;
  std::vector<char> block(std::size_t{1} << 16U);
  DcmOutputBufferStream stream(block.data(), static_cast<offile_off_t>(block.size()));
  dataset.transferInit();
  OFCondition outcome = EC_StreamNotifyClient;
  while (outcome == EC_StreamNotifyClient) {
    outcome = dataset.write(stream, EXS_LittleEndianExplicit, EET_ExplicitLength, nullptr);
    void* part = nullptr;
    offile_off_t size = 0;
    stream.flushBuffer(part, size);
    bytes.append(static_cast<const char*>(part), static_cast<std::size_t>(size));
  }
  dataset.transferEnd();
  check_made(outcome, "its bytes");
  return bytes;
}

}  // namespace

std::string make_structured_report(const ReportContent& content, const Tell& tell) {
  bool left_out = false;
  DSRDocument document;
  fill_tree(document, content);
  // DCMTK's template makes an Enhanced SR; more viewers know the Comprehensive one.
  check_made(document.getTree().changeDocumentType(DSRTypes::DT_ComprehensiveSR, OFFalse),
             "its class");
  add_algorithm(document.getTree(), content);
  fill_head(document, content, left_out);
  check_made(document.completeDocument(), "its end");
  DcmDataset dataset;
  check_made(document.write(dataset), "its elements");
  const auto put = [&](const DcmTagKey& tag, const std::string& value) {
    check_made(dataset.putAndInsertString(tag, value.c_str()), "its elements");
  };
  put(DCM_SOPInstanceUID, content.report_uid);
  put(DCM_SeriesInstanceUID, content.series_uid);
  const std::string issuer =
      text_as_utf8(content.image.patient_id_issuer, content.image.character_set, left_out);
  if (!issuer.empty()) put(DCM_IssuerOfPatientID, issuer);
  if (!content.ae_title.empty()) put(DCM_StationName, content.ae_title);
  if (left_out && tell) {
    tell("a report lacks text of its image, whose character set is not known: " +
         in_quotes(content.image.character_set));
  }
  return dicom_file_head(UID_ComprehensiveSRStorage, content.report_uid,
                         UID_LittleEndianExplicitTransferSyntax) +
         bytes_of(dataset);
}

}  // namespace cubcal
