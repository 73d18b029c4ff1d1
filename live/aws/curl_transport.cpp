#include "live/aws/curl_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "live/aws/ca_file.hpp"
#include "live/aws/curl_library.hpp"

namespace reeve::live {

namespace {

constexpr std::size_t most_header_bytes = std::size_t{64} << 10;
constexpr long kept_idle_s = 20;  // AWS closes idle connections, some after less than a minute

/// Where the callbacks put what arrives.
struct Arriving {
  Response response;
  std::size_t header_bytes = 0;
  std::size_t most_bytes = 0;
  bool too_large = false;
};

/// Returning fewer bytes than there are ends the transfer.
std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* to) {
  auto& arriving = *static_cast<Arriving*>(to);
  const std::size_t total = size * count;
  if (total > arriving.most_bytes - arriving.response.body.size()) {
    arriving.too_large = true;
    return total + 1;
  }
  arriving.response.body.append(bytes, total);
  return total;
}

std::size_t take_header(char* bytes, std::size_t size, std::size_t count, void* to) {
  auto& arriving = *static_cast<Arriving*>(to);
  std::string_view line{bytes, size * count};
  arriving.header_bytes += line.size();
  if (arriving.header_bytes > most_header_bytes) {
    arriving.too_large = true;
    return line.size() + 1;
  }
  if (line.starts_with("HTTP/")) arriving.response.headers.clear();  // behind `100 Continue`
  while (!line.empty() && std::string_view{"\r\n \t"}.find(line.back()) != std::string_view::npos) {
    line.remove_suffix(1);
  }
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return size * count;
  const std::size_t value = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
  arriving.response.headers.push_back(
      {std::string{line.substr(0, colon)}, std::string{line.substr(value)}});
  return size * count;
}

/// Not zero ends the transfer.
int is_cancelled(void* asked, curl_off_t /*to_get*/, curl_off_t /*got*/, curl_off_t /*to_send*/,
                 curl_off_t /*sent*/) {
  return (*static_cast<const std::function<bool()>*>(asked))() ? 1 : 0;
}

long milliseconds(policy::Duration duration) {
  const auto count = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  return static_cast<long>(std::max<std::int64_t>(count, 1));  // zero would be no limit
}

/// `connected`: the request was sent, perhaps on an earlier connection.
TransportFault fault_of(CURLcode code, bool connected) {
  switch (code) {
    case CURLE_ABORTED_BY_CALLBACK:
      return TransportFault::cancelled;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return connected ? TransportFault::lost : TransportFault::untrusted;
    case CURLE_OPERATION_TIMEDOUT:
      return connected ? TransportFault::timed_out : TransportFault::not_sent;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_URL_MALFORMAT:
    case CURLE_PROXY:
    case CURLE_RECV_ERROR:  // by a proxy that opens no tunnel
      return connected ? TransportFault::lost : TransportFault::not_sent;
    default:
      return TransportFault::lost;
  }
}

/// Whether the text of libcurl says more than its code.  Those of other codes may repeat the URL of
/// a proxy with its password.
bool has_good_text(CURLcode code) {
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_RECV_ERROR:
    case CURLE_SSL_CONNECT_ERROR:
      return true;
    default:
      return false;
  }
}

/// The first variable that libcurl takes the proxy from; empty: none.
std::string proxy_variable(const Environment& environment, bool tls) {
  const std::array<const char*, 2> own =
      tls ? std::array{"https_proxy", "HTTPS_PROXY"} : std::array{"http_proxy", "http_proxy"};
  for (const char* name : {own[0], own[1], "all_proxy", "ALL_PROXY"}) {
    if (environment.get(name)) return name;
  }
  return {};
}

/// Whether a list of no_proxy names the host, or a domain of it.  Networks are not looked at.
bool is_listed(std::string_view list, std::string_view host) {
  if (list == "*") return true;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(", "), list.size());
    std::string_view each = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (each.starts_with('.')) each.remove_prefix(1);
    if (each.empty() || !host.ends_with(each)) continue;
    if (host.size() == each.size() || host[host.size() - each.size() - 1] == '.') return true;
  }
  return false;
}

std::string without_proxy(const Environment& environment) {
  const auto list = environment.get("no_proxy");
  return list ? *list : environment.get("NO_PROXY").value_or("");
}

}  // namespace

