// A connection of TCP, or of TLS over it, with a deadline for each step.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "live/aws/request.hpp"
#include "live/https/tls_client.hpp"

namespace reeve::live {

class Connection {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Asked once a second at least while a step is under way: true ends it.
  using Cancelled = std::function<bool()>;

  /// To the host and port of the request.  `client`: of TLS; null: without it.  Resolving the
  /// name has the time limit of the system.  Throws ConnectionFailure, always `not_sent`.
  Connection(const Request& request, const TlsClient* client, Time deadline,
             const Cancelled& cancelled);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Throws ConnectionFailure: `timed_out` or `lost`.
  void write(std::string_view text, Time deadline, const Cancelled& cancelled);
  /// Waits for some bytes.  0: the other side has closed the connection.  Throws as `write` does.
  std::size_t read(std::span<char> into, Time deadline, const Cancelled& cancelled);
  /// Whether a request can be sent on it: the other side has neither closed it nor said more.
  bool is_idle() const;

 private:
  void open(const Request& request, Time deadline, const Cancelled& cancelled);
  void start_tls(const Request& request, const TlsClient& client, Time deadline,
                 const Cancelled& cancelled);
  void wait_for(short events, Time deadline, const Cancelled& cancelled) const;
  bool waits_for_tls(int result, Time deadline, const Cancelled& cancelled) const;

  int socket_ = -1;
  std::optional<TlsSession> tls_;  ///< none: without TLS
};

}  // namespace reeve::live
