#include "serve/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "cubcal/core/words.h"

namespace cubcal::test {

HttpClient::HttpClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  ::sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<::sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect to the server");
  }
  const ::timeval patience{60, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

HttpClient::~HttpClient() { ::close(socket_); }

bool HttpClient::send(const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ::ssize_t count = ::send(socket_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

HttpResponse HttpClient::receive() {
  HttpResponse response;
  response.status = 0;
  std::size_t head_end = 0;
  std::size_t wanted = std::string::npos;
  while (true) {
    if (wanted == std::string::npos && (head_end = read_.find("\r\n\r\n")) != std::string::npos) {
      const std::string head = read_.substr(0, head_end);
      response.status = std::stoi(head.substr(head.find(' ') + 1));
      std::size_t at = head.find("\r\n");
      std::size_t length = 0;
      while (at != std::string::npos) {
        const std::size_t end = head.find("\r\n", at + 2);
        const std::string line = head.substr(at + 2, end - at - 2);
        const std::size_t colon = line.find(':');
        const std::string name = lower_case(line.substr(0, colon));
        const std::string value(trimmed(line.substr(colon + 1)));
        response.headers.emplace_back(name, value);
        if (name == "content-length") length = std::stoul(value);
        at = end;
      }
      wanted = head_end + 4 + length;
    }
    if (read_.size() >= wanted) break;
    std::array<char, 65536> block{};
    const ::ssize_t count = ::recv(socket_, block.data(), block.size(), 0);
    if (count <= 0) return {0, "", "", {}};
    read_.append(block.data(), static_cast<std::size_t>(count));
  }
  response.body = read_.substr(head_end + 4, wanted - head_end - 4);
  read_.erase(0, wanted);
  return response;
}

HttpResponse HttpClient::ask(const std::string& method, const std::string& target,
                             const std::string& body, const std::string& headers) {
  const std::string length =
      method == "POST" ? "Content-Length: " + std::to_string(body.size()) + "\r\n" : "";
  send(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + length + headers + "\r\n" +
       body);
  return receive();
}

}  // namespace cubcal::test
