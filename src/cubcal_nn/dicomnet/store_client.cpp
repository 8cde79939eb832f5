#include "cubcal_nn/dicomnet/store_client.h"

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dcfilefo.h>
#include <dcmtk/dcmdata/dcistrmb.h>
#include <dcmtk/dcmdata/dcuid.h>
#include <dcmtk/dcmnet/scu.h>

#include <cstdlib>

#include "cubcal/core/error.h"
#include "cubcal/dicom/dicom_jpeg.h"

namespace cubcal {

namespace {

std::string hexadecimal(Uint16 number) {
  std::string text = "0x";
  for (int shift = 12; shift >= 0; shift -= 4) text += "0123456789abcdef"[number >> shift & 15];
  return text;
}

/// What a status of C-STORE (PS3.4, table B.2-1) means for the report.
DeliveryResult result_of(Uint16 status) {
  constexpr Uint16 kDuplicate = 0x0111;
  const unsigned first = status >> 12U;
  if (status == 0 || first == 0xb || status == kDuplicate) return {};
  const std::string reason = "it answered with status " + hexadecimal(status);
  const bool lacks_resources = status >> 8U == 0xa7;
  return {lacks_resources ? Delivery::kUnreachable : Delivery::kRefused, reason};
}

}  // namespace

class StoreClient::Association {
 public:
  /// Throws IoError with the reason where there is none.
  explicit Association(const StoreClientOptions& options) {
    take_over_dcmtk_log();
    scu_.setAETitle(options.ae_title.c_str());
    scu_.setPeerAETitle(options.to.title.c_str());
    scu_.setPeerHostName(options.to.host.c_str());
    scu_.setPeerPort(options.to.port);
    scu_.setConnectionTimeout(options.timeout);
    scu_.setACSETimeout(static_cast<Uint32>(options.timeout));
    scu_.setDIMSEBlockingMode(DIMSE_NONBLOCKING);
    scu_.setDIMSETimeout(static_cast<Uint32>(options.timeout));
    OFList<OFString> syntaxes;
    syntaxes.push_back(UID_LittleEndianExplicitTransferSyntax);
    syntaxes.push_back(UID_LittleEndianImplicitTransferSyntax);
    OFCondition outcome = scu_.addPresentationContext(UID_ComprehensiveSRStorage, syntaxes);
    if (outcome.good()) outcome = scu_.initNetwork();
    if (outcome.good()) outcome = scu_.negotiateAssociation();
    if (outcome.bad()) throw IoError(one_line(outcome));
    context_ = scu_.findAnyPresentationContextID(UID_ComprehensiveSRStorage, "");
    if (context_ == 0) throw IoError("it takes no Comprehensive SR");
  }

  ~Association() {
    if (scu_.isConnected() && !is_broken_) scu_.releaseAssociation();
    if (scu_.isConnected()) scu_.abortAssociation();
  }
  Association(const Association&) = delete;
  Association& operator=(const Association&) = delete;

  DeliveryResult send(DcmDataset& dataset) {
    Uint16 status = 0;
    const OFCondition outcome = scu_.sendSTORERequest(context_, "", &dataset, status);
    if (outcome.good()) return result_of(status);
    is_broken_ = true;
    return {Delivery::kUnreachable, one_line(outcome)};
  }
  bool is_broken() const { return is_broken_; }

 private:
  static std::string one_line(const OFCondition& outcome) {
    std::string text = outcome.text();
    for (char& each : text) {
      if (each == '\n') each = ' ';
    }
    return text;
  }

  DcmSCU scu_;
  T_ASC_PresentationContextID context_ = 0;
  bool is_broken_ = false;
};

StoreClient::StoreClient(StoreClientOptions options) : options_(std::move(options)) {
  check_ae_title(options_.ae_title);
  // DCMTK asks for it: without, small messages are held back, which costs 40 ms for each report.
  ::setenv("TCP_NODELAY", "1", 0);
}
StoreClient::~StoreClient() = default;

DeliveryResult StoreClient::deliver(const std::string&, const std::string& report) {
  DcmFileFormat file;
  DcmInputBufferStream stream;
  stream.setBuffer(report.data(), static_cast<offile_off_t>(report.size()));
  stream.setEos();
  file.transferInit();
  const OFCondition read = file.read(stream);
  file.transferEnd();
  if (read.bad()) return {Delivery::kRefused, std::string("it is damaged: ") + read.text()};
  try {
    if (!association_) association_ = std::make_unique<Association>(options_);
    DeliveryResult result = association_->send(*file.getDataset());
    if (association_->is_broken()) association_.reset();
    return result;
  } catch (const IoError& error) {
    return {Delivery::kUnreachable, error.what()};
  }
}

void StoreClient::rest() { association_.reset(); }

}  // namespace cubcal
