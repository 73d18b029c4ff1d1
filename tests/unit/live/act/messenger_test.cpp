#include "live/act/messenger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "live/act/message_text.hpp"
#include "live/act/outcomes.hpp"
#include "live/aws/uri.hpp"
#include "tests/unit/live/scripted.hpp"

namespace reeve::live {
namespace {

using host::ReplyKind;
using nlohmann::json;
using Sent = Messenger::Sent;

const std::string topic = "arn:aws:sns:us-east-1:111122223333:reeve";
const std::string webhook = "https://hooks.example.com/in/s3cr3t?sig=t%2Fk";
const std::string slack = "https://hooks.slack.com/services/T0/B0/s3cr3t";

Message message() {
  Message written;
  written.rule = "stalled_gpu";
  written.job = "train-7";
  written.attempt = 2;
  written.incident = 3;
  written.reason = "GPU < 5 % & no log";
  written.basis = "metric_silence";
  written.owner = "ada";
  written.key = "seat1-job7-incident3";
  written.at = *parse_iso_date("2026-03-02T10:00:00Z");
  return written;
}

struct MessengerTest : testing::Test {
  Scripted script;
  FixedCredentials keys{Credentials{{"KEY", Secret{std::string_view{"s"}}, {}}, {}, "test"}};
  Client client{script.surroundings(), keys, {"us-east-1", 1}};

