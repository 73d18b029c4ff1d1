#include "live/http/server.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include "live/aws/uri.hpp"

namespace reeve::live {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t most_connections = 64;
constexpr std::uint64_t most_body_bytes = std::uint64_t{1} << 20U;

Request request_of(const http::request<http::string_body>& received) {
  Request request;
  request.method = std::string{received.method_string()};
  request.tls = false;
  const std::string target{received.target()};
  const std::size_t question = target.find('?');
  request.path = target.substr(0, question);
  if (question != std::string::npos) request.query = parse_query(target.substr(question + 1));
  for (const auto& header : received) {
    request.headers.push_back({std::string{header.name_string()}, std::string{header.value()}});
  }
  const std::string host{received[http::field::host]};
  const std::size_t colon = host.rfind(':');
  request.host = host.substr(0, colon);
  if (colon != std::string::npos) {
    std::from_chars(host.data() + colon + 1, host.data() + host.size(), request.port);
  }
  request.body = received.body();
  return request;
}

/// False: the connection ends.
bool exchange(tcp::socket& socket, boost::beast::flat_buffer& buffer,
              const HttpServer::Handler& handler) {
  error_code failed;
  http::request_parser<http::string_body> parser;
  parser.body_limit(most_body_bytes);
  http::read(socket, buffer, parser, failed);
  if (failed) return false;
  const http::request<http::string_body> received = parser.release();
  const auto response = handler(request_of(received));
  if (!response) return false;
  http::response<http::string_body> reply{static_cast<http::status>(response->status),
                                          received.version()};
  for (const Field& header : response->headers) reply.insert(header.name, header.value);
  reply.keep_alive(received.keep_alive());
  reply.body() = response->body;
  reply.prepare_payload();
  http::write(socket, reply, failed);
  return !failed && reply.keep_alive();
}

}  // namespace

/// The listening socket, and a thread for each connection.
class HttpServer::Connections {
 public:
  explicit Connections(Handler handler) : handler_{std::move(handler)} {}
  ~Connections() {
    for (Connection& connection : connections_) {
      error_code ignored;
      connection.socket.shutdown(tcp::socket::shutdown_both, ignored);
    }
    for (Connection& connection : connections_) connection.thread.join();
  }
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  std::optional<Failure> listen(std::uint16_t port) {
    error_code failed;
    const tcp::endpoint place{asio::ip::address_v4::loopback(), port};
    acceptor_.open(place.protocol(), failed);
    if (!failed) acceptor_.set_option(tcp::acceptor::reuse_address{true}, failed);
    if (!failed) acceptor_.bind(place, failed);
    if (!failed) acceptor_.listen(asio::socket_base::max_listen_connections, failed);
    if (!failed) acceptor_.non_blocking(true, failed);
    if (!failed) return std::nullopt;
    return Failure{"port " + std::to_string(port) + ": " + failed.message()};
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

  void serve(const std::function<bool()>& stopped) {
    constexpr std::chrono::milliseconds look_each{100};
    accept();
    while (!stopped()) io_.run_for(look_each);
  }

 private:
  struct Connection {
    explicit Connection(tcp::socket accepted) : socket{std::move(accepted)} {}
    tcp::socket socket;
    std::atomic<bool> is_over{false};
    std::thread thread;
  };

  void accept() {
    acceptor_.async_accept([this](error_code failed, tcp::socket socket) {
      if (!failed) start(std::move(socket));
      accept();
    });
  }

  void start(tcp::socket socket) {
    for (auto connection = connections_.begin(); connection != connections_.end();) {
      if (!connection->is_over) {
        ++connection;
        continue;
      }
      connection->thread.join();
      connection = connections_.erase(connection);
    }
    if (connections_.size() >= most_connections) return;  // the socket closes
    error_code ignored;
    socket.non_blocking(false, ignored);
    socket.set_option(tcp::no_delay{true}, ignored);
    Connection& connection = connections_.emplace_back(std::move(socket));
    connection.thread = std::thread{[this, &connection] {
      boost::beast::flat_buffer buffer;
      while (exchange(connection.socket, buffer, handler_)) {
      }
      error_code failed;
      connection.socket.shutdown(tcp::socket::shutdown_both, failed);
      connection.is_over = true;
    }};
  }

  Handler handler_;
  asio::io_context io_;
  tcp::acceptor acceptor_{io_};
  std::list<Connection> connections_;
};

HttpServer::HttpServer(std::unique_ptr<Connections> connections)
    : connections_{std::move(connections)} {}

HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::listen(std::uint16_t port, Handler handler) {
  auto connections = std::make_unique<Connections>(std::move(handler));
  if (auto failure = connections->listen(port)) return *std::move(failure);
  return std::unique_ptr<HttpServer>{new HttpServer{std::move(connections)}};
}

std::uint16_t HttpServer::port() const {
  return connections_->port();
}

void HttpServer::serve(const std::function<bool()>& stopped) {
  connections_->serve(stopped);
}

}  // namespace reeve::live
