// Percent-encoding, and the parts of a URL.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "live/aws/request.hpp"

namespace reeve::live {

/// Encodes each byte but the unreserved ones of RFC 3986 and those of `plain`.
std::string uri_encode(std::string_view text, std::string_view plain = {});

/// The same for the body of a form, where a space is `+`.
std::string form_encode(std::string_view text);

/// Decodes `%41`.  A `%` without two hexadecimal digits stays as it is.
std::string uri_decode(std::string_view text);

/// `a=1&b`, decoded; a key without a value gets an empty one.
std::vector<Field> parse_query(std::string_view text);

/// The query as it is sent, in the given order.
std::string query_text(std::span<const Field> query);

struct Url {
  bool tls = true;
  std::string host;        ///< in lower case, an IPv6 address in brackets
  std::uint16_t port = 0;  ///< 0: the default of the scheme
  std::string path;        ///< empty, or it begins with `/`
  std::string query;       ///< as it stands in the URL
};

/// Nothing unless the text is a URL of http or https without user and fragment.
std::optional<Url> parse_url(std::string_view text);

}  // namespace reeve::live