  Messenger with(Addresses addresses) {
    return Messenger{client, script.transport, std::move(addresses)};
  }
  void publish_works() {
    script.transport.answer(200,
                            "<PublishResponse><PublishResult><MessageId>m</MessageId>"
                            "</PublishResult></PublishResponse>");
  }
  void publish_fails(int status, const std::string& code) {
    script.transport.answer(status, "<ErrorResponse><Error><Code>" + code +
                                        "</Code><Message>no</Message></Error></ErrorResponse>");
  }
  const Request& request(std::size_t index) { return script.transport.requests.at(index); }
  std::size_t requests() const { return script.transport.requests.size(); }
  /// The form of a call.
  std::map<std::string, std::string> form(std::size_t index) {
    std::string body = request(index).body;
    std::replace(body.begin(), body.end(), '+', ' ');
    std::map<std::string, std::string> fields;
    for (const Field& field : parse_query(body)) fields[field.name] = field.value;
    return fields;
  }
};

void hides_secrets(const Sent& sent) {
  for (const std::string& text : {sent.code, sent.detail, sent.call}) {
    EXPECT_EQ(text.find("s3cr3t"), std::string::npos) << text;
    EXPECT_EQ(text.find("/in/"), std::string::npos) << text;
    EXPECT_EQ(text.find("/services/"), std::string::npos) << text;
    EXPECT_EQ(text.find("sig="), std::string::npos) << text;
  }
}

TEST_F(MessengerTest, PublishesWithAttributes) {
  publish_works();
  const Sent sent = with({topic, "", ""}).send(message());
  EXPECT_EQ(sent.kind, ReplyKind::done);
  EXPECT_EQ(sent.call, "sns:Publish");
  EXPECT_EQ(sent.code + sent.detail, "");
  EXPECT_EQ(url_of(request(0)), "https://sns.us-east-1.amazonaws.com/");
  const auto fields = form(0);
  EXPECT_EQ(fields.at("Action"), "Publish");
  EXPECT_EQ(fields.at("Version"), "2010-03-31");
  EXPECT_EQ(fields.at("TopicArn"), topic);
  EXPECT_EQ(fields.at("Subject"), "reeve stalled_gpu: train-7");
  EXPECT_EQ(fields.at("Message"), text_of(message()));
  std::map<std::string, std::string> attributes;
  for (int i = 1; i <= 5; ++i) {
    const std::string entry = "MessageAttributes.entry." + std::to_string(i);
    EXPECT_EQ(fields.at(entry + ".Value.DataType"), "String");
    attributes[fields.at(entry + ".Name")] = fields.at(entry + ".Value.StringValue");
  }
  EXPECT_EQ(attributes, (std::map<std::string, std::string>{{"reeve_rule", "stalled_gpu"},
                                                            {"reeve_job", "train-7"},
                                                            {"reeve_attempt", "2"},
                                                            {"reeve_incident", "3"},
                                                            {"reeve_key", message().key}}));
  EXPECT_FALSE(fields.contains("MessageGroupId"));
  EXPECT_FALSE(fields.contains("MessageDeduplicationId"));
}

TEST_F(MessengerTest, GroupsMessagesOfAFifoTopicByJob) {
  publish_works();
  publish_works();
  Messenger messenger = with({topic + ".fifo", "", ""});
  messenger.send(message());
  EXPECT_EQ(form(0).at("MessageGroupId"), "train-7");
  EXPECT_EQ(form(0).at("MessageDeduplicationId"), message().key);
  Message of_none = message();
  of_none.job.clear();
  of_none.key = "a key with blanks";
  messenger.send(of_none);
  EXPECT_EQ(form(1).at("MessageGroupId"), "reeve");
  EXPECT_EQ(form(1).at("MessageDeduplicationId").size(), 64U);
}

TEST_F(MessengerTest, LeavesOutAnAttributeWithoutValue) {
  publish_works();
  Message of_none = message();
  of_none.job.clear();
  with({topic, "", ""}).send(of_none);
  EXPECT_FALSE(form(0).contains("MessageAttributes.entry.5.Name"));
}

TEST_F(MessengerTest, RefusesATopicOfAnotherRegion) {
  const Sent sent = with({"arn:aws:sns:eu-west-1:111122223333:reeve", "", ""}).send(message());
  EXPECT_EQ(sent.kind, ReplyKind::rejected);
  EXPECT_EQ(sent.code, "OtherRegion");
  EXPECT_EQ(requests(), 0U);
}

TEST_F(MessengerTest, PostsToAWebhook) {
  script.transport.answer(204, "");
  const Sent sent = with({"", webhook, ""}).send(message());
  EXPECT_EQ(sent.kind, ReplyKind::done);
  EXPECT_EQ(sent.call, "webhook");
  EXPECT_EQ(url_of(request(0)), webhook);  // the query as it was written
  EXPECT_EQ(request(0).method, "POST");
  EXPECT_EQ(request(0).timeout, std::chrono::seconds{10});
  EXPECT_EQ(header_of(request(0), "content-type"), "application/json");
  EXPECT_EQ(header_of(request(0), "idempotency-key"), message().key);
  EXPECT_EQ(header_of(request(0), "authorization"), "(none)");
  EXPECT_EQ(json::parse(request(0).body), (json{{"text", text_of(message())},
                                                {"rule", "stalled_gpu"},
                                                {"training_job", "train-7"},
                                                {"attempt", 2},
                                                {"incident", 3},
                                                {"reason", "GPU < 5 % & no log"},
                                                {"basis", "metric_silence"},
                                                {"owner", "ada"},
                                                {"key", message().key},
                                                {"at", "2026-03-02T10:00:00Z"}}));
}

TEST_F(MessengerTest, EscapesTextForSlack) {
  script.transport.answer(200, "ok");
  EXPECT_EQ(with({"", "", slack}).send(message()).call, "slack");
  EXPECT_EQ(url_of(request(0)), slack);
  const json body = json::parse(request(0).body);
  EXPECT_EQ(body.size(), 1U);
  const std::string text = body.at("text");
  EXPECT_NE(text.find("GPU &lt; 5 % &amp; no log"), std::string::npos) << text;
}

TEST_F(MessengerTest, SendsToEachAddressOnce) {
  publish_works();
  script.transport.answer(200, "");
  script.transport.answer(200, "ok");
  Messenger messenger = with({topic, webhook, slack});
  const Sent sent = messenger.send(message());
  EXPECT_EQ(sent.kind, ReplyKind::done);
  EXPECT_EQ(sent.call, "sns:Publish, webhook, slack");
  const Sent again = messenger.send(message());
  EXPECT_EQ(again.kind, ReplyKind::done);
  EXPECT_EQ(again.detail, "sent before");
  EXPECT_EQ(again.call, "");
  EXPECT_EQ(requests(), 3U);
}

TEST_F(MessengerTest, RepeatsALostReplyOnlyToThatAddress) {
  publish_works();
  script.transport.fail(TransportFault::timed_out);
  script.transport.answer(200, "ok");
  Messenger messenger = with({topic, webhook, slack});
  const Sent lost = messenger.send(message());
  EXPECT_EQ(lost.kind, ReplyKind::unknown);
  EXPECT_EQ(lost.code, "ReplyLost");
  EXPECT_EQ(lost.detail, "the webhook at hooks.example.com: the network failed");
  script.transport.answer(200, "");
  const Sent again = messenger.send(message());
  EXPECT_EQ(again.kind, ReplyKind::done);
  EXPECT_EQ(again.call, "webhook");
  ASSERT_EQ(requests(), 4U);
  EXPECT_EQ(header_of(request(3), "idempotency-key"), message().key);
  Message other = message();
  other.key = "another";
  publish_works();
  messenger.send(other);
  EXPECT_EQ(requests(), 7U);
}

TEST_F(MessengerTest, ALostReplyOfSnsIsNotSentTwiceToTheOthers) {
  script.transport.fail(TransportFault::lost);
  script.transport.answer(200, "");
  Messenger messenger = with({topic, webhook, ""});
  EXPECT_EQ(messenger.send(message()).kind, ReplyKind::unknown);
  publish_works();
  EXPECT_EQ(messenger.send(message()).kind, ReplyKind::done);
  EXPECT_EQ(requests(), 3U);
}

TEST_F(MessengerTest, IsPartlyDoneIfSomeRefuse) {
  publish_fails(404, "NotFound");
  script.transport.answer(200, "");
  const Sent sent = with({topic, webhook, ""}).send(message());
  EXPECT_EQ(sent.kind, ReplyKind::partly_done);
  EXPECT_EQ(sent.code, "NotFound");
  EXPECT_EQ(sent.detail, "SNS: no");
}

TEST_F(MessengerTest, IsRejectedIfAllRefuse) {
  publish_fails(403, "AuthorizationError");
  script.transport.answer(404, "channel_not_found");
  const Sent sent = with({topic, "", slack}).send(message());
  EXPECT_EQ(sent.kind, ReplyKind::rejected);
  EXPECT_EQ(sent.code, "AuthorizationError");
  EXPECT_EQ(sent.detail, "SNS: no; Slack at hooks.slack.com answers status 404");
}

TEST_F(MessengerTest, WaitsIfOneIsThrottled) {
  publish_works();
  script.transport.answer(429, "rate_limited");
  const Sent sent = with({topic, "", slack}).send(message());
  EXPECT_EQ(sent.kind, ReplyKind::throttled);
  EXPECT_EQ(sent.code, "rate_limited");
  publish_fails(400, "KMSThrottling");
  EXPECT_EQ(with({topic, "", ""}).send(message()).kind, ReplyKind::throttled);
  publish_fails(429, "Throttled");
  EXPECT_EQ(with({topic, "", ""}).send(message()).kind, ReplyKind::throttled);
}

TEST_F(MessengerTest, ARequestThatWasNotSentIsTriedAgain) {
  const Sent sent = with({"", webhook, ""}).send(message());  // nothing listens
  EXPECT_EQ(sent.kind, ReplyKind::throttled);
  EXPECT_EQ(sent.code, "NotSent");
}

TEST_F(MessengerTest, AHostWithoutAGoodCertificateGetsNothing) {
  script.transport.fail(TransportFault::untrusted);
  const Sent sent = with({"", webhook, ""}).send(message());
  EXPECT_EQ(sent.kind, ReplyKind::throttled);
  EXPECT_EQ(sent.code, "NotSent");
}

TEST_F(MessengerTest, WithoutAddressNothingIsSent) {
  const Sent sent = with({}).send(message());
  EXPECT_EQ(sent.kind, ReplyKind::done);
  EXPECT_EQ(sent.detail, "no address is configured");
  EXPECT_EQ(requests(), 0U);
}

TEST_F(MessengerTest, NoResultShowsAUrl) {
  for (const std::string& body : {std::string{"services"}, slack, std::string{"no /in/s3cr3t"}}) {
    script.transport.answer(500, body);
    script.transport.answer(403, body);
    hides_secrets(with({"", webhook, slack}).send(message()));
  }
  for (const TransportFault fault : {TransportFault::not_sent, TransportFault::too_large}) {
    script.transport.answers.emplace_back([=](const Request& sent) {
      return TransportFailure{fault, url_of(sent) + " cannot be reached"};
    });
    hides_secrets(with({"", "", slack}).send(message()));
  }
  hides_secrets(with({"", "hooks/in/s3cr3t", ""}).send(message()));
  const std::string places = places_of({topic, webhook, slack});
  EXPECT_EQ(places,
            "topic reeve in us-east-1, the webhook at hooks.example.com, Slack at hooks.slack.com");
  EXPECT_EQ(places_of({}), "");
}

TEST(ReadAddresses, ReadsVariables) {
  ScriptedEnvironment environment;
  environment.variables = {{"HOOK", webhook}, {"BAD", "s3cr3t"}, {"OPEN", "http://a.b/s3cr3t"}};
  const auto read = read_addresses({topic, "env:HOOK", slack}, environment);
  ASSERT_EQ(failure_of(read), nullptr) << message_of(read);
  EXPECT_EQ(std::get<Addresses>(read).webhook, webhook);
  EXPECT_EQ(std::get<Addresses>(read).sns, topic);
  EXPECT_EQ(message_of(read_addresses({"", "", "env:MISSING"}, environment)),
            "Slack: the variable MISSING is not set");
  for (const char* address :
       {"env:BAD", "env:OPEN", "http://a.b/s3cr3t", "https://u:s3cr3t@a.b/"}) {
    const std::string said = message_of(read_addresses({"", address, ""}, environment));
    EXPECT_NE(said.find("the webhook: "), std::string::npos) << said;
    EXPECT_EQ(said.find("s3cr3t"), std::string::npos) << said;
  }
  EXPECT_EQ(failure_of(read_addresses({"", "http://127.0.0.1:8080/x", ""}, environment)), nullptr);
  EXPECT_EQ(failure_of(read_addresses({}, environment)), nullptr);
}

TEST(MessageText, ASubjectIsShortAscii) {
  Message written = message();
  written.rule = "r\xC3\xA8gle\n";
  written.job = std::string(200, 'j');
  const std::string subject = subject_of(written);
  EXPECT_EQ(subject.size(), 99U);
  EXPECT_TRUE(subject.starts_with("reeve r?gle : jjj")) << subject;
}

TEST(MessageText, HasALineForEachThingThatIsKnown) {
  EXPECT_EQ(text_of(message()),
            "stalled_gpu: training job train-7, attempt 2\nReason: GPU < 5 % & no log\n"
            "Basis: metric_silence\nOwner: ada\nAt: 2026-03-02T10:00:00Z");
  Message bare;
  bare.rule = "idle_capacity";
  bare.at = message().at;
  EXPECT_EQ(text_of(bare), "idle_capacity\nAt: 2026-03-02T10:00:00Z");
}

TEST(MessageText, ATextThatIsNotUtf8DoesNotKeepAMessageBack) {
  Message written = message();
  written.reason = "\xFF";
  EXPECT_FALSE(json::parse(webhook_body(written)).empty());
  EXPECT_FALSE(json::parse(slack_body(written)).empty());
}

TEST(ReplyKindOfStatus, FollowsWhatMayHaveHappened) {
  const std::map<int, ReplyKind> expected{
      {200, ReplyKind::done},      {204, ReplyKind::done},     {301, ReplyKind::rejected},
      {400, ReplyKind::rejected},  {404, ReplyKind::rejected}, {408, ReplyKind::throttled},
      {409, ReplyKind::unknown},   {422, ReplyKind::rejected}, {425, ReplyKind::throttled},
      {429, ReplyKind::throttled}, {500, ReplyKind::unknown},  {503, ReplyKind::unknown},
      {100, ReplyKind::rejected},  {0, ReplyKind::rejected}};
  for (const auto& [status, kind] : expected) EXPECT_EQ(reply_kind_of_status(status), kind);
}

}  // namespace
}  // namespace reeve::live
