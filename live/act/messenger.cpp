#include "live/act/messenger.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "live/act/message_text.hpp"
#include "live/act/outcomes.hpp"
#include "live/aws/arn.hpp"
#include "live/aws/uri.hpp"

namespace reeve::live {
namespace {

using host::ReplyKind;
using nlohmann::json;
using Sent = Messenger::Sent;

constexpr std::chrono::seconds webhook_timeout{10};
constexpr std::size_t most_keys = 10'000;
constexpr std::string_view variable_mark = "env:";
/// A Slack error is one such word, for example channel_not_found.
constexpr std::size_t longest_word = 40;

/// As people know the receiver of a URL.
constexpr std::string_view webhook_name = "the webhook";
constexpr std::string_view slack_name = "Slack";

bool is_this_host(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

/// The URL of a webhook, or nothing.
std::optional<Url> webhook_url(const std::string& text) {
  std::optional<Url> url = parse_url(text);
  if (url && !url->tls && !is_this_host(url->host)) url.reset();
  return url;
}

/// Replaces a variable by its value; the failure, if any.
std::optional<Failure> read_url(std::string& address, std::string_view name,
                                const Environment& environment) {
  if (address.empty()) return std::nullopt;
  std::string source{"its URL"};
  if (address.starts_with(variable_mark)) {
    source = "the variable " + address.substr(variable_mark.size());
    const auto value = environment.get(address.substr(variable_mark.size()));
    if (!value) return Failure{fmt::format("{}: {} is not set", name, source)};
    address = *value;
  }
  if (webhook_url(address)) return std::nullopt;
  return Failure{
      fmt::format("{}: {} is no URL of the form https://host[:port]/path", name, source)};
}

json attributes_of(const Message& message) {
  const std::vector<Field> fields{{"reeve_rule", message.rule},
                                  {"reeve_job", message.job},
                                  {"reeve_attempt", std::to_string(message.attempt)},
                                  {"reeve_incident", std::to_string(message.incident)},
                                  {"reeve_key", message.key}};
  json entries = json::object();
  for (const Field& field : fields) {
    if (field.value.empty()) continue;  // SNS refuses empty values
    entries[std::to_string(entries.size() + 1)] = {
        {"Name", field.name}, {"Value", {{"DataType", "String"}, {"StringValue", field.value}}}};
  }
  return {{"entry", std::move(entries)}};
}

/// The query stays in the path, as it was written.
std::optional<Request> request_to(const std::string& address) {
  const std::optional<Url> url = webhook_url(address);
  if (!url) return std::nullopt;
  Request request;
  request.tls = url->tls;
  request.host = url->host;
  request.port = url->port;
  request.path = url->path.empty() ? "/" : url->path;
  if (!url->query.empty()) request.path += '?' + url->query;
  request.timeout = webhook_timeout;
  request.use_proxy = !is_this_host(url->host);
  request.headers = {{"Content-Type", "application/json"}, {"User-Agent", "reeve"}};
  return request;
}

/// The body of a response if it is an error word and not a part of the URL.
std::string word_in(const Response& response, const std::string& address) {
  const std::string& word = response.body;
  const bool is_word = !word.empty() && word.size() <= longest_word &&
                       word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == word.npos;
  return is_word && address.find(word) == address.npos ? word : std::string{};
}

/// What a transport says, without the host before it.  The path of a webhook is a secret.
std::string told(const TransportFailure& failure, const Request& request) {
  std::string_view text = failure.message;
  const bool shows_path = request.path.size() > 1 && text.find(request.path) != text.npos;
  if (shows_path) return "the transfer failed";
  const std::string host = host_header(request) + ": ";
  if (text.starts_with(host)) text.remove_prefix(host.size());
  return std::string{text};
}

Sent post(Transport& transport, const Request& request, std::string_view name,
          const std::string& address) {
  const auto outcome = transport.send(request);
  if (const auto* failure = std::get_if<TransportFailure>(&outcome)) {
    const bool is_without_effect = had_no_effect(failure->fault);
    return {is_without_effect ? ReplyKind::throttled : ReplyKind::unknown,
            is_without_effect ? "NotSent" : "ReplyLost",
            fmt::format("{} at {}: {}", name, request.host, told(*failure, request)),
            {}};
  }
  const Response& response = std::get<Response>(outcome);
  const ReplyKind kind = reply_kind_of_status(response.status);
  if (kind == ReplyKind::done) return {};
  std::string code = word_in(response, address);
  if (code.empty()) code = fmt::format("Http{}", response.status);
  return {kind,
          std::move(code),
          fmt::format("{} at {} answers status {}", name, request.host, response.status),
          {}};
}

/// Adds what one address came to.
void add(Sent& all, Sent one, bool& some_got_it) {
  const auto rank = [](ReplyKind kind) {
    switch (kind) {
      case ReplyKind::unknown:
        return 3;
      case ReplyKind::throttled:
      case ReplyKind::no_room:
        return 2;
      case ReplyKind::rejected:
        return 1;
      default:
        return 0;
    }
  };
  some_got_it = some_got_it || one.kind == ReplyKind::done;
  if (!one.detail.empty()) all.detail += (all.detail.empty() ? "" : "; ") + one.detail;
  if (rank(one.kind) <= rank(all.kind)) return;
  all.kind = one.kind;
  all.code = std::move(one.code);
}

}  // namespace

Result<Addresses> read_addresses(Addresses written, const Environment& environment) {
  if (auto failure = read_url(written.webhook, webhook_name, environment)) return *failure;
  if (auto failure = read_url(written.slack, slack_name, environment)) return *failure;
  return written;
}

std::string places_of(const Addresses& addresses) {
  std::string places;
  const auto add_place = [&](const std::string& place) {
    places += (places.empty() ? "" : ", ") + place;
  };
  if (!addresses.sns.empty()) {
    add_place(fmt::format("topic {} in {}", part_of_arn(addresses.sns, 5),
                          part_of_arn(addresses.sns, 3)));
  }
  const auto add_url = [&](std::string_view name, const std::string& address) {
    if (address.empty()) return;
    const std::optional<Url> url = webhook_url(address);
    add_place(url ? fmt::format("{} at {}", name, url->host) : std::string{name});
  };
  add_url(webhook_name, addresses.webhook);
  add_url(slack_name, addresses.slack);
  return places;
}

Messenger::Messenger(Client& client, Transport& transport, Addresses addresses)
    : client_{client}, transport_{transport}, addresses_{std::move(addresses)} {}

const std::string& Messenger::address_of(Place place) const {
  if (place == sns) return addresses_.sns;
  return place == webhook ? addresses_.webhook : addresses_.slack;
}

Messenger::Confirmed& Messenger::confirmed(const std::string& key) {
  const auto [found, is_new] = confirmed_.try_emplace(key, Confirmed{});
  if (is_new) {
    keys_.push_back(key);
    if (keys_.size() > most_keys) {
      confirmed_.erase(keys_.front());
      keys_.pop_front();
    }
  }
  return found->second;
}

Sent Messenger::send(const Message& message) {
  constexpr std::array<std::string_view, places> calls{"sns:Publish", "webhook", "slack"};
  Sent all;
  bool has_address = false;
  bool some_got_it = false;
  Confirmed& done = confirmed(message.key);
  for (const Place place : {sns, webhook, slack}) {
    if (address_of(place).empty()) continue;
    has_address = true;
    if (done[place]) {
      some_got_it = true;
      continue;
    }
    Sent one = send_to(place, message);
    done[place] = one.kind == ReplyKind::done;
    all.call += (all.call.empty() ? "" : ", ") + std::string{calls[place]};
    add(all, std::move(one), some_got_it);
  }
  if (all.kind == ReplyKind::rejected && some_got_it) all.kind = ReplyKind::partly_done;
  if (!has_address) all.detail = "no address is configured";
  if (has_address && all.call.empty()) all.detail = "sent before";
  return all;
}

Sent Messenger::send_to(Place place, const Message& message) {
  if (place == sns) return publish(message);
  const std::string& address = address_of(place);
  const std::string_view name = place == webhook ? webhook_name : slack_name;
  std::optional<Request> request = request_to(address);
  if (!request) {
    return {ReplyKind::rejected, "InvalidUrl", fmt::format("{} has no valid URL", name), {}};
  }
  if (place == webhook) {
    request->headers.push_back({"Idempotency-Key", token_of(message.key)});
    request->body = webhook_body(message);
  } else {
    request->body = slack_body(message);
  }
  return post(transport_, *request, name, address);
}

Sent Messenger::publish(const Message& message) {
  const std::string& topic = addresses_.sns;
  const std::string_view region = part_of_arn(topic, 3);
  if (region != client_.settings().region) {
    return {ReplyKind::rejected,
            "OtherRegion",
            fmt::format("SNS: the topic is in {}, the jobs are in {}", region,
                        client_.settings().region),
            {}};
  }
  json parameters{{"TopicArn", topic},
                  {"Subject", subject_of(message)},
                  {"Message", text_of(message)},
                  {"MessageAttributes", attributes_of(message)}};
  if (topic.ends_with(".fifo")) {
    parameters["MessageGroupId"] = message.job.empty() ? "reeve" : message.job;
    parameters["MessageDeduplicationId"] = token_of(message.key);
  }
  const CallResult result = client_.call({services::sns, "Publish", std::move(parameters)});
  const ReplyKind kind = reply_kind("Publish", result);
  if (!result.error) return {kind, {}, {}, {}};
  return {kind, result.error->code, "SNS: " + result.error->message, {}};
}

}  // namespace reeve::live
