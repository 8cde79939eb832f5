#pragma once

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmnet/assoc.h>
#include <dcmtk/dcmnet/dimse.h>

#include <atomic>

#include "cubcal/node/object_intake.h"
#include "cubcal_nn/dicomnet/store_server.h"

namespace cubcal {

/// What is said over one association once it is received, to its end.
class StoreExchange {
 public:
  StoreExchange(T_ASC_Association* association, const StoreServerOptions& options,
                ImageSpool& spool, const Tell& tell, const std::atomic<bool>& stopping)
      : association_(association),
        options_(options),
        spool_(spool),
        tell_(tell),
        stopping_(stopping) {}

  void run();

 private:
  /// Whether the association was accepted.
  bool negotiate();
  void reject(T_ASC_RejectParametersReason reason, const std::string& sentence);
  /// Whether there may be another command.
  bool take_command();
  bool store(T_ASC_PresentationContextID context, const T_DIMSE_C_StoreRQ& request);
  /// False where the association is of no use any more. A data set that is larger than allowed is
  /// dropped, and `size` alone tells of it.
  bool receive_dataset(T_ASC_PresentationContextID context, std::string& dataset,
                       std::size_t& size);

  T_ASC_Association* const association_;
  const StoreServerOptions& options_;
  ImageSpool& spool_;
  const Tell& tell_;
  const std::atomic<bool>& stopping_;
};

}  // namespace cubcal
