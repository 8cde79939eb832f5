#include "cubcal_nn/dicomnet/store_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>
#include <thread>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "dicomnet/image_sender.h"
#include "node/dicom_images.h"

namespace cubcal {
namespace {

using test::dicom_image;
using test::ImageSender;
using test::ScratchFolder;

class StoreServing : public testing::Test {
 protected:
  void serve(StoreServerOptions options = {}) {
    options.port = 0;
    server_ = std::make_unique<StoreServer>(options, spool_, [&](const std::string& sentence) {
      const std::lock_guard<std::mutex> lock(mutex_);
      told_ += sentence + "\n";
    });
  }

  int connected() const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    ::sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(server_->port());
    EXPECT_EQ(::connect(socket, reinterpret_cast<::sockaddr*>(&address), sizeof address), 0);
    return socket;
  }

  ScratchFolder scratch_;
  ImageSpool spool_{scratch_.file("spool"), "model", {5, 10 << 20}};
  std::mutex mutex_;
  std::string told_;
  std::unique_ptr<StoreServer> server_;
};

TEST_F(StoreServing, EchoesAndStores) {
  serve();
  ImageSender sender(server_->port());
  EXPECT_TRUE(sender.echo()) << sender.problem();
  EXPECT_EQ(sender.send(dicom_image("1.2.3", 77).file()), 0) << sender.problem();
  EXPECT_EQ(sender.send(dicom_image("1.2.3", 77).file()), 0);
  EXPECT_EQ(sender.send(dicom_image("1.2.4", 77).file()), 0);
  EXPECT_EQ(spool_.images(), 2U);
  EXPECT_EQ(decode_image(spool_.read_image("1.2.4"), "x", {}).pixels.front(), 77);
}

TEST_F(StoreServing, AnswersWhoMayAsk) {
  StoreServerOptions options;
  options.allowed = {"CT1", "MR1"};
  serve(options);
  EXPECT_TRUE(ImageSender(server_->port(), "MR1").echo());
  EXPECT_FALSE(ImageSender(server_->port(), "OTHER").echo());
  EXPECT_FALSE(ImageSender(server_->port(), "MR1", "NOT-ME").echo());
  server_.reset();
  EXPECT_NE(told_.find("'OTHER' was turned away"), std::string::npos) << told_;
  EXPECT_NE(told_.find("called 'NOT-ME'"), std::string::npos) << told_;
}

TEST_F(StoreServing, RefusesWithAStatus) {
  StoreServerOptions options;
  options.max_object = 5000;
  serve(options);
  ImageSender sender(server_->port());
  auto large = dicom_image("1.2.1", 1);
  large.bytes(0x7fe00010, "OB", std::string(6000, 'x'));
  EXPECT_EQ(sender.send(large.file()), 0xc000);
  auto without_study = dicom_image("1.2.2", 1);
  without_study.without(0x0020000d);
  EXPECT_EQ(sender.send(without_study.file()), 0xc000);
  auto other_class = dicom_image("1.2.3", 1);  // its context is another one's
  other_class.text(0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.2");
  EXPECT_EQ(sender.send(other_class.file()), 0xa900);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(sender.send(dicom_image("1.5." + std::to_string(i), 1).file()), 0);
  }
  EXPECT_EQ(sender.send(dicom_image("1.5.9", 1).file()), 0xa700);  // the queue is full
  auto huge = dicom_image("1.2.4", 1);
  huge.bytes(0x7fe00010, "OB", std::string(500000, 'x'));
  EXPECT_EQ(sender.send(huge.file()), -1);  // cut off
  EXPECT_EQ(spool_.images(), 5U);
}

TEST_F(StoreServing, TakesNoReports) {
  serve();
  ImageSender sender(server_->port());
  EXPECT_EQ(sender.send(dicom_image("1.2.1", 1).file(), "1.2.840.10008.5.1.4.1.1.88.33"), -1);
  EXPECT_EQ(sender.problem(), "no context");
}

TEST_F(StoreServing, ManyClientsAtOnce) {
  StoreServerOptions options;
  options.associations = 2;
  serve(options);
  std::atomic<int> stored{0};
  std::vector<std::thread> clients;
  for (int c = 0; c < 6; ++c) {
    clients.emplace_back([&, c] {
      ImageSender sender(server_->port());
      if (sender.send(dicom_image("1.2." + std::to_string(c % 5), 1).file()) == 0) ++stored;
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(stored, 6);
  EXPECT_EQ(spool_.images(), 5U);
}

TEST_F(StoreServing, NoClientHoldsTheOthersUp) {
  serve();
  std::vector<int> sockets;
  const std::string begin("\x01\x00\x00\x00\x01\x00\x00\x01", 8);  // a request, never finished
  for (int i = 0; i < 4; ++i) {
    sockets.push_back(connected());
    ::send(sockets.back(), begin.data(), begin.size(), MSG_NOSIGNAL);
  }
  for (const std::string& garbage :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string("\x01\x00\xff\xff\xff\xff", 6),
        std::string("\x01\x00\x00\x00\x00\x08", 6) + "rubbish!", std::string(300000, '\x04')}) {
    sockets.push_back(connected());
    ::send(sockets.back(), garbage.data(), garbage.size(), MSG_NOSIGNAL);
  }
  ImageSender sender(server_->port());
  EXPECT_EQ(sender.send(dicom_image("1.2.1", 1).file()), 0) << sender.problem();
  server_.reset();  // and none of them keeps it from ending
  for (const int socket : sockets) ::close(socket);
}

TEST_F(StoreServing, RefusesBadOptions) {
  StoreServerOptions options;
  options.ae_title = "A TITLE THAT IS TOO LONG";
  EXPECT_THROW(serve(options), ArgumentError);
  options = {};
  options.address = "pacs.example";
  EXPECT_THROW(serve(options), ArgumentError);
}

}  // namespace
}  // namespace cubcal
