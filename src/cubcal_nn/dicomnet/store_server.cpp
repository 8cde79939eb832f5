#include "cubcal_nn/dicomnet/store_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <list>
#include <mutex>
#include <thread>

#include "cubcal/core/error.h"
#include "cubcal/dicom/dicom_jpeg.h"
#include "cubcal_nn/dicomnet/ae_address.h"
#include "cubcal_nn/dicomnet/association_request.h"
#include "cubcal_nn/dicomnet/store_exchange.h"
#include "cubcal_nn/serve/listening_socket.h"

namespace cubcal {

namespace {

constexpr std::chrono::seconds kHandshake{10};
constexpr int kFarewellSeconds = 2;  ///< for a client that was cut off to close its end

}  // namespace

bool has_dicom_network() { return true; }

/// DCMTK listens at all addresses of the machine or at none: so the socket is opened and
/// connections are accepted here, and each is handed to it as inetd would, through its global
/// variable.
class StoreServer::Room {
 public:
  Room(const StoreServerOptions& options, ImageSpool& spool, Tell tell)
      : options_(options),
        spool_(spool),
        tell_(std::move(tell)),
        socket_(options.address, options.port) {
    check_ae_title(options_.ae_title);
    for (const std::string& title : options_.allowed) check_ae_title(title);
    take_over_dcmtk_log();
    dcmDisableGethostbyaddr.set(OFTrue);
    dcmExternalSocketHandle.set(socket_.descriptor());  // so that none is opened
    const OFCondition outcome =
        ASC_initializeNetwork(NET_ACCEPTOR, socket_.port(), kFarewellSeconds, &net_);
    dcmExternalSocketHandle.set(-1);
    if (outcome.bad()) {
      throw IoError(std::string("the DICOM network could not be started: ") + outcome.text());
    }
    acceptor_ = std::thread([this] { accept_connections(); });
  }

  ~Room() {
    stopping_ = true;
    acceptor_.join();
    for (Connection& each : connections_) each.thread.join();
    ASC_dropNetwork(&net_);
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  std::uint16_t port() const { return socket_.port(); }

 private:
  struct Connection {
    std::thread thread;
    std::atomic<bool> has_ended{false};
  };

  void accept_connections() {
    constexpr int kLookMs = 200;
    bool was_full = false;
    while (!stopping_) {
      connections_.remove_if([](Connection& each) {
        if (!each.has_ended) return false;
        each.thread.join();
        return true;
      });
      ::pollfd waiting = {socket_.descriptor(), POLLIN, 0};
      const bool is_full = connections_.size() >= options_.associations;
      if (is_full && !was_full) tell_("as many associations as allowed are open: others wait");
      was_full = is_full;
      if (is_full) {
        std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs / 10));
        continue;
      }
      if (::poll(&waiting, 1, kLookMs) != 1) continue;
      const int socket = ::accept4(socket_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) continue;
      Connection& connection = connections_.emplace_back();
      connection.thread = std::thread([this, socket, &connection] {
        serve(socket);
        connection.has_ended = true;
      });
    }
  }

  void serve(int socket) {
    if (!wait_for_association_request(socket, kHandshake, stopping_)) {
      ::close(socket);
      return;
    }
    T_ASC_Association* association = receive(socket);
    if (association == nullptr) return;
    StoreExchange(association, options_, spool_, tell_, stopping_).run();
    ASC_dropSCPAssociation(association, kFarewellSeconds);
    ASC_destroyAssociation(&association);
  }

  /// Nothing is waited for: the request is there. DCMTK closes the socket, whatever comes of it.
  T_ASC_Association* receive(int socket) {
    const std::lock_guard<std::mutex> lock(handing_over_);
    T_ASC_Association* association = nullptr;
    dcmExternalSocketHandle.set(socket);
    const OFCondition outcome =
        ASC_receiveAssociation(net_, &association, ASC_DEFAULTMAXPDU, nullptr, nullptr, OFFalse,
                               DUL_NOBLOCK, static_cast<int>(kHandshake.count()));
    dcmExternalSocketHandle.set(-1);
    if (outcome.good()) return association;
    if (association != nullptr) {
      ASC_dropAssociation(association);
      ASC_destroyAssociation(&association);
    }
    return nullptr;
  }

  const StoreServerOptions options_;
  ImageSpool& spool_;
  const Tell tell_;
  ListeningSocket socket_;
  T_ASC_Network* net_ = nullptr;
  std::atomic<bool> stopping_{false};
  std::mutex handing_over_;
  std::list<Connection> connections_;
  std::thread acceptor_;
};

StoreServer::StoreServer(const StoreServerOptions& options, ImageSpool& spool, Tell tell)
    : room_(std::make_unique<Room>(options, spool, std::move(tell))) {}
StoreServer::~StoreServer() = default;
std::uint16_t StoreServer::port() const { return room_->port(); }

}  // namespace cubcal
