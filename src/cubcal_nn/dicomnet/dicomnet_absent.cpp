#include "cubcal/core/error.h"
#include "cubcal_nn/dicomnet/store_client.h"
#include "cubcal_nn/dicomnet/store_server.h"
#include "cubcal_nn/dicomnet/structured_report.h"

// Takes the place of everything that needs DCMTK where it was not found.

namespace cubcal {

namespace {

ArgumentError without_dcmtk() {
  return ArgumentError("cubcal was built without DCMTK and cannot be a DICOM node");
}

}  // namespace

class StoreServer::Room {};
class StoreClient::Association {};

bool has_dicom_network() { return false; }

StoreServer::StoreServer(const StoreServerOptions&, ImageSpool&, Tell) { throw without_dcmtk(); }
StoreServer::~StoreServer() = default;
std::uint16_t StoreServer::port() const { return 0; }

StoreClient::StoreClient(StoreClientOptions options) : options_(std::move(options)) {
  throw without_dcmtk();
}
StoreClient::~StoreClient() = default;
DeliveryResult StoreClient::deliver(const std::string&, const std::string&) { return {}; }
void StoreClient::rest() {}

std::string make_structured_report(const ReportContent&, const Tell&) { throw without_dcmtk(); }

}  // namespace cubcal
