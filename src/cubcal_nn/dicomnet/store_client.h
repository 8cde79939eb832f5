#pragma once

#include <memory>
#include <string>

#include "cubcal/node/report_target.h"
#include "cubcal_nn/dicomnet/ae_address.h"

namespace cubcal {

struct StoreClientOptions {
  std::string ae_title = "CUBCAL";
  AeAddress to;
  int timeout = 30;  ///< seconds that the other side may take for anything
};

/// Sends reports by C-STORE, several over one association where they come together.
class StoreClient : public ReportTarget {
 public:
  /// To be called before other threads are started. Throws ArgumentError.
  explicit StoreClient(StoreClientOptions options);
  ~StoreClient() override;

  DeliveryResult deliver(const std::string& report_uid, const std::string& report) override;
  void rest() override;
  std::string name() const override { return ae_address_text(options_.to); }

 private:
  class Association;
  const StoreClientOptions options_;
  std::unique_ptr<Association> association_;
};

}  // namespace cubcal
