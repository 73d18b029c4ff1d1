// libcurl and the transport without it, against a server on the loopback interface.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "live/aws/ca_file.hpp"
#include "live/aws/curl_library.hpp"
#include "live/aws/curl_transport.hpp"
#include "live/https/socket_transport.hpp"
#include "tests/unit/live/scripted.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

/// loopback_server.py as a child process.
class LoopbackServer {
 public:
  LoopbackServer() {
    std::array<int, 2> input{};
    std::array<int, 2> output{};
    if (pipe2(input.data(), O_CLOEXEC) != 0 || pipe2(output.data(), O_CLOEXEC) != 0) return;
    const pid_t child = fork();
    if (child == 0) {
      dup2(input[0], 0);
      dup2(output[1], 1);
      execlp("python3", "python3", REEVE_SOURCE_DIR "/tests/unit/live/loopback_server.py", nullptr);
      _exit(127);
    }
    child_ = child;
    close(input[0]);
    close(output[1]);
    input_ = input[1];
    std::FILE* lines = fdopen(output[0], "r");
    std::array<char, 2048> line{};
    if (std::fgets(line.data(), static_cast<int>(line.size()), lines) != nullptr) {
      std::istringstream words{line.data()};
      words >> port_ >> tls_port_ >> certificate_;
      for (Untrusted one; words >> one.port >> one.issuers;) {
        untrusted_.push_back(one);
      }
    }
    std::fclose(lines);
  }
  ~LoopbackServer() {
    close(input_);
    waitpid(child_, nullptr, 0);
  }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::uint16_t port() const { return port_; }
  /// 0: openssl is missing.
  std::uint16_t tls_port() const { return tls_port_; }
  const std::string& certificate() const { return certificate_; }
  /// Servers that no client may trust, even when it trusts these issuers.
  struct Untrusted {
    std::uint16_t port = 0;
    std::string issuers;
  };
  const std::vector<Untrusted>& untrusted() const { return untrusted_; }

 private:
  pid_t child_ = -1;
  int input_ = -1;
  std::uint16_t port_ = 0;
  std::uint16_t tls_port_ = 0;
  std::string certificate_;
  std::vector<Untrusted> untrusted_;
};

enum class Kind : std::uint8_t { curl, socket };

struct TransportTest : testing::TestWithParam<Kind> {
  static std::unique_ptr<LoopbackServer> server;
  ScriptedEnvironment environment;
  std::unique_ptr<Transport> transport;

  static void SetUpTestSuite() { server = std::make_unique<LoopbackServer>(); }
  static void TearDownTestSuite() { server.reset(); }
  void SetUp() override {
    if (server->port() == 0) GTEST_SKIP() << "python3 is missing";
    create();
  }
  void create() {
    if (GetParam() == Kind::socket) {
      transport = std::make_unique<SocketTransport>(environment);
      return;
    }
    auto created = CurlTransport::create(environment);
    if (const Failure* failure = failure_of(created)) GTEST_SKIP() << failure->message;
    transport = std::get<std::unique_ptr<CurlTransport>>(std::move(created));
  }

  static Request request(std::string path, std::string method = "GET") {
    Request made;
    made.method = std::move(method);
    made.tls = false;
    made.host = "127.0.0.1";
    made.port = server->port();
    made.path = std::move(path);
    made.use_proxy = false;
    return made;
  }
  Response sent(const Request& made) {
    auto outcome = transport->send(made);
    if (const auto* failure = std::get_if<TransportFailure>(&outcome)) {
      ADD_FAILURE() << failure->message;
      return {};
    }
    return std::get<Response>(std::move(outcome));
  }
  TransportFailure failed(const Request& made) {
    const auto outcome = transport->send(made);
    if (std::holds_alternative<Response>(outcome)) {
      ADD_FAILURE() << "a response came";
      return {};
    }
    return std::get<TransportFailure>(outcome);
  }
};

std::unique_ptr<LoopbackServer> TransportTest::server;

/// What goes over the wire is what was signed, and nothing else that a server would interpret.
TEST_P(TransportTest, SendsWhatItIsGiven) {
  Request made = request("/a%20b//../c", "POST");
  made.query = {{"k", "a b"}, {"e", ""}};
  made.headers = {{"X-One", "1"}, {"X-One", "2"}, {"X-Empty", ""}};
  made.body = std::string{"nul \0 byte", 10};
  const json echo = json::parse(sent(made).body);
  EXPECT_EQ(echo.at("method"), "POST");
  EXPECT_EQ(echo.at("path"), "/a%20b//../c?k=a%20b&e=");
  EXPECT_EQ(echo.at("body"), made.body);
  const json headers =
      json::array({json::array({"Host", host_header(made)}), json::array({"X-One", "1"}),
                   json::array({"X-One", "2"}), json::array({"X-Empty", ""}),
                   json::array({"Content-Length", "10"})});
  EXPECT_EQ(echo.at("headers"), headers);
}

TEST_P(TransportTest, VerifiesTheHost) {
  if (server->tls_port() == 0) GTEST_SKIP() << "openssl is missing";
  Request made = request("/echo", "POST");
  made.tls = true;
  made.host = "localhost";
  made.port = server->tls_port();
  EXPECT_EQ(failed(made).fault, TransportFault::untrusted);
  environment.variables["AWS_CA_BUNDLE"] = "/nowhere.pem";
  create();
  EXPECT_EQ(failed(made).fault, TransportFault::untrusted);
  environment.variables["AWS_CA_BUNDLE"] = server->certificate();
  create();
  EXPECT_EQ(sent(made).status, 200);
  made.host = "127.0.0.1";  // which the certificate does not name
  EXPECT_EQ(failed(made).fault, TransportFault::untrusted);
}

