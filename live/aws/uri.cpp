#include "live/aws/uri.hpp"

#include <algorithm>
#include <charconv>

namespace reeve::live {

namespace {

constexpr std::string_view hex_digits = "0123456789ABCDEF";

bool is_alphanumeric(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_unreserved(char c) {
  return is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

void append_encoded(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += hex_digits[byte >> 4U];
  out += hex_digits[byte & 15U];
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/// A name or an IPv4 address; or an IPv6 address in brackets.
bool is_host(std::string_view host) {
  if (host.empty() || host.size() > 255) return false;
  if (host.front() == '[') {
    return host.size() > 2 && host.back() == ']' &&
           host.substr(1, host.size() - 2).find_first_not_of("0123456789abcdef:.") == host.npos;
  }
  return host.front() != '.' && host.front() != '-' &&
         std::all_of(host.begin(), host.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '.' || c == '_'; });
}

/// What may stand in a path or query: printable ASCII without a fragment.
bool is_sendable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < '\x7f' &&
           std::string_view{"#\"<>\\^`{|}"}.find(c) == std::string_view::npos;
  });
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

}  // namespace

std::string uri_encode(std::string_view text, std::string_view plain) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c) || plain.find(c) != plain.npos) {
      out += c;
    } else {
      append_encoded(out, c);
    }
  }
  return out;
}

std::string form_encode(std::string_view text) {
  std::string out = uri_encode(text, " ");
  std::replace(out.begin(), out.end(), ' ', '+');
  return out;
}

std::string uri_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
        hex_value(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::vector<Field> parse_query(std::string_view text) {
  std::vector<Field> query;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    query.push_back({uri_decode(pair.substr(0, equals)),
                     uri_decode(pair.substr(std::min(equals + 1, pair.size())))});
  }
  return query;
}

std::string query_text(std::span<const Field> query) {
  std::string out;
  for (const Field& field : query) {
    if (!out.empty()) out += '&';
    out += uri_encode(field.name) + '=' + uri_encode(field.value);
  }
  return out;
}

std::optional<Url> parse_url(std::string_view text) {
  Url url;
  const std::size_t scheme_end = text.find("://");
  if (scheme_end == text.npos) return std::nullopt;
  const std::string scheme = lower_case(text.substr(0, scheme_end));
  if (scheme != "https" && scheme != "http") return std::nullopt;
  url.tls = scheme == "https";
  text.remove_prefix(scheme_end + 3);
  const std::string_view authority = text.substr(0, text.find_first_of("/?#"));
  text.remove_prefix(authority.size());
  const std::size_t bracket = authority.find(']');
  const std::size_t colon = authority.find(':', bracket == authority.npos ? 0 : bracket);
  url.host = lower_case(authority.substr(0, colon));
  if (!is_host(url.host)) return std::nullopt;
  if (colon != authority.npos) {
    const std::optional<std::uint16_t> port = parse_port(authority.substr(colon + 1));
    if (!port) return std::nullopt;
    url.port = *port;
  }
  if (!is_sendable(text)) return std::nullopt;
  const std::size_t mark = std::min(text.find('?'), text.size());
  url.path = text.substr(0, mark);
  url.query = text.substr(std::min(mark + 1, text.size()));
  return url;
}

}  // namespace reeve::live
