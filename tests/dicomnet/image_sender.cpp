#include "dicomnet/image_sender.h"

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dcdeftag.h>
#include <dcmtk/dcmdata/dcfilefo.h>
#include <dcmtk/dcmdata/dcistrmb.h>
#include <dcmtk/dcmdata/dcsequen.h>
#include <dcmtk/dcmdata/dcuid.h>
#include <dcmtk/dcmnet/scu.h>
#include <dcmtk/dcmsr/dsrdoc.h>
#include <dcmtk/oflog/oflog.h>

#include <sstream>

namespace cubcal::test {

namespace {

bool read_file(DcmFileFormat& file, const std::string& bytes) {
  DcmInputBufferStream stream;
  stream.setBuffer(bytes.data(), static_cast<offile_off_t>(bytes.size()));
  stream.setEos();
  file.transferInit();
  const OFCondition outcome = file.read(stream);
  file.transferEnd();
  file.loadAllDataIntoMemory();
  return outcome.good();
}

}  // namespace

class ImageSender::Association {
 public:
  Association(std::uint16_t port, const std::string& calling, const std::string& called) {
    OFLog::configure(OFLogger::OFF_LOG_LEVEL);
    scu.setAETitle(calling.c_str());
    scu.setPeerAETitle(called.c_str());
    scu.setPeerHostName("127.0.0.1");
    scu.setPeerPort(port);
    scu.setConnectionTimeout(10);
    scu.setACSETimeout(10);
    scu.setDIMSEBlockingMode(DIMSE_NONBLOCKING);
    scu.setDIMSETimeout(30);
    OFList<OFString> syntaxes;
    syntaxes.push_back(UID_LittleEndianExplicitTransferSyntax);
    for (const char* sop_class : {UID_VerificationSOPClass, UID_SecondaryCaptureImageStorage,
                                  UID_CTImageStorage, UID_ComprehensiveSRStorage}) {
      scu.addPresentationContext(sop_class, syntaxes);
    }
    outcome = scu.initNetwork();
    if (outcome.good()) outcome = scu.negotiateAssociation();
  }
  ~Association() {
    if (scu.isConnected()) scu.releaseAssociation();
  }
  Association(const Association&) = delete;
  Association& operator=(const Association&) = delete;

  DcmSCU scu;
  OFCondition outcome;
};

ImageSender::ImageSender(std::uint16_t port, std::string calling, std::string called)
    : port_(port), calling_(std::move(calling)), called_(std::move(called)) {}
ImageSender::~ImageSender() = default;

bool ImageSender::connect() {
  if (association_) return true;
  association_ = std::make_unique<Association>(port_, calling_, called_);
  if (association_->outcome.good()) return true;
  problem_ = association_->outcome.text();
  association_.reset();
  return false;
}

bool ImageSender::echo() {
  if (!connect()) return false;
  return association_->scu.sendECHORequest(0).good();
}

int ImageSender::send(const std::string& file_bytes, const std::string& sop_class) {
  DcmFileFormat file;
  if (!read_file(file, file_bytes) || !connect()) return -1;
  const T_ASC_PresentationContextID context =
      association_->scu.findAnyPresentationContextID(sop_class.c_str(), "");
  if (context == 0) {
    problem_ = "no context";
    return -1;
  }
  Uint16 status = 0;
  const OFCondition outcome =
      association_->scu.sendSTORERequest(context, "", file.getDataset(), status);
  if (outcome.good()) return status;
  problem_ = outcome.text();
  association_.reset();
  return -1;
}

ReadReport read_report_file(const std::string& bytes) {
  ReadReport report;
  DcmFileFormat file;
  if (!read_file(file, bytes)) return report;
  DcmDataset& dataset = *file.getDataset();
  const auto text = [&](const DcmTagKey& tag) {
    OFString value;
    dataset.findAndGetOFStringArray(tag, value);
    return std::string(value.c_str());
  };
  report.sop_uid = text(DCM_SOPInstanceUID);
  report.series_uid = text(DCM_SeriesInstanceUID);
  report.study_uid = text(DCM_StudyInstanceUID);
  report.patient_name = text(DCM_PatientName);
  report.patient_id = text(DCM_PatientID);
  OFString meta;
  file.getMetaInfo()->findAndGetOFString(DCM_MediaStorageSOPInstanceUID, meta);
  DcmItem* evidence = nullptr;
  DcmItem* series = nullptr;
  DcmItem* instance = nullptr;
  OFString image;
  if (dataset.findAndGetSequenceItem(DCM_CurrentRequestedProcedureEvidenceSequence, evidence)
          .good() &&
      evidence->findAndGetSequenceItem(DCM_ReferencedSeriesSequence, series).good() &&
      series->findAndGetSequenceItem(DCM_ReferencedSOPSequence, instance).good()) {
    instance->findAndGetOFString(DCM_ReferencedSOPInstanceUID, image);
  }
  report.image_uid = image.c_str();
  DSRDocument document;
  report.is_valid = document.read(dataset).good() && document.isValid() &&
                    document.getDocumentType() == DSRTypes::DT_ComprehensiveSR &&
                    text(DCM_SOPClassUID) == UID_ComprehensiveSRStorage &&
                    std::string(meta.c_str()) == report.sop_uid;
  std::ostringstream printed;
  document.print(printed, DSRTypes::PF_printAllCodes | DSRTypes::PF_printLongSOPClassName);
  report.text = printed.str();
  return report;
}

}  // namespace cubcal::test
