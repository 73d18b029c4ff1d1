#include "live/act/message_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "live/aws/sigv4.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

/// "must be less than 100 characters long" (API reference of SNS, Publish).
constexpr std::size_t most_of_subject = 99;
constexpr std::size_t most_of_token = 128;

bool is_visible(char c) {
  return c > ' ' && c < '\x7f';
}

/// A text that is not UTF-8 does not keep a message back.
std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Source: Slack, "Formatting text for app surfaces", Escaping text.
std::string escaped_for_slack(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string subject_of(const Message& message) {
  const std::string whole =
      fmt::format("reeve {}{}{}", message.rule, message.job.empty() ? "" : ": ", message.job);
  std::string subject;
  for (const char c : whole) {
    if (subject.size() == most_of_subject) break;
    const bool continues = (c & '\xC0') == '\x80';  // a character of UTF-8
    if (continues) continue;
    const bool is_ascii = (c & '\x80') == 0;
    subject += is_visible(c) ? c : is_ascii ? ' ' : '?';
  }
  return subject;
}

std::string text_of(const Message& message) {
  std::string text = message.rule;
  if (!message.job.empty()) {
    text += fmt::format(": training job {}, attempt {}", message.job, message.attempt);
  }
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format("\n{}: {}", name, value);
  };
  add("Reason", message.reason);
  add("Basis", message.basis);
  add("Owner", message.owner);
  add("At", iso_date(message.at));
  return text;
}

std::string webhook_body(const Message& message) {
  return dumped({{"text", text_of(message)},
                 {"rule", message.rule},
                 {"training_job", message.job},
                 {"attempt", message.attempt},
                 {"incident", message.incident},
                 {"reason", message.reason},
                 {"basis", message.basis},
                 {"owner", message.owner},
                 {"key", message.key},
                 {"at", iso_date(message.at)}});
}

std::string slack_body(const Message& message) {
  return dumped({{"text", escaped_for_slack(text_of(message))}});
}

std::string token_of(std::string_view key) {
  const bool fits = !key.empty() && key.size() <= most_of_token &&
                    std::all_of(key.begin(), key.end(), is_visible);
  return fits ? std::string{key} : sha256_hex(key);
}

}  // namespace reeve::live
