#include "cubcal_nn/dicomnet/store_exchange.h"

#include <dcmtk/dcmdata/dcdatset.h>
#include <dcmtk/dcmdata/dcdeftag.h>
#include <dcmtk/dcmdata/dcuid.h>
#include <dcmtk/dcmnet/diutil.h>

#include <algorithm>
#include <array>

#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr int kCommandSeconds = 30;
constexpr std::chrono::minutes kLongestObject{10};

/// What src/cubcal/dicom decodes, the first that a client offers is taken.
std::array<const char*, 13> decoded_syntaxes() {
  return {UID_LittleEndianExplicitTransferSyntax,
          UID_LittleEndianImplicitTransferSyntax,
          UID_BigEndianExplicitTransferSyntax,
          UID_DeflatedExplicitVRLittleEndianTransferSyntax,
          UID_JPEGProcess14SV1TransferSyntax,
          UID_JPEGProcess14TransferSyntax,
          UID_JPEGLSLosslessTransferSyntax,
          UID_JPEG2000LosslessOnlyTransferSyntax,
          UID_RLELosslessTransferSyntax,
          UID_JPEGProcess1TransferSyntax,
          UID_JPEGProcess2_4TransferSyntax,
          UID_JPEGLSLossyTransferSyntax,
          UID_JPEG2000TransferSyntax};
}

}  // namespace

void StoreExchange::run() {
  if (!negotiate()) return;
  auto last = std::chrono::steady_clock::now();
  for (;;) {
    if (ASC_dataWaiting(association_, 1)) {
      if (!take_command()) return;
      last = std::chrono::steady_clock::now();
    }
    if (stopping_ || std::chrono::steady_clock::now() - last > options_.idle) {
      ASC_abortAssociation(association_);
      return;
    }
  }
}

bool StoreExchange::negotiate() {
  std::array<char, 32> calling{};
  std::array<char, 32> called{};
  std::array<char, 32> responding{};
  ASC_getAPTitles(association_->params, calling.data(), calling.size(), called.data(),
                  called.size(), responding.data(), responding.size());
  if (options_.ae_title != called.data()) {
    reject(ASC_REASON_SU_CALLEDAETITLENOTRECOGNIZED,
           "a client was turned away that called " + in_quotes(called.data()));
    return false;
  }
  const auto& allowed = options_.allowed;
  if (!allowed.empty() &&
      std::find(allowed.begin(), allowed.end(), calling.data()) == allowed.end()) {
    reject(ASC_REASON_SU_CALLINGAETITLENOTRECOGNIZED,
           "the client " + in_quotes(calling.data()) + " was turned away: it is not allowed");
    return false;
  }
  const char* verification[] = {UID_VerificationSOPClass};
  std::array<const char*, 13> syntaxes = decoded_syntaxes();
  ASC_acceptContextsWithPreferredTransferSyntaxes(association_->params, verification, 1,
                                                  syntaxes.data(), 2);
  ASC_acceptContextsWithPreferredTransferSyntaxes(association_->params, dcmImageSOPClassUIDs,
                                                  numberOfDcmImageSOPClassUIDs, syntaxes.data(),
                                                  static_cast<int>(syntaxes.size()));
  return ASC_acknowledgeAssociation(association_).good();
}

void StoreExchange::reject(T_ASC_RejectParametersReason reason, const std::string& sentence) {
  const T_ASC_RejectParameters parameters = {ASC_RESULT_REJECTEDPERMANENT, ASC_SOURCE_SERVICEUSER,
                                             reason};
  ASC_rejectAssociation(association_, &parameters);
  tell_(sentence);
}

