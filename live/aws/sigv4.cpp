#include "live/aws/sigv4.hpp"

#include <nettle/hmac.h>
#include <nettle/sha2.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <utility>

#include "live/aws/timestamps.hpp"
#include "live/aws/uri.hpp"

namespace reeve::live {

namespace {

constexpr std::string_view algorithm_name = "AWS4-HMAC-SHA256";

std::string hex_text(std::string_view bytes) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += digits[byte >> 4U];
    out += digits[byte & 15U];
  }
  return out;
}

const unsigned char* octets(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Secret hmac_sha256(const Secret& key, std::string_view message) {
  std::string bytes(SHA256_DIGEST_SIZE, '\0');
  hmac_sha256_ctx state;
  hmac_sha256_set_key(&state, key.reveal().size(), octets(key.reveal()));
  hmac_sha256_update(&state, message.size(), octets(message));
  hmac_sha256_digest(&state, bytes.size(), reinterpret_cast<unsigned char*>(bytes.data()));
  explicit_bzero(&state, sizeof state);
  return Secret{std::move(bytes)};
}

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Without spaces at both ends; each run of spaces inside is one.
std::string collapsed(std::string_view value) {
  std::string out;
  bool gap = false;
  for (const char c : value) {
    if (is_space(c)) {
      gap = !out.empty();
      continue;
    }
    if (gap) out += ' ';
    gap = false;
    out += c;
  }
  return out;
}

/// RFC 3986, section 5.2.4, and repeated slashes become one.
std::string normalized_path(std::string_view path) {
  std::vector<std::string_view> segments;
  const bool closed = path.ends_with('/');
  while (!path.empty()) {
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), segment.size() + 1));
    if (segment.empty() || segment == ".") continue;
    if (segment != "..") {
      segments.push_back(segment);
    } else if (!segments.empty()) {
      segments.pop_back();
    }
  }
  std::string out;
  for (const std::string_view segment : segments) out += "/" + std::string{segment};
  if (out.empty() || closed) out += '/';
  return out;
}

std::string canonical_path(const Request& request, std::string_view service) {
  if (service == "s3") return request.path.empty() ? "/" : request.path;
  return uri_encode(normalized_path(request.path), "/");
}

std::string canonical_query(const Request& request) {
  std::vector<std::pair<std::string, std::string>> fields;
  for (const Field& field : request.query) {
    fields.emplace_back(uri_encode(field.name), uri_encode(field.value));
  }
  std::sort(fields.begin(), fields.end());
  std::string out;
  for (const auto& [name, value] : fields) {
    if (!out.empty()) out += '&';
    out += name + '=' + value;
  }
  return out;
}

/// The values of all headers of that name, joined in the order in which they are sent.
std::string canonical_value(const Request& request, std::string_view name) {
  std::string out;
  bool found = false;
  for (const Field& header : request.headers) {
    if (lower_case(header.name) != name) continue;
    if (found) out += ',';
    out += collapsed(header.value);
    found = true;
  }
  return !found && name == "host" ? host_header(request) : out;
}

std::string payload_hash(const Request& request) {
  const std::string* given = find_header(request.headers, "x-amz-content-sha256");
  return given == nullptr ? sha256_hex(request.body) : *given;
}

std::string joined(std::span<const std::string> names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ";") + name;
  return out;
}

std::string scope_text(const SigningScope& scope) {
  return amz_date(scope.at).substr(0, 8) + "/" + scope.region + "/" + scope.service +
         "/aws4_request";
}

std::string signature_of(const Secret& secret, const SigningScope& scope, std::string_view text) {
  Secret key{"AWS4" + std::string{secret.reveal()}};
  key = hmac_sha256(key, amz_date(scope.at).substr(0, 8));
  key = hmac_sha256(key, scope.region);
  key = hmac_sha256(key, scope.service);
  key = hmac_sha256(key, "aws4_request");
  return hex_text(hmac_sha256(key, text).reveal());
}

/// The parts of an Authorization header.
struct Authorization {
  std::string key_id;
  std::string scope;  ///< DATE/REGION/SERVICE/aws4_request
  std::vector<std::string> signed_headers;
  std::string signature;
};

std::optional<Authorization> parse_authorization(std::string_view text) {
  if (!text.starts_with(algorithm_name)) return std::nullopt;
  text.remove_prefix(algorithm_name.size());
  Authorization parts;
  while (!text.empty()) {
    const std::string part = collapsed(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.size(), std::min(text.find(','), text.size()) + 1));
    const std::size_t equals = part.find('=');
    if (equals == part.npos) return std::nullopt;
    const std::string name = part.substr(0, equals);
    std::string value = part.substr(equals + 1);
    if (name == "Credential") {
      const std::size_t slash = std::min(value.find('/'), value.size());
      parts.key_id = value.substr(0, slash);
      parts.scope = value.substr(std::min(slash + 1, value.size()));
    } else if (name == "SignedHeaders") {
      for (std::string_view rest = value; !rest.empty();) {
        parts.signed_headers.emplace_back(rest.substr(0, rest.find(';')));
        rest.remove_prefix(std::min(rest.size(), parts.signed_headers.back().size() + 1));
      }
    } else if (name == "Signature") {
      parts.signature = std::move(value);
    }
  }
  const bool whole = !parts.key_id.empty() && !parts.scope.empty() &&
                     !parts.signed_headers.empty() && !parts.signature.empty();
  return whole ? std::optional{std::move(parts)} : std::nullopt;
}

