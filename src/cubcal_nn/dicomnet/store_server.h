#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cubcal/node/answer_worker.h"
#include "cubcal/spool/image_spool.h"

namespace cubcal {

/// Whether this build has DCMTK's network and report libraries; without them StoreServer, the
/// StoreClient and make_structured_report throw ArgumentError.
bool has_dicom_network();

struct StoreServerOptions {
  std::string ae_title = "CUBCAL";  ///< what clients must call
  std::string address = "127.0.0.1";
  std::uint16_t port = 11112;                      ///< 0: any that is free
  std::vector<std::string> allowed = {};           ///< titles of clients; empty: any
  std::size_t associations = 8;                    ///< at a time
  std::size_t max_object = std::size_t{64} << 20;  ///< bytes
  std::chrono::seconds idle{60};                   ///< an association may say nothing
};

/// Takes images over the network into the spool: C-ECHO and C-STORE of image classes, in the
/// transfer syntaxes that are decoded here. The status is success only once an image is on the
/// disk.
class StoreServer {
 public:
  /// Listens when it returns. Throws ArgumentError or IoError.
  StoreServer(const StoreServerOptions& options, ImageSpool& spool, Tell tell);
  /// Takes no more associations, ends the objects under way, and cuts associations off then.
  ~StoreServer();
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;

  std::uint16_t port() const;

 private:
  class Room;
  std::unique_ptr<Room> room_;
};

}  // namespace cubcal