/// A certificate for clients, and an issuer for other hosts.
TEST_P(TransportTest, TrustsNoCertificateForAnotherUse) {
  if (server->tls_port() == 0) GTEST_SKIP() << "openssl is missing";
  EXPECT_EQ(server->untrusted().size(), 2U);
  for (const LoopbackServer::Untrusted& one : server->untrusted()) {
    environment.variables["AWS_CA_BUNDLE"] = one.issuers;
    create();
    Request made = request("/echo", "POST");
    made.tls = true;
    made.host = "localhost";
    made.port = one.port;
    EXPECT_EQ(failed(made).fault, TransportFault::untrusted) << one.issuers;
  }
}

TEST_P(TransportTest, KnowsAllMethods) {
  for (const char* method : {"GET", "PUT", "POST", "DELETE"}) {
    const json echo = json::parse(sent(request("/echo", method)).body);
    EXPECT_EQ(echo.at("method"), method);
    EXPECT_EQ(echo.at("body"), "");
  }
  EXPECT_EQ(sent(request("/echo", "HEAD")).body, "");
}

TEST_P(TransportTest, KeepsConnections) {
  const json first = json::parse(sent(request("/echo")).body);
  const json second = json::parse(sent(request("/echo", "POST")).body);
  EXPECT_EQ(first.at("port"), second.at("port"));
}

TEST_P(TransportTest, ReturnsErrorsAsResponses) {
  const Response response = sent(request("/error"));
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, "busy");
  EXPECT_EQ(*find_header(response.headers, "x-kind"), "odd value");
  const Response last = sent(request("/continue"));
  EXPECT_EQ(last.status, 200);
  EXPECT_EQ(last.body, "done");
  EXPECT_EQ(find_header(last.headers, "x-early"), nullptr);
}

TEST_P(TransportTest, FollowsNoRedirects) {
  const Response response = sent(request("/redirect"));
  EXPECT_EQ(response.status, 302);
  EXPECT_EQ(response.body, "moved");
}

TEST_P(TransportTest, EndsAtItsLimits) {
  Request slow = request("/slow", "POST");
  slow.timeout = milliseconds{200};
  slow.query = {{"token", "hidden"}};
  const TransportFailure late = failed(slow);
  EXPECT_EQ(late.fault, TransportFault::timed_out);
  EXPECT_EQ(late.message, host_header(slow) + ": Timeout was reached");
  Request large = request("/large");
  EXPECT_EQ(sent(large).body.size(), 100'000U);
  large.max_response_bytes = 99'999;
  EXPECT_EQ(failed(large).fault, TransportFault::too_large);
  EXPECT_EQ(failed(request("/headers")).fault, TransportFault::too_large);
  large.max_response_bytes = 100'000;
  EXPECT_EQ(sent(large).body.size(), 100'000U);
}

TEST_P(TransportTest, KnowsWhatMayHaveHappened) {
  EXPECT_EQ(failed(request("/cut")).fault, TransportFault::lost);
  EXPECT_EQ(failed(request("/silent", "POST")).fault, TransportFault::lost);
  Request refused = request("/");
  refused.port = 1;
  EXPECT_EQ(failed(refused).fault, TransportFault::not_sent);
  Request unknown = request("/");
  unknown.host = "no-such-host.invalid";
  EXPECT_EQ(failed(unknown).fault, TransportFault::not_sent);
  if (server->tls_port() == 0) GTEST_SKIP() << "openssl is missing";
  environment.variables["AWS_CA_BUNDLE"] = server->certificate();
  create();
  Request plain = request("/");
  plain.host = "localhost";
  plain.tls = true;  // the server does not speak it
  EXPECT_EQ(failed(plain).fault, TransportFault::not_sent);
}

TEST_P(TransportTest, SendsNoSecondLine) {
  Request made = request("/echo");
  made.headers = {{"X-A", "1\r\nX-B: 2"}};
  EXPECT_EQ(failed(made).fault, TransportFault::not_sent);
  made.headers = {{"X-A: 1\r\nX-B", "2"}};
  EXPECT_EQ(failed(made).fault, TransportFault::not_sent);
  EXPECT_EQ(failed(request("/ HTTP/1.1\r\nX-B: 2")).fault, TransportFault::not_sent);
  EXPECT_EQ(failed(request("/", "GET /other")).fault, TransportFault::not_sent);
}

INSTANTIATE_TEST_SUITE_P(Both, TransportTest, testing::Values(Kind::curl, Kind::socket),
                         [](const auto& tested) {
                           return tested.param == Kind::curl ? "curl" : "socket";
                         });

TEST(CurlLibraryTest, NamesThePackageOfAMissingLibrary) {
  EXPECT_EQ(message_of(load_curl("libcurl.so.none")),
            "libcurl.so.none cannot be loaded: install the package libcurl4 (Debian, Ubuntu) or "
            "libcurl (Amazon Linux, Fedora)");
  EXPECT_EQ(message_of(load_curl("libc.so.6")),
            "libc.so.6 is no libcurl that reeve can use: update the package");
}

TEST(CaFile, FromVariablesOrUsualPlaces) {
  ScriptedEnvironment environment;
  EXPECT_EQ(ca_file_of(environment), "");
  environment.files["/etc/pki/tls/certs/ca-bundle.crt"] = "";
  EXPECT_EQ(ca_file_of(environment), "/etc/pki/tls/certs/ca-bundle.crt");
  environment.variables["SSL_CERT_FILE"] = "/mine";
  EXPECT_EQ(ca_file_of(environment), "/mine");
}

}  // namespace
}  // namespace reeve::live
