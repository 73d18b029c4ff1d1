// Sends requests without libcurl: sockets, mbedTLS and the parser of Boost.Beast, for programs that
// are linked statically.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "live/aws/environment.hpp"
#include "live/aws/transport.hpp"
#include "live/https/connection.hpp"

namespace reeve::live {

/// Keeps connections between requests, for twenty seconds.  Certificates are always verified.  It
/// knows no proxies.  For one thread.
class SocketTransport final : public Transport {
 public:
  /// `environment`: has the certificates, see `ca_file_of`.
  explicit SocketTransport(const Environment& environment);

  std::variant<Response, TransportFailure> send(const Request& request) override;
  void cancel_when(std::function<bool()> is_cancelled) override {
    is_cancelled_ = std::move(is_cancelled);
  }

 private:
  struct Kept {
    std::unique_ptr<Connection> connection;
    std::chrono::system_clock::time_point since;  ///< which goes on while the machine sleeps
  };

  const TlsClient* tls();
  std::unique_ptr<Connection> connected(const Request& request, const std::string& place,
                                        Connection::Time deadline);
  Response exchange(const Request& request, const std::string& place,
                    std::unique_ptr<Connection> connection, Connection::Time deadline);

  std::string ca_file_;
  std::optional<TlsClient> tls_;      ///< made by the first request that needs it
  std::map<std::string, Kept> kept_;  ///< by scheme, host and port
  std::function<bool()> is_cancelled_;
};

}  // namespace reeve::live
