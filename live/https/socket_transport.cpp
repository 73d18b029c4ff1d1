#include "live/https/socket_transport.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

#include "live/aws/ca_file.hpp"
#include "live/https/connection_failure.hpp"

namespace reeve::live {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::uint32_t most_header_bytes = std::uint32_t{64} << 10U;
constexpr std::chrono::seconds longest_idle{20};  // AWS closes idle connections
constexpr std::size_t part_bytes = std::size_t{16} << 10U;

std::string text_of(const Request& request) {
  std::string text = request.method + ' ' + target_of(request) + " HTTP/1.1\r\n";
  const auto add = [&](const std::string& name, const std::string& value) {
    text += name + ": " + value + "\r\n";
  };
  if (find_header(request.headers, "host") == nullptr) add("Host", host_header(request));
  for (const Field& header : request.headers) add(header.name, header.value);
  const bool has_body =
      !request.body.empty() || request.method == "POST" || request.method == "PUT";
  if (has_body && find_header(request.headers, "content-length") == nullptr) {
    add("Content-Length", std::to_string(request.body.size()));
  }
  return text + "\r\n" + request.body;
}

/// Takes the bytes of a response as they come.
class Arriving {
 public:
  explicit Arriving(const Request& request) : request_{request} { begin(); }

  /// True once the response is complete.  Throws ConnectionFailure.
  bool take(std::string_view bytes) {
    pending_ += bytes;
    while (!parser_->is_done() && !pending_.empty()) {
      error_code failed;
      const std::size_t used =
          parser_->put(boost::asio::const_buffer{pending_.data(), pending_.size()}, failed);
      pending_.erase(0, used);
      if (failed == http::error::need_more) break;
      check(failed);
      check_size();
      const bool is_interim = parser_->is_header_done() && parser_->get().result_int() < 200;
      if (is_interim) begin();
    }
    return parser_->is_done();
  }
  /// The other side has closed the connection.
  void end() {
    if (!parser_->got_some()) throw ConnectionFailure{TransportFault::lost, "no reply"};
    error_code failed;
    parser_->put_eof(failed);
    check(failed);
    if (!parser_->is_done()) throw ConnectionFailure{TransportFault::lost, "the reply ends early"};
  }
  /// Whether another request may follow on the connection.
  bool keeps_alive() const { return parser_->keep_alive() && pending_.empty(); }

  Response release() {
    http::response<http::string_body> received = parser_->release();
    Response response;
    response.status = static_cast<int>(received.result_int());
    for (const auto& header : received) {
      response.headers.push_back({std::string{header.name_string()}, std::string{header.value()}});
    }
    response.body = std::move(received.body());
    return response;
  }

 private:
  void begin() {
    parser_.emplace();
    parser_->header_limit(most_header_bytes);
    parser_->body_limit(request_.max_response_bytes);
    parser_->eager(true);
    parser_->skip(request_.method == "HEAD");
  }
  /// Before a large body is read to its end.
  void check_size() const {
    if (!parser_->is_header_done()) return;
    const std::uint64_t size = parser_->get().body().size();
    const std::uint64_t stated = parser_->content_length() ? *parser_->content_length() : 0;
    if (std::max(size, stated) <= request_.max_response_bytes || request_.method == "HEAD") return;
    throw ConnectionFailure{TransportFault::too_large, "the body"};
  }
  static void check(error_code failed) {
    if (!failed) return;
    const bool is_large = failed == http::error::body_limit || failed == http::error::header_limit;
    throw ConnectionFailure{is_large ? TransportFault::too_large : TransportFault::lost,
                            failed.message()};
  }

  const Request& request_;
  std::optional<http::response_parser<http::string_body>> parser_;
  std::string pending_;
};

}  // namespace

SocketTransport::SocketTransport(const Environment& environment)
    : ca_file_{ca_file_of(environment)} {}

const TlsClient* SocketTransport::tls() {
  if (!tls_) tls_.emplace(ca_file_);
  return &*tls_;
}

std::unique_ptr<Connection> SocketTransport::connected(const Request& request,
                                                       const std::string& place,
                                                       Connection::Time deadline) {
  if (const auto found = kept_.find(place); found != kept_.end()) {
    Kept kept = std::move(found->second);
    kept_.erase(found);
    const auto idle = std::chrono::system_clock::now() - kept.since;
    const bool is_fresh = idle >= std::chrono::seconds{0} && idle < longest_idle;
    // A request on a closed connection would leave open whether it had an effect.
    if (is_fresh && kept.connection->is_idle()) return std::move(kept.connection);
  }
  const auto limit = std::chrono::steady_clock::now() + request.connect_timeout;
  return std::make_unique<Connection>(request, request.tls ? tls() : nullptr,
                                      std::min<Connection::Time>(deadline, limit), is_cancelled_);
}

std::variant<Response, TransportFailure> SocketTransport::send(const Request& request) {
  if (!is_sendable(request)) {
    return TransportFailure{TransportFault::not_sent,
                            "a header or the path has a character that cannot be sent"};
  }
  const std::string place = (request.tls ? "https://" : "http://") + host_header(request);
  const auto deadline = std::chrono::steady_clock::now() + request.timeout;
  try {
    return exchange(request, place, connected(request, place, deadline), deadline);
  } catch (const ConnectionFailure& failure) {
    return TransportFailure{failure.fault,
                            failure.fault == TransportFault::too_large
                                ? "the reply of " + host_header(request) + " is too large"
                                : host_header(request) + ": " + failure.message};
  }
}

Response SocketTransport::exchange(const Request& request, const std::string& place,
                                   std::unique_ptr<Connection> connection,
                                   Connection::Time deadline) {
  connection->write(text_of(request), deadline, is_cancelled_);
  Arriving arriving{request};
  std::array<char, part_bytes> part{};
  for (bool is_done = false; !is_done;) {
    const std::size_t count = connection->read(part, deadline, is_cancelled_);
    if (count == 0) {
      arriving.end();
      return arriving.release();
    }
    is_done = arriving.take({part.data(), count});
  }
  if (arriving.keeps_alive()) {
    kept_[place] = {std::move(connection), std::chrono::system_clock::now()};
  }
  return arriving.release();
}

}  // namespace reeve::live
