#include "live/https/connection.hpp"

#include <arpa/inet.h>
#include <mbedtls/error.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "live/https/connection_failure.hpp"

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

/// Of IPv4 or IPv6.
bool is_address(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

std::string tls_reason(int result) {
  if (result == 0 || result == MBEDTLS_ERR_SSL_CONN_EOF) return "TLS: the connection ended";
  std::array<char, 200> reason{};
  mbedtls_strerror(result, reason.data(), reason.size());
  return std::string{"TLS: "} + reason.data();
}

/// `flags`: what the library found wrong with a certificate.
std::string certificate_reason(std::uint32_t flags) {
  std::array<char, 500> lines{};
  mbedtls_x509_crt_verify_info(lines.data(), lines.size(), "", flags);
  const std::string_view all{lines.data()};
  return "certificate: " + std::string{all.substr(0, all.find('\n'))};
}

/// How TLS sends and receives: on the socket that `socket` points at.
int send_bytes(void* socket, const unsigned char* bytes, std::size_t count) {
  const ssize_t sent = send(*static_cast<const int*>(socket), bytes, count, MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<int>(sent);
  return errno == EAGAIN ? MBEDTLS_ERR_SSL_WANT_WRITE : MBEDTLS_ERR_SSL_CONN_EOF;
}
int receive_bytes(void* socket, unsigned char* bytes, std::size_t count) {
  const ssize_t received = recv(*static_cast<const int*>(socket), bytes, count, 0);
  if (received >= 0) return static_cast<int>(received);
  return errno == EAGAIN ? MBEDTLS_ERR_SSL_WANT_READ : MBEDTLS_ERR_SSL_CONN_EOF;
}

}  // namespace

Connection::Connection(const Request& request, const TlsClient* client, Time deadline,
                       const Cancelled& cancelled) {
  try {
    open(request, deadline, cancelled);
    if (client != nullptr) start_tls(request, *client, deadline, cancelled);
  } catch (ConnectionFailure& failure) {
    tls_.reset();
    if (socket_ >= 0) close(socket_);
    const bool keeps_kind =
        failure.fault == TransportFault::untrusted || failure.fault == TransportFault::cancelled;
    throw ConnectionFailure{keeps_kind ? failure.fault : TransportFault::not_sent,
                            std::move(failure.message)};
  }
}

Connection::~Connection() {
  tls_.reset();
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

/// The certificate must be valid, and issued for the host.
void Connection::start_tls(const Request& request, const TlsClient& client, Time deadline,
                           const Cancelled& cancelled) {
  const std::string host = bare_host(request.host);
  if (is_address(host)) {
    throw ConnectionFailure{TransportFault::untrusted,
                            "certificate: only a host with a name is verified, not an address"};
  }
  tls_.emplace();
  int result = mbedtls_ssl_setup(tls_->get(), client.config());
  if (result == 0) result = mbedtls_ssl_set_hostname(tls_->get(), host.c_str());
  if (result != 0) throw ConnectionFailure{TransportFault::not_sent, tls_reason(result)};
  mbedtls_ssl_set_bio(tls_->get(), &socket_, send_bytes, receive_bytes, nullptr);
  for (;;) {
    result = mbedtls_ssl_handshake(tls_->get());
    if (result == 0) return;
    if (waits_for_tls(result, deadline, cancelled)) continue;
    // All bits are set before a certificate is looked at.
    const std::uint32_t flags = mbedtls_ssl_get_verify_result(tls_->get());
    if (flags != 0 && flags != ~std::uint32_t{0}) {
      throw ConnectionFailure{TransportFault::untrusted, certificate_reason(flags)};
    }
    throw ConnectionFailure{TransportFault::not_sent, tls_reason(result)};
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

/// False: TLS answered something else than that it waits for the socket.
bool Connection::waits_for_tls(int result, Time deadline, const Cancelled& cancelled) const {
  switch (result) {
    case MBEDTLS_ERR_SSL_WANT_READ:
      wait_for(POLLIN, deadline, cancelled);
      return true;
    case MBEDTLS_ERR_SSL_WANT_WRITE:
      wait_for(POLLOUT, deadline, cancelled);
      return true;
    default:
      return false;
  }
}

void Connection::write(std::string_view text, Time deadline, const Cancelled& cancelled) {
  while (!text.empty()) {
    std::size_t written = 0;
    if (tls_) {
      const int result = mbedtls_ssl_write(
          tls_->get(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
      if (result < 0) {
        if (waits_for_tls(result, deadline, cancelled)) continue;
        throw ConnectionFailure{TransportFault::lost, tls_reason(result)};
      }
      written = static_cast<std::size_t>(result);
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
    if (tls_) {
      const int result =
          mbedtls_ssl_read(tls_->get(), reinterpret_cast<unsigned char*>(into.data()), into.size());
      if (result > 0) return static_cast<std::size_t>(result);
      if (result == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY) return 0;
      if (waits_for_tls(result, deadline, cancelled)) continue;
      throw ConnectionFailure{TransportFault::lost, tls_reason(result)};
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
  return result < 0 && errno == EAGAIN && (!tls_ || mbedtls_ssl_check_pending(tls_->get()) == 0);
}

}  // namespace reeve::live
