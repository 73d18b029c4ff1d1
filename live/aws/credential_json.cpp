#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "live/aws/credential_sources.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::live {

namespace {

std::string member_text(const nlohmann::json& document, const char* key) {
  const auto member = document.find(key);
  return member != document.end() && member->is_string() ? member->get<std::string>() : "";
}

}  // namespace

Result<Credentials> credentials_in_json(std::string_view text, std::string_view source) {
  const auto wrong = [&](std::string_view why) {
    return Failure{fmt::format("the credentials of {} cannot be used: {}", source, why)};
  };
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_object()) return wrong("they are not a JSON object");
  const std::string code = member_text(document, "Code");
  if (!code.empty() && code != "Success") return wrong("the service answers with an error");
  Credentials found;
  found.source = source;
  found.key.id = member_text(document, "AccessKeyId");
  found.key.secret = Secret{member_text(document, "SecretAccessKey")};
  found.key.session_token = Secret{member_text(document, "Token")};
  if (found.key.session_token.empty()) {
    found.key.session_token = Secret{member_text(document, "SessionToken")};
  }
  if (found.key.id.empty() || found.key.secret.empty()) return wrong("a key is missing");
  if (const std::string expiration = member_text(document, "Expiration"); !expiration.empty()) {
    const std::optional<policy::Instant> expires = parse_iso_date(expiration);
    if (!expires) return wrong("Expiration is no date");
    found.expires = *expires;
  }
  return found;
}

}  // namespace reeve::live
