// What `reeve live` observes, and where its messages go.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "scenarios/load/rules/steps.hpp"
#include "scenarios/text/aws_names.hpp"

namespace reeve::scenarios {
namespace {

/// Keys of a world that is simulated.
void refuse_simulated(Loading& loading) {
  for (const std::string_view key : {"clock", "random", "shocks", "outages", "job_defaults", "jobs",
                                     "workload", "history", "humans", "kill_switch", "expect"}) {
    const auto written = loading.input.written->find(key);
    if (!written) continue;
    loading.findings.add(at_key(*written, "E0360",
                                fmt::format("a live configuration has no {}", in_quotes(key)),
                                "\"live\" observes an account instead"));
  }
}

/// Of an environment: letters, digits and underscores.
bool is_variable(std::string_view name) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return !name.empty() && letters.find(name.front()) < letters.find('0') &&
         name.find_first_not_of(letters) == name.npos;
}

/// A URL of https, or of http on this machine.
bool is_webhook(std::string_view url) {
  const bool is_tls = url.starts_with("https://");
  if (!is_tls && !url.starts_with("http://")) return false;
  const bool is_sendable =
      std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  url.remove_prefix(url.find("://") + 3);
  const std::string_view place = url.substr(0, url.find_first_of("/?"));
  if (place.empty() || place.find('@') != place.npos || !is_sendable) return false;
  if (place.starts_with("[::1]")) return true;
  const std::string_view host = place.substr(0, place.find(':'));
  return is_tls || host == "localhost" || host == "127.0.0.1";
}

void check_topic(Loading& loading, const Node& written, const std::string& region) {
  const std::string_view arn = written.as_text();
  if (!is_topic(arn)) {
    loading.error(written, "E0364", "a topic is named by its ARN", "not the ARN of an SNS topic",
                  "as in \"arn:aws:sns:us-east-1:111122223333:reeve\"");
  } else if (const std::string_view of = part_of_arn(arn, 3); !region.empty() && of != region) {
    loading.error(written, "E0364",
                  fmt::format("the topic is in {}, the configuration observes {}", of, region),
                  "another region", "name a topic in " + region);
  }
}

/// No message shows the line: the URL of a webhook is a secret.
void check_webhook(Loading& loading, const Node& written, std::string_view example) {
  const std::string_view address = written.as_text();
  const bool is_good =
      address.starts_with("env:") ? is_variable(address.substr(4)) : is_webhook(address);
  if (is_good) return;
  Diagnostic found = at(written, "E0365", "the address is not the URL of a webhook")
                         .with_help(fmt::format("write the URL with https://, or {}", example));
  found.excerpt.reset();
  loading.findings.add(std::move(found));
}

NotifySpec notify_of(Loading& loading, const LiveInput& live) {
  if (!live.notify) return {};
  const NotifyInput& notify = *live.notify;
  const Node& written = *notify.written;
  const auto sns = written.find("sns");
  const auto webhook = written.find("webhook");
  const auto slack = written.find("slack");
  if (!sns && !webhook && !slack) {
    loading.error(written, "E0366", "no address for messages", "\"notify\" names none",
                  "write \"sns\", \"webhook\" or \"slack\"");
  }
  if (sns && sns->is_text()) check_topic(loading, *sns, live.region);
  if (webhook && webhook->is_text()) {
    check_webhook(loading, *webhook, "\"webhook\": \"env:REEVE_WEBHOOK\"");
  }
  if (slack && slack->is_text()) check_webhook(loading, *slack, "\"slack\": \"env:REEVE_SLACK\"");
  return {notify.sns, notify.webhook, notify.slack};
}

bool has_only(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || more.find(c) != more.npos;
  });
}

/// Source: the API references of SSM (PutParameter, Name) and SQS (TagQueue).
void check_kill_switch(Loading& loading, const LiveInput& live) {
  constexpr std::size_t longest_name = 1011;
  constexpr std::size_t longest_key = 128;
  const auto parameter = live.written->find("kill_parameter");
  const std::string& name = live.kill_parameter;
  if (parameter && parameter->is_text() &&
      (name.empty() || name.size() > longest_name || !has_only(name, "_.-/"))) {
    loading.error(*parameter, "E0376", "not the name of a parameter of SSM", "no such name",
                  "as in \"kill_parameter\": \"/reeve/switch\"");
  }
  const auto tag = live.written->find("kill_tag");
  if (!tag || !tag->is_text()) return;
  const std::string& key = live.kill_tag;
  if (key.empty() || key.size() > longest_key || key.starts_with("aws:") ||
      !has_only(key, " _.:/=+-@")) {
    loading.error(*tag, "E0377", "not the key of a tag", "no such key",
                  "as in \"kill_tag\": \"reeve:stop\"");
  } else if (live.queue.empty()) {
    loading.error(*tag, "E0375", "there is no queue that has the tag", "needs a queue",
                  "add \"queue\" to \"live\", or use \"kill_parameter\"");
  }
}

}  // namespace

void load_live(Loading& loading) {
  if (!loading.input.live) return;
  const LiveInput& live = *loading.input.live;
  refuse_simulated(loading);
  if (!live.account.empty() && !is_account(live.account)) {
    loading.error(*live.written->find("account"), "E0361", "an account is 12 digits",
                  "not the number of an AWS account", "as in \"account\": \"111122223333\"");
  }
  if (!live.region.empty() && !is_region(live.region)) {
    loading.error(*live.written->find("region"), "E0363", "not the name of an AWS region",
                  "no such name", "as in \"region\": \"us-east-1\"");
  }
  const bool is_url = live.queue.starts_with("https://") || live.queue.starts_with("http://");
  if (!live.queue.empty() && !is_url) {
    loading.error(*live.written->find("queue"), "E0362", "a queue is named by its URL", "not a URL",
                  "as in \"https://sqs.us-east-1.amazonaws.com/111122223333/reeve\"");
  }
  check_kill_switch(loading, live);
  LiveSpec spec{live.account, live.region, live.queue, live.reconcile_every,
                notify_of(loading, live)};
  if (!live.kill_file.empty()) spec.kill_file = (loading.folder / live.kill_file).string();
  spec.kill_parameter = live.kill_parameter;
  spec.kill_tag = live.kill_tag;
  spec.confirm_first = live.confirm_first;
  loading.scenario.live = std::move(spec);
}

}  // namespace reeve::scenarios
