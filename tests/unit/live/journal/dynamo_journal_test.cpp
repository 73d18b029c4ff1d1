#include "live/journal/dynamo_journal.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "live/act/action_log.hpp"
#include "live/aws/credentials.hpp"
#include "live/mock/mock_table.hpp"
#include "live/mock/parameters.hpp"
#include "tests/unit/live/scripted.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

Credentials key_of_table() {
  Credentials credentials;
  credentials.key = {"KEY", Secret{std::string_view{"s"}}, {}};
  return credentials;
}

/// A table, and what happens to the calls of an operation: by its number from 1 on.
struct TableTransport : Transport {
  enum class Fault : std::uint8_t { none, throttled, lost_call, lost_reply };

  MockTable table{"111122223333", "us-east-1"};
  std::map<std::string, std::vector<Fault>> faults;
  std::map<std::string, std::size_t> calls;
  std::string last_error;

  Outcome send(const Request& request) override {
    const std::string target = header_of(request, "x-amz-target");
    const std::string operation = target.substr(target.find('.') + 1);
    const std::size_t number = calls[operation]++;
    const auto& planned = faults[operation];
    const Fault fault = number < planned.size() ? planned[number] : Fault::none;
    if (fault == Fault::throttled) {
      return Response{400, {}, R"({"__type":"ThrottlingException","message":"slow"})"};
    }
    if (fault == Fault::lost_call) return TransportFailure{TransportFault::lost, "lost"};
    const json asked = json::parse(request.body);
    const auto wrong = wrong_parameters("dynamodb", operation, asked);
    const MockAnswer answer = wrong ? MockAnswer{*wrong} : table.answer(operation, asked);
    if (fault == Fault::lost_reply) return TransportFailure{TransportFault::lost, "lost"};
    if (const auto* error = std::get_if<MockError>(&answer)) {
      last_error = error->message;
      return Response{400, {}, json{{"__type", error->code}, {"message", error->message}}.dump()};
    }
    return Response{200, {}, std::get<json>(answer).dump()};
  }
};

struct DynamoJournalTest : testing::Test {
  using Fault = TableTransport::Fault;

  ScriptedEnvironment environment;
  ScriptedClock clock;
  TableTransport transport;
  FixedCredentials key{key_of_table()};
  Client client{{environment, transport, clock, [] { return 0.5; }}, key, {"us-east-1", 3}};
  policy::Instant at{std::chrono::seconds{1'800'000'000}};

  DynamoJournal journal(const std::string& name = "111122223333/us-east-1") {
    return {client, "reeve", name};
  }
  std::string why_not(DynamoJournal& written) {
    try {
      written.append(at, JournalKind::planned, "a", "{}");
    } catch (const JournalFailure& failure) {
      return failure.what();
    }
    return {};
  }
  std::size_t entries() {
    DynamoJournal read = journal();
    const auto [count, broken] = verify(read);
    EXPECT_FALSE(broken);
    return count;
  }
};

TEST_F(DynamoJournalTest, ContinuesAndReadsWhatIsNew) {
  DynamoJournal first = journal();
  first.append(at, JournalKind::planned, "a", R"({"x":1})");
  first.append(at, JournalKind::sent, "a", "{}");
  DynamoJournal second = journal();
  std::vector<JournalEntry> found;
  const auto keep = [&](const JournalEntry& entry) { found.push_back(entry); };
  EXPECT_FALSE(second.for_each(keep));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].body, R"({"x":1})");
  second.append(at, JournalKind::settled, "a", "{}");
  EXPECT_FALSE(second.for_each_new(keep));
  EXPECT_EQ(found.size(), 2U);
  EXPECT_FALSE(first.for_each_new(keep));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[2].kind, JournalKind::settled);
  // Another account has a journal of its own in the table.
  DynamoJournal other = journal("999999999999/us-east-1");
  other.append(at, JournalKind::planned, "b", "{}");
  EXPECT_EQ(entries(), 3U);
}

TEST_F(DynamoJournalTest, ReadsAllPages) {
  DynamoJournal written = journal();
  const std::string body = json{{"reason", std::string(100'000, 'x')}}.dump();
  for (int entry = 0; entry < 25; ++entry) written.append(at, JournalKind::planned, "a", body);
  EXPECT_EQ(entries(), 25U);
  EXPECT_EQ(transport.calls["Query"], 3U);
}

TEST_F(DynamoJournalTest, ATryWithoutAReplyIsNoOtherWriter) {
  transport.faults["PutItem"] = {Fault::lost_reply, Fault::throttled, Fault::none,
                                 Fault::lost_call};
  DynamoJournal written = journal();
  EXPECT_EQ(why_not(written), "");  // the third try finds the entry of the first
  EXPECT_EQ(why_not(written), "");  // the first try is lost
  EXPECT_EQ(entries(), 2U);
  transport.calls.clear();
  transport.faults["PutItem"] = {Fault::lost_call, Fault::lost_call, Fault::lost_reply};
  EXPECT_EQ(why_not(written), "");  // without a reply: it is there
  transport.calls.clear();
  transport.faults["PutItem"] = {Fault::lost_call, Fault::lost_call, Fault::lost_call};
  EXPECT_NE(why_not(written), "");  // it is not, and may still come
  EXPECT_EQ(entries(), 3U);
}

TEST_F(DynamoJournalTest, OfTwoWritersTheSecondFails) {
  DynamoJournal first = journal();
  DynamoJournal second = journal();
  EXPECT_EQ(why_not(first), "");
  // Even if it writes the same entry.
  EXPECT_EQ(why_not(second), "another process writes the journal");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(DynamoJournalTest, SaysWhatAwsRefuses) {
  DynamoJournal missing{client, "none", "a"};
  EXPECT_EQ(why_not(missing),
            "dynamodb:PutItem failed: ResourceNotFoundException: Requested resource not found");
}

/// The mock table is as strict as DynamoDB about names in expressions.
TEST_F(DynamoJournalTest, TheMockTableRefusesReservedNames) {
  const json item{{"journal", {{"S", "a"}}}, {"number", {{"N", "1"}}}};
  const auto answer =
      transport.table.answer("PutItem", {{"TableName", "reeve"},
                                         {"Item", item},
                                         {"ConditionExpression", "attribute_not_exists(number)"}});
  const auto* error = std::get_if<MockError>(&answer);
  ASSERT_NE(error, nullptr);
  EXPECT_NE(error->message.find("reserved keyword"), std::string::npos);
}

}  // namespace
}  // namespace reeve::live
