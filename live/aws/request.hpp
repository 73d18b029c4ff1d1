// One HTTP request and its response, as data.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <reeve/policy/units.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::live {

/// A header, or a key of the query with its value.
struct Field {
  std::string name;
  std::string value;
  friend bool operator==(const Field&, const Field&) = default;
};

/// A request before it is encoded.  The limits hold for one try.
struct Request {
  std::string method = "POST";
  bool tls = true;
  std::string host;            ///< without port; an IPv6 address in brackets
  std::uint16_t port = 0;      ///< 0: the default of the scheme
  std::string path = "/";      ///< as it is sent: percent-encoded
  std::vector<Field> query;    ///< decoded; a key without a value has an empty one
  std::vector<Field> headers;  ///< a name may be repeated
  std::string body;
  policy::Duration connect_timeout = std::chrono::seconds{3};
  policy::Duration timeout = std::chrono::seconds{15};  ///< of the whole try
  std::size_t max_response_bytes = std::size_t{16} << 20;
  bool use_proxy = true;  ///< false for addresses of the instance itself
};

struct Response {
  int status = 0;
  std::vector<Field> headers;
  std::string body;
};

/// The first header of that name in any case, or null.
const std::string* find_header(std::span<const Field> headers, std::string_view name);

/// Removes each header of that name.
void remove_header(std::vector<Field>& headers, std::string_view name);

/// The value of the Host header: with the port unless it is the default.
std::string host_header(const Request& request);

/// Path and query as they are sent.
std::string target_of(const Request& request);

std::string url_of(const Request& request);

/// Neither a header nor the method can add a line to the request.
bool is_sendable(const Request& request);

/// `text` in lower case, for ASCII.
std::string lower_case(std::string_view text);

}  // namespace reeve::live
