#include "live/https/connection.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace reeve::live {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* addresses) const { freeaddrinfo(addresses); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

/// An IPv6 address stands in brackets.
std::string bare_host(const std::string& host) {
  return host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
}

Addresses resolved(const Request& request) {
  const std::string host = bare_host(request.host);
  const std::string port = std::to_string(request.port != 0 ? request.port
                                          : request.tls     ? 443
                                                            : 80);
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0) {
    throw ConnectionFailure{TransportFault::not_sent,
                            std::string{"cannot resolve host: "} + gai_strerror(error)};
  }
  return Addresses{found};
}

std::string tls_reason() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  const char* reason = error == 0 ? nullptr : ERR_reason_error_string(error);
  return std::string{"TLS: "} + (reason == nullptr ? "the connection ended" : reason);
}

}  // namespace

Connection::Connection(const Request& request, SSL_CTX* context, Time deadline,
                       const Cancelled& cancelled) {
  try {
    open(request, deadline, cancelled);
    if (context != nullptr) start_tls(request, context, deadline, cancelled);
  } catch (ConnectionFailure& failure) {
    ssl_.reset();
    if (socket_ >= 0) close(socket_);
    const bool keeps_kind =
        failure.fault == TransportFault::untrusted || failure.fault == TransportFault::cancelled;
    throw ConnectionFailure{keeps_kind ? failure.fault : TransportFault::not_sent,
                            std::move(failure.message)};
  }
}

Connection::~Connection() {
  ssl_.reset();
  close(socket_);
}

void Connection::open(const Request& request, Time deadline, const Cancelled& cancelled) {
  const Addresses addresses = resolved(request);
  std::string why = "no address";
  for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
    if (socket_ >= 0) close(socket_);
    constexpr int kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
    socket_ = ::socket(address->ai_family, kind, 0);
    if (socket_ < 0) continue;
    int error = connect(socket_, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      wait_for(POLLOUT, deadline, cancelled);
      socklen_t size = sizeof error;
      getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error == 0) {
      constexpr int on = 1;
      setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      return;
    }
    why = std::strerror(error);
  }
  throw ConnectionFailure{TransportFault::not_sent, "cannot connect: " + why};
}

/// The certificate must be valid, and of the host.
void Connection::start_tls(const Request& request, SSL_CTX* context, Time deadline,
                           const Cancelled& cancelled) {
  const std::string host = bare_host(request.host);
  ssl_.reset(SSL_new(context));
  if (!ssl_ || SSL_set_fd(ssl_.get(), socket_) != 1) {
    throw ConnectionFailure{TransportFault::not_sent, tls_reason()};
  }
  SSL_set_hostflags(ssl_.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const bool is_address =
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), host.c_str()) == 1;
  std::string name = host;  // OpenSSL takes the name of the host without const
  const bool is_named = is_address || (SSL_set1_host(ssl_.get(), host.c_str()) == 1 &&
                                       SSL_ctrl(ssl_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME,
                                                TLSEXT_NAMETYPE_host_name, name.data()) == 1);
  if (!is_named) throw ConnectionFailure{TransportFault::not_sent, tls_reason()};
  for (;;) {
    const int result = SSL_connect(ssl_.get());
    if (result == 1) return;
    if (waits_for_tls(result, deadline, cancelled)) continue;
    const long verified = SSL_get_verify_result(ssl_.get());
    if (verified == X509_V_OK) throw ConnectionFailure{TransportFault::not_sent, tls_reason()};
    ERR_clear_error();
    throw ConnectionFailure{TransportFault::untrusted,
                            std::string{"certificate: "} + X509_verify_cert_error_string(verified)};
  }
}

void Connection::wait_for(short events, Time deadline, const Cancelled& cancelled) const {
  using std::chrono::milliseconds;
  constexpr milliseconds look_each{1'000};
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left <= milliseconds{0}) {
      throw ConnectionFailure{TransportFault::timed_out, "Timeout was reached"};
    }
    pollfd polled{socket_, events, 0};
    const int ready = poll(&polled, 1, static_cast<int>(std::min(left, look_each).count()));
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) {
      throw ConnectionFailure{TransportFault::lost, std::strerror(errno)};
    }
    if (cancelled && cancelled()) throw ConnectionFailure{TransportFault::cancelled, "cancelled"};
  }
}

/// False: what TLS answered is no wish to wait.
bool Connection::waits_for_tls(int result, Time deadline, const Cancelled& cancelled) const {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      wait_for(POLLIN, deadline, cancelled);
      return true;
    case SSL_ERROR_WANT_WRITE:
      wait_for(POLLOUT, deadline, cancelled);
      return true;
    default:
      return false;
  }
}

void Connection::write(std::string_view text, Time deadline, const Cancelled& cancelled) {
  while (!text.empty()) {
    std::size_t written = 0;
    if (ssl_) {
      const int result = SSL_write_ex(ssl_.get(), text.data(), text.size(), &written);
      if (result != 1) {
        if (waits_for_tls(result, deadline, cancelled)) continue;
        throw ConnectionFailure{TransportFault::lost, tls_reason()};
      }
    } else {
      const ssize_t result = send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (result < 0 && errno == EAGAIN) {
        wait_for(POLLOUT, deadline, cancelled);
        continue;
      }
      if (result < 0) throw ConnectionFailure{TransportFault::lost, std::strerror(errno)};
      written = static_cast<std::size_t>(result);
    }
    text.remove_prefix(written);
  }
}

std::size_t Connection::read(std::span<char> into, Time deadline, const Cancelled& cancelled) {
  for (;;) {
    if (ssl_) {
      std::size_t count = 0;
      const int result = SSL_read_ex(ssl_.get(), into.data(), into.size(), &count);
      if (result == 1) return count;
      if (SSL_get_error(ssl_.get(), result) == SSL_ERROR_ZERO_RETURN) return 0;
      if (waits_for_tls(result, deadline, cancelled)) continue;
      throw ConnectionFailure{TransportFault::lost, tls_reason()};
    }
    const ssize_t result = recv(socket_, into.data(), into.size(), 0);
    if (result >= 0) return static_cast<std::size_t>(result);
    if (errno != EAGAIN) throw ConnectionFailure{TransportFault::lost, std::strerror(errno)};
    wait_for(POLLIN, deadline, cancelled);
  }
}

bool Connection::is_idle() const {
  char byte = 0;
  const ssize_t result = recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return result < 0 && errno == EAGAIN && (!ssl_ || SSL_pending(ssl_.get()) == 0);
}

}  // namespace reeve::live