bool StoreExchange::take_command() {
  T_ASC_PresentationContextID context = 0;
  T_DIMSE_Message message;
  DcmDataset* detail = nullptr;
  const OFCondition outcome = DIMSE_receiveCommand(association_, DIMSE_NONBLOCKING, kCommandSeconds,
                                                   &context, &message, &detail);
  delete detail;
  if (outcome == DUL_PEERREQUESTEDRELEASE) {
    ASC_acknowledgeRelease(association_);
    return false;
  }
  if (outcome == DUL_PEERABORTEDASSOCIATION) return false;
  bool goes_on = false;
  if (outcome.good() && message.CommandField == DIMSE_C_ECHO_RQ) {
    goes_on =
        DIMSE_sendEchoResponse(association_, context, &message.msg.CEchoRQ, STATUS_Success, nullptr)
            .good();
  } else if (outcome.good() && message.CommandField == DIMSE_C_STORE_RQ) {
    goes_on = store(context, message.msg.CStoreRQ);
  }
  if (!goes_on) ASC_abortAssociation(association_);
  return goes_on;
}

bool StoreExchange::store(T_ASC_PresentationContextID context, const T_DIMSE_C_StoreRQ& request) {
  T_ASC_PresentationContext agreed;
  if (ASC_findAcceptedPresentationContext(association_->params, context, &agreed).bad()) {
    return false;
  }
  ReceivedObject object;
  object.sop_class = request.AffectedSOPClassUID;
  object.sop_uid = request.AffectedSOPInstanceUID;
  object.transfer_syntax = agreed.acceptedTransferSyntax;
  std::size_t size = 0;
  if (!receive_dataset(context, object.dataset, size)) return false;
  StoreStatus status;
  if (size > options_.max_object) {
    status = {kStoreNotUnderstood,
              "objects have at most " + std::to_string(options_.max_object) + " bytes"};
  } else if (object.sop_class != agreed.abstractSyntax) {
    status = {kStoreMismatch, "the object is of another class than agreed on"};
  } else {
    status = take_object(spool_, std::move(object));
  }
  T_DIMSE_C_StoreRSP response{};
  response.DimseStatus = status.code;
  response.MessageIDBeingRespondedTo = request.MessageID;
  response.DataSetType = DIMSE_DATASET_NULL;
  OFStandard::strlcpy(response.AffectedSOPClassUID, request.AffectedSOPClassUID,
                      sizeof response.AffectedSOPClassUID);
  OFStandard::strlcpy(response.AffectedSOPInstanceUID, request.AffectedSOPInstanceUID,
                      sizeof response.AffectedSOPInstanceUID);
  response.opts = O_STORE_AFFECTEDSOPCLASSUID | O_STORE_AFFECTEDSOPINSTANCEUID;
  if (status.code == kStoreSuccess && !status.comment.empty()) tell_(status.comment);
  DcmDataset detail;
  if (status.code != kStoreSuccess) {
    constexpr std::size_t kLongestComment = 64;
    detail.putAndInsertString(DCM_ErrorComment,
                              printable(status.comment).substr(0, kLongestComment).c_str());
    tell_("an object was not taken: " + status.comment);
  }
  return DIMSE_sendStoreResponse(association_, context, &request, &response,
                                 status.code == kStoreSuccess ? nullptr : &detail)
      .good();
}

bool StoreExchange::receive_dataset(T_ASC_PresentationContextID context, std::string& dataset,
                                    std::size_t& size) {
  const auto end = std::chrono::steady_clock::now() + kLongestObject;
  DUL_PDV part;
  do {
    if (DUL_NextPDV(&association_->DULassociation, &part).bad()) {
      if (!ASC_dataWaiting(association_, kCommandSeconds)) return false;
      const OFCondition read =
          DUL_ReadPDVs(&association_->DULassociation, nullptr, DUL_NOBLOCK, kCommandSeconds);
      if (read != DUL_PDATAPDUARRIVED || DUL_NextPDV(&association_->DULassociation, &part).bad()) {
        return false;
      }
    }
    if (part.pdvType != DUL_DATASETPDV || part.presentationContextID != context ||
        std::chrono::steady_clock::now() > end) {
      return false;
    }
    size += part.fragmentLength;
    if (size > 2 * options_.max_object) return false;  // cuts it off
    if (size > options_.max_object) {
      dataset = {};
    } else {
      dataset.append(static_cast<const char*>(part.data), part.fragmentLength);
    }
  } while (!part.lastPDV);
  return true;
}

}  // namespace cubcal