bool covers_what_it_must(const Request& received, std::span<const std::string> names) {
  const auto covered = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return covered("host") &&
         std::all_of(received.headers.begin(), received.headers.end(), [&](const Field& header) {
           const std::string name = lower_case(header.name);
           return !name.starts_with("x-amz-") || covered(name);
         });
}

bool is_stated_body(const Request& received) {
  const std::string* stated = find_header(received.headers, "x-amz-content-sha256");
  return stated == nullptr || *stated == "UNSIGNED-PAYLOAD" || *stated == sha256_hex(received.body);
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  std::string digest(SHA256_DIGEST_SIZE, '\0');
  sha256_ctx state;
  sha256_init(&state);
  sha256_update(&state, bytes.size(), octets(bytes));
  sha256_digest(&state, digest.size(), reinterpret_cast<unsigned char*>(digest.data()));
  return hex_text(digest);
}

std::vector<std::string> signed_header_names(const Request& request) {
  static constexpr std::array<std::string_view, 7> changing{
      "authorization",     "connection", "content-length", "expect",
      "transfer-encoding", "user-agent", "x-amzn-trace-id"};
  std::set<std::string> names{"host"};
  for (const Field& header : request.headers) {
    std::string name = lower_case(header.name);
    if (std::find(changing.begin(), changing.end(), name) == changing.end()) {
      names.insert(std::move(name));
    }
  }
  return {names.begin(), names.end()};
}

std::string canonical_request(const Request& request, std::string_view service,
                              std::span<const std::string> signed_headers) {
  std::string out = request.method + "\n" + canonical_path(request, service) + "\n" +
                    canonical_query(request) + "\n";
  for (const std::string& name : signed_headers) {
    out += name + ":" + canonical_value(request, name) + "\n";
  }
  return out + "\n" + joined(signed_headers) + "\n" + payload_hash(request);
}

std::string string_to_sign(std::string_view canonical_request, const SigningScope& scope) {
  return std::string{algorithm_name} + "\n" + amz_date(scope.at) + "\n" + scope_text(scope) + "\n" +
         sha256_hex(canonical_request);
}

void sign(Request& request, const AccessKey& key, const SigningScope& scope) {
  for (const std::string_view name : {"authorization", "x-amz-date", "x-amz-security-token"}) {
    remove_header(request.headers, name);
  }
  request.headers.push_back({"X-Amz-Date", amz_date(scope.at)});
  if (!key.session_token.empty()) {
    request.headers.push_back({"X-Amz-Security-Token", std::string{key.session_token.reveal()}});
  }
  if (scope.service == "s3" && !find_header(request.headers, "x-amz-content-sha256")) {
    request.headers.push_back({"X-Amz-Content-SHA256", sha256_hex(request.body)});
  }
  const std::vector<std::string> names = signed_header_names(request);
  const std::string text = string_to_sign(canonical_request(request, scope.service, names), scope);
  request.headers.push_back(
      {"Authorization", std::string{algorithm_name} + " Credential=" + key.id + "/" +
                            scope_text(scope) + ", SignedHeaders=" + joined(names) +
                            ", Signature=" + signature_of(key.secret, scope, text)});
}

std::optional<SignatureFault> verify(const Request& received, const FindKey& find_key,
                                     const SigningScope& expected) {
  const std::string* header = find_header(received.headers, "authorization");
  if (header == nullptr) return SignatureFault::missing;
  const std::optional<Authorization> parts = parse_authorization(*header);
  const std::string* date = find_header(received.headers, "x-amz-date");
  const std::optional<policy::Instant> at = date ? parse_amz_date(*date) : std::nullopt;
  if (!parts || !at) return SignatureFault::incomplete;
  const std::optional<AccessKey> key = find_key(parts->key_id);
  if (!key) return SignatureFault::unknown_key;
  const std::string* token = find_header(received.headers, "x-amz-security-token");
  if (key->session_token != Secret{token ? std::string_view{*token} : std::string_view{}}) {
    return SignatureFault::wrong_token;
  }
  const SigningScope scope{expected.region, expected.service, *at};
  if (parts->scope != scope_text(scope)) return SignatureFault::wrong_scope;
  if (std::chrono::abs(*at - expected.at) > std::chrono::minutes{5}) {
    return SignatureFault::wrong_time;
  }
  if (!covers_what_it_must(received, parts->signed_headers)) return SignatureFault::unsigned_header;
  if (!is_stated_body(received)) return SignatureFault::wrong_body;
  const std::string text =
      string_to_sign(canonical_request(received, scope.service, parts->signed_headers), scope);
  const Secret computed{signature_of(key->secret, scope, text)};
  if (computed != Secret{std::string_view{parts->signature}}) return SignatureFault::mismatch;
  return std::nullopt;
}

}  // namespace reeve::live
