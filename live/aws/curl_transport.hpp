// Sends requests with libcurl.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "live/aws/environment.hpp"
#include "live/aws/transport.hpp"

namespace reeve::live {

/// Keeps connections between requests.  Certificates are always verified.  Proxies are those of the
/// variables that curl reads (HTTPS_PROXY, NO_PROXY).  For one thread.
///
/// On a kept connection that the server has closed, libcurl sends a request again by itself.
class CurlTransport : public Transport {
 public:
  /// Fails if libcurl cannot be loaded.
  static Result<std::unique_ptr<CurlTransport>> create(const Environment& environment);
  ~CurlTransport() override;
  CurlTransport(const CurlTransport&) = delete;
  CurlTransport& operator=(const CurlTransport&) = delete;

  std::variant<Response, TransportFailure> send(const Request& request) override;
  void cancel_when(std::function<bool()> is_cancelled) override {
    is_cancelled_ = std::move(is_cancelled);
  }

 private:
  class Handle;
  CurlTransport(std::unique_ptr<Handle> handle, const Environment& environment);

  TransportFailure failure_of_transfer(int code, const Request& request) const;

  std::unique_ptr<Handle> handle_;
  std::string ca_file_;
  std::string https_proxy_;  ///< the variable that names the proxy; empty: none
  std::string http_proxy_;
  std::string no_proxy_;  ///< the hosts that need none
  std::function<bool()> is_cancelled_;
};

}  // namespace reeve::live
