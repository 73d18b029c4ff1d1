// Serves HTTP on loopback: the mock account, and the status page of a shadow run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "live/aws/failure.hpp"
#include "live/aws/request.hpp"

namespace reeve::live {

/// One thread per connection, 64 at most; HTTP by Boost.Beast.
class HttpServer {
 public:
  /// Nothing ends the connection without a reply.  Called from several threads.
  using Handler = std::function<std::optional<Response>(const Request&)>;

  /// Listens on 127.0.0.1.  Port 0: a free one.
  static Result<std::unique_ptr<HttpServer>> listen(std::uint16_t port, Handler handler);
  /// Ends all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  /// Accepts connections until `stopped`, which it asks ten times a second.
  void serve(const std::function<bool()>& stopped);

 private:
  class Connections;
  explicit HttpServer(std::unique_ptr<Connections> connections);
  std::unique_ptr<Connections> connections_;
};

}  // namespace reeve::live
