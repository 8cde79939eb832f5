// The server with a model that only looks at brightness: what comes over the wire, hostile too.

#include "cubcal_nn/serve/http_server.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "cubcal/image/png_encoder.h"
#include "expect_error.h"
#include "serve/http_client.h"
#include "service/fake_model.h"

namespace cubcal::test {
namespace {

using namespace std::chrono_literals;

class HttpServerTest : public testing::Test {
 protected:
  void SetUp() override {
    service_.add_model("fake", [this] { return model_; });
    HttpServerOptions options;
    options.port = 0;
    options.max_body = 10000;
    options.max_memory = 15000;
    options.idle = 2s;
    server_ = std::make_unique<HttpServer>(options, service_);
  }

  std::string image_ = encode_png({2, 2, 1, {9, 9, 9, 9}, {}});
  std::shared_ptr<FakeModel> model_ = std::make_shared<FakeModel>();
  Service service_{ServiceOptions{}};
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, OneConnectionAsksAgain) {
  HttpClient client(server_->port());
  EXPECT_EQ(client.ask("GET", "/healthz").status, 200);
  const HttpResponse answer = client.ask("POST", "/v1/predict?name=a%20b", image_);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_NE(answer.body.find("\"a b\""), std::string::npos);
  EXPECT_EQ(client.ask("GET", "/nothing").status, 404);
}

TEST_F(HttpServerTest, ChunksAreABody) {
  HttpClient client(server_->port());
  client.send("POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  char size[16];
  std::snprintf(size, sizeof size, "%zx\r\n", image_.size());
  client.send(size + image_ + "\r\n0\r\n\r\n");
  EXPECT_EQ(client.receive().status, 200);
}

TEST_F(HttpServerTest, TwoLengthsAreRefusedAndTheConnectionEnds) {
  HttpClient client(server_->port());
  client.send(
      "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
      "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.receive().status, 400);
  EXPECT_EQ(client.receive().status, 0);  // what was smuggled in is not answered
}

TEST_F(HttpServerTest, NamesThatOnlySomeReadersKnowAreRefusedAndTheConnectionEnds) {
  const std::string smuggled = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (const std::string& lines :
       {std::string("Content-Length: 5\r\nTransfer-Encoding : chunked\r\n"),
        std::string("Content-Length: 5\r\n\x0bTransfer-Encoding: chunked\r\n"),
        std::string("Content-Length: 5\r\nTransfer-Encoding\t: chunked\r\n"),
        std::string("Content-Length : 5\r\n"), std::string("Content-Length\0: 5\r\n", 20)}) {
    HttpClient client(server_->port());
    client.send("POST /v1/predict HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n0\r\n\r\n" +
                smuggled);
    EXPECT_EQ(client.receive().status, 400) << lines;
    EXPECT_EQ(client.receive().status, 0) << lines;
  }
}

TEST_F(HttpServerTest, LargeBodiesAreRefused) {
  HttpClient stated(server_->port());
  stated.send("POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10001\r\n\r\n");
  EXPECT_EQ(stated.receive().status, 413);
  HttpClient chunked(server_->port());
  chunked.send(
      "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2ee0\r\n" +
      std::string(12000, 'x') + "\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.receive().status, 413);
}

TEST_F(HttpServerTest, BodiesShareABoundedMemory) {
  HttpClient first(server_->port());
  first.send("POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\n" +
             std::string(8999, 'x'));
  // The answer of another body, as soon as it is the wanted one.
  const auto comes_to = [&](int wanted) {
    int status = 0;
    for (int tries = 0; status != wanted && tries < 500; ++tries) {
      std::this_thread::sleep_for(20ms);
      HttpClient other(server_->port());
      status = other.ask("POST", "/v1/predict", std::string(9000, 'x')).status;
    }
    return status == wanted;
  };
  EXPECT_TRUE(comes_to(503)) << "while the first takes the memory";
  first.send("x");
  EXPECT_EQ(first.receive().status, 422);
  EXPECT_TRUE(comes_to(422)) << "when it was given back, which is after the answer was sent";
}

TEST_F(HttpServerTest, SilentAndSenselessClientsAreCutOff) {
  HttpClient silent(server_->port());
  silent.send("POST /v1/predict HTTP/1.1\r\nHost: loc");
  const auto start = std::chrono::steady_clock::now();
  silent.receive();  // nothing, or 408 as newer versions of the library have it
  EXPECT_EQ(silent.receive().status, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
  HttpClient senseless(server_->port());
  senseless.send(std::string(100000, 'a'));
  const int status = senseless.receive().status;
  EXPECT_TRUE(status == 0 || status >= 400) << status;
  HttpClient other(server_->port());
  EXPECT_EQ(other.ask("GET", "/healthz").status, 200);
}

TEST_F(HttpServerTest, AStopWaitsForWhatHasBegun) {
  model_->hold();
  HttpClient client(server_->port());
  client.send("POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
              std::to_string(image_.size()) + "\r\n\r\n" + image_);
  model_->wait_for_calls(1);
  std::size_t left = 99;
  std::thread stopping([&] { left = server_->stop(30s); });
  const auto is_open = [&] {
    try {
      const HttpClient late(server_->port());
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  };
  bool open = true;
  for (int tries = 0; (open = is_open()) && tries < 500; ++tries) std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(open);
  model_->go_on();
  EXPECT_EQ(client.receive().status, 200);
  stopping.join();
  EXPECT_EQ(left, 0U);
}

// The model may take longer than a connection may be silent.
TEST_F(HttpServerTest, ASlowAnswerArrives) {
  model_->hold();
  HttpClient client(server_->port());
  client.send("POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
              std::to_string(image_.size()) + "\r\n\r\n" + image_);
  std::this_thread::sleep_for(2500ms);
  model_->go_on();
  EXPECT_EQ(client.receive().status, 200);
}

TEST_F(HttpServerTest, TlsIsThatOfToday) {
  const ScratchFolder folder;
  const std::string key = folder.file("key.pem");
  const std::string certificate = folder.file("cert.pem");
  const std::string make =
      "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -keyout " + key + " -out " +
      certificate + " > /dev/null 2>&1";
  if (std::system(make.c_str()) != 0) GTEST_SKIP() << "openssl makes no certificate here";
  HttpServerOptions options;
  options.port = 0;
  options.certificate = contents_of(certificate);
  options.key = contents_of(key);
  const HttpServer server(options, service_);
  const auto is_spoken = [&](const std::string& version) {
    const std::string ask = "openssl s_client -connect 127.0.0.1:" + std::to_string(server.port()) +
                            " -" + version + " -cipher ALL:@SECLEVEL=0 < /dev/null > " +
                            folder.file("told") + " 2>&1";
    return std::system(ask.c_str()) == 0;
  };
  EXPECT_TRUE(is_spoken("tls1_3"));
  EXPECT_TRUE(is_spoken("tls1_2"));
  EXPECT_FALSE(is_spoken("tls1_1"));
  EXPECT_FALSE(is_spoken("tls1"));
}

TEST_F(HttpServerTest, SaysWhyItCannotStart) {
  HttpServerOptions options;
  options.port = server_->port();
  EXPECT_THROW(HttpServer(options, service_), IoError);
  options.address = "no address";
  EXPECT_THROW(HttpServer(options, service_), ArgumentError);
  options.address = "127.0.0.1";
  options.port = 0;
  options.certificate = options.key = "no certificate";
  EXPECT_THROW(HttpServer(options, service_), IoError);
}

}  // namespace
}  // namespace cubcal::test
