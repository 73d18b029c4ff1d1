// The keys of a live configuration that say where messages go.
#include <gtest/gtest.h>

#include <string>

#include "scenarios/load.hpp"

namespace reeve::scenarios {
namespace live_test {

std::string text_with(const std::string& live) {
  return R"({ "reeve": 1,
    "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
    "platform": { "model": "sagemaker-training" },
    "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 8 } ],
    "live": { )" +
         live + "} }";
}

LiveSpec live(const std::string& keys) {
  return *load(SourceFile::from_text("test.jsonc", text_with(keys)), "/conf", {}).scenario.live;
}

/// What is said of these keys, with the source lines.
std::string said(const std::string& keys) {
  try {
    live(keys);
    return "";
  } catch (const InputError& error) {
    return render(error.diagnostics());
  }
}

TEST(LiveKeys, NameAddresses) {
  const LiveSpec spec = live(R"("region": "us-east-1", "notify": {
      "sns": "arn:aws:sns:us-east-1:111122223333:reeve.fifo",
      "webhook": "env:REEVE_WEBHOOK", "slack": "https://hooks.slack.com/services/T/B/x" })");
  EXPECT_EQ(spec.notify.sns, "arn:aws:sns:us-east-1:111122223333:reeve.fifo");
  EXPECT_EQ(spec.notify.webhook, "env:REEVE_WEBHOOK");
  EXPECT_EQ(spec.notify.slack, "https://hooks.slack.com/services/T/B/x");
  EXPECT_EQ(live("").notify.sns + live("").notify.webhook + live("").notify.slack, "");
}

TEST(LiveKeys, AKillFileIsRelativeToTheConfiguration) {
  EXPECT_EQ(live(R"("kill_file": "stop")").kill_file, "/conf/stop");
  EXPECT_EQ(live(R"("kill_file": "/run/reeve/stop")").kill_file, "/run/reeve/stop");
  EXPECT_EQ(live("").kill_file, "");
  EXPECT_NE(said(R"("kill_file": "")").find("E0242"), std::string::npos);
}

TEST(LiveKeys, RefuseWhatIsNoTopic) {
  for (const char* arn :
       {"reeve", "", "arn:aws:sqs:us-east-1:111122223333:reeve", "arn:aws:sns:us-east-1:prod:reeve",
        "arn:aws:sns:us-east-1:111122223333", "arn:aws:sns:us-east-1:111122223333:.fifo",
        "arn:aws:sns:us-east-1:111122223333:reeve:1234"}) {
    const std::string found = said(R"("notify": { "sns": ")" + std::string{arn} + "\" }");
    EXPECT_NE(found.find("error[E0364]"), std::string::npos) << arn << ": " << found;
  }
  const std::string other = said(R"("region": "us-east-1",
      "notify": { "sns": "arn:aws:sns:eu-west-1:111122223333:reeve" })");
  EXPECT_NE(other.find("the topic is in eu-west-1"), std::string::npos) << other;
  EXPECT_EQ(said(R"("region": "cn-north-1",
      "notify": { "sns": "arn:aws-cn:sns:cn-north-1:111122223333:reeve" })"),
            "");
}

TEST(LiveKeys, RefuseWhatIsNoWebhookAndDoNotShowIt) {
  for (const char* url :
       {"", "s3cr3t.example.com/x", "http://s3cr3t.example.com/x", "https://", "https:///s3cr3t",
        "https://ada:s3cr3t@example.com/x", "https://example.com/s3cr3t x", "env:", "env:s3cr3t-x",
        "env:1s3cr3t", "http://localhost.s3cr3t.com/"}) {
    for (const char* key : {"webhook", "slack"}) {
      const std::string found =
          said(R"("notify": { ")" + std::string{key} + "\": \"" + std::string{url} + "\" }");
      EXPECT_NE(found.find("error[E0365]"), std::string::npos) << url << ": " << found;
      EXPECT_NE(found.find("test.jsonc:5:"), std::string::npos) << found;
      EXPECT_EQ(found.find("s3cr3t"), std::string::npos) << found;
    }
  }
  for (const char* url :
       {"https://example.com", "https://example.com:8443/x?sig=a%2Fb", "http://localhost:8080/x",
        "http://127.0.0.1/x", "http://[::1]:1/", "env:REEVE_WEBHOOK", "env:_x1"}) {
    EXPECT_EQ(said(R"("notify": { "webhook": ")" + std::string{url} + "\" }"), "") << url;
  }
}

TEST(LiveKeys, NeedAnAddressAndKnowNoOtherKey) {
  EXPECT_NE(said(R"("notify": {})").find("error[E0366]"), std::string::npos);
  const std::string unknown = said(R"("notify": { "mail": "ada@example.com" })");
  EXPECT_NE(unknown.find("\"mail\""), std::string::npos) << unknown;
  EXPECT_NE(said(R"("notify": { "sns": 7 })").find("test.jsonc:5:"), std::string::npos);
  EXPECT_NE(said(R"("notify": "arn")").find("test.jsonc:5:"), std::string::npos);
}

}  // namespace live_test
}  // namespace reeve::scenarios