/// An easy handle of libcurl, which owns the kept connections.
class CurlTransport::Handle {
 public:
  Handle(const CurlLibrary& curl, CURL* easy) : curl_{curl}, easy_{easy} {}
  ~Handle() {
    curl_.slist_free_all(headers_);
    curl_.easy_cleanup(easy_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  /// Forgets the last request, not the connections.
  void reset() {
    curl_.easy_reset(easy_);
    text_.fill('\0');
    set(CURLOPT_ERRORBUFFER, text_.data());
    curl_.slist_free_all(std::exchange(headers_, nullptr));
  }

  template <class Value>
  void set(CURLoption option, Value value) {
    good_ = curl_.easy_setopt(easy_, option, value) == CURLE_OK && good_;
  }

  void set_headers(const Request& request) {
    // libcurl would add these by itself.
    for (const char* unwanted : {"Expect:", "Accept:"}) add_header(unwanted);
    if (find_header(request.headers, "content-type") == nullptr) add_header("Content-Type:");
    for (const Field& header : request.headers) {
      // To libcurl, `Name:` removes a header and `Name;` sends an empty one.
      add_header(header.value.empty() ? header.name + ";" : header.name + ": " + header.value);
    }
    set(CURLOPT_HTTPHEADER, headers_);
  }

  /// Nothing if an option was refused, which would leave the request unsafe.
  std::optional<CURLcode> perform() {
    if (!std::exchange(good_, true)) return std::nullopt;
    return curl_.easy_perform(easy_);
  }

  int status() const {
    long code = 0;
    curl_.easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &code);
    return static_cast<int>(code);
  }

  /// Whether the request could be sent.
  bool connected() const {
    curl_off_t after_us = 0;
    curl_.easy_getinfo(easy_, CURLINFO_PRETRANSFER_TIME_T, &after_us);
    return after_us > 0;
  }

  /// What ended the last transfer.
  std::string_view text_of(CURLcode code) const {
    const bool is_told = text_.front() != '\0' && has_good_text(code);
    return is_told ? text_.data() : curl_.easy_strerror(code);
  }

 private:
  void add_header(const std::string& line) {
    curl_slist* longer = curl_.slist_append(headers_, line.c_str());
    good_ = longer != nullptr && good_;
    if (longer != nullptr) headers_ = longer;
  }

  CurlLibrary curl_;
  CURL* easy_;
  curl_slist* headers_ = nullptr;
  bool good_ = true;
  std::array<char, CURL_ERROR_SIZE> text_{};
};

CurlTransport::CurlTransport(std::unique_ptr<Handle> handle, const Environment& environment)
    : handle_{std::move(handle)},
      ca_file_{ca_file_of(environment)},
      https_proxy_{proxy_variable(environment, true)},
      http_proxy_{proxy_variable(environment, false)},
      no_proxy_{without_proxy(environment)} {}

CurlTransport::~CurlTransport() = default;

Result<std::unique_ptr<CurlTransport>> CurlTransport::create(const Environment& environment) {
  const Result<CurlLibrary>& library = curl_library();
  if (const Failure* failure = failure_of(library)) return *failure;
  const CurlLibrary& curl = std::get<CurlLibrary>(library);
  CURL* easy = curl.easy_init();
  if (easy == nullptr) return Failure{"libcurl cannot start a transfer"};
  return std::unique_ptr<CurlTransport>{
      new CurlTransport{std::make_unique<Handle>(curl, easy), environment}};
}

TransportFailure CurlTransport::failure_of_transfer(int code, const Request& request) const {
  const auto failed = static_cast<CURLcode>(code);
  std::string message{host_header(request) + ": "};
  if (failed == CURLE_SSL_CACERT_BADFILE) {
    message += fmt::format("\"{}\" has no certificates", ca_file_);
  } else {
    message += handle_->text_of(failed);
  }
  const bool connected = handle_->connected();
  const std::string& proxy = request.tls ? https_proxy_ : http_proxy_;
  const bool has_proxy = request.use_proxy && !proxy.empty() && !is_listed(no_proxy_, request.host);
  if (!connected && has_proxy) message += " (" + proxy + " is set)";
  return {fault_of(failed, connected), std::move(message)};
}

std::variant<Response, TransportFailure> CurlTransport::send(const Request& request) {
  if (!is_sendable(request)) {
    return TransportFailure{TransportFault::not_sent,
                            "a header or the path has a character that cannot be sent"};
  }
  Arriving arriving;
  arriving.most_bytes = request.max_response_bytes;
  const std::string url = url_of(request);
  Handle& handle = *handle_;
  handle.reset();
  handle.set(CURLOPT_URL, url.c_str());
  handle.set(CURLOPT_PATH_AS_IS, 1L);  // the path is signed as it stands
  if (request.method == "HEAD") {
    handle.set(CURLOPT_NOBODY, 1L);
  } else {
    if (!request.body.empty() || request.method == "POST" || request.method == "PUT") {
      handle.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      handle.set(CURLOPT_POSTFIELDS, request.body.data());
    }
    handle.set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  handle.set_headers(request);
  handle.set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  handle.set(CURLOPT_FOLLOWLOCATION, 0L);
  handle.set(CURLOPT_NOSIGNAL, 1L);
  handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  handle.set(CURLOPT_MAXAGE_CONN, kept_idle_s);
  handle.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(request.connect_timeout));
  handle.set(CURLOPT_TIMEOUT_MS, milliseconds(request.timeout));
  handle.set(CURLOPT_SSL_VERIFYPEER, 1L);
  handle.set(CURLOPT_SSL_VERIFYHOST, 2L);
  if (!ca_file_.empty()) handle.set(CURLOPT_CAINFO, ca_file_.c_str());
  if (!request.use_proxy) handle.set(CURLOPT_PROXY, "");
  handle.set(CURLOPT_WRITEFUNCTION, &take_body);
  handle.set(CURLOPT_WRITEDATA, static_cast<void*>(&arriving));
  handle.set(CURLOPT_HEADERFUNCTION, &take_header);
  handle.set(CURLOPT_HEADERDATA, static_cast<void*>(&arriving));
  if (is_cancelled_) {
    handle.set(CURLOPT_NOPROGRESS, 0L);
    handle.set(CURLOPT_XFERINFOFUNCTION, &is_cancelled);
    handle.set(CURLOPT_XFERINFODATA, static_cast<void*>(&is_cancelled_));
  }
  const std::optional<CURLcode> code = handle.perform();
  if (!code) return TransportFailure{TransportFault::not_sent, "libcurl refuses an option"};
  if (arriving.too_large) {
    return TransportFailure{TransportFault::too_large,
                            fmt::format("the reply of {} is too large", host_header(request))};
  }
  if (*code != CURLE_OK) {
    return failure_of_transfer(*code, request);
  }
  arriving.response.status = handle.status();
  return std::move(arriving.response);
}

}  // namespace reeve::live
