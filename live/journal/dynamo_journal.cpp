#include "live/journal/dynamo_journal.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "live/aws/system_surroundings.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

constexpr const char* writer_key = "writer";

[[noreturn]] void give_up(const char* operation, const CallError& error) {
  throw JournalFailure{
      fmt::format("dynamodb:{} failed: {}: {}", operation, error.code, error.message)};
}

json text(const std::string& value) {
  return {{"S", value}};
}

json number(std::uint64_t value) {
  return {{"N", std::to_string(value)}};
}

/// Empty: the item has no such text.
std::string text_attribute(const json& item, const char* key) {
  const auto attribute = item.find(key);
  if (attribute == item.end() || !attribute->is_object()) return {};
  return attribute->value("S", "");
}

std::uint64_t number_attribute(const json& item) {
  const auto attribute = item.find(number_key);
  const std::string digits =
      attribute == item.end() || !attribute->is_object() ? "" : attribute->value("N", "");
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end) throw JournalFailure{"an entry has no number"};
  return value;
}

std::string drawn_name() {
  std::string digits;
  for (int part = 0; part < 4; ++part) {
    digits += fmt::format("{:08x}", static_cast<std::uint32_t>(system_random() * 0x1p32));
  }
  return digits;
}

}  // namespace

DynamoJournal::DynamoJournal(Client& client, std::string table, std::string name)
    : client_{client}, table_{std::move(table)}, name_{std::move(name)}, writer_{drawn_name()} {}

json DynamoJournal::key_of(std::uint64_t value) const {
  return {{journal_key, text(name_)}, {number_key, number(value)}};
}

void DynamoJournal::write(const Row& row) {
  json item = key_of(row.number);
  item["at"] = text(row.at);
  item["kind"] = text(row.kind);
  item["action"] = text(row.action);
  item["body"] = text(row.body);
  item["hash"] = text(row.hash);
  item[writer_key] = text(writer_);
  const CallResult put = client_.call({services::dynamodb,
                                       "PutItem",
                                       {{"TableName", table_},
                                        {"Item", std::move(item)},
                                        {"ConditionExpression", "attribute_not_exists(#number)"},
                                        {"ExpressionAttributeNames", {{"#number", number_key}}}}});
  if (!put.error) return;
  const bool is_taken = put.error->code == "ConditionalCheckFailedException";
  const bool may_be_written = is_taken || put.error->kind == CallErrorKind::unknown;
  if (may_be_written && is_own(row)) return;
  if (is_taken) throw JournalFailure{"another process writes the journal"};
  give_up("PutItem", *put.error);
}

/// Whether the entry was written, and by this object.
bool DynamoJournal::is_own(const Row& row) {
  const CallResult got = client_.call(
      {services::dynamodb,
       "GetItem",
       {{"TableName", table_}, {"Key", key_of(row.number)}, {"ConsistentRead", true}}});
  if (got.error) give_up("GetItem", *got.error);
  const auto item = got.value.find("Item");
  return item != got.value.end() && text_attribute(*item, "hash") == row.hash &&
         text_attribute(*item, writer_key) == writer_;
}

void DynamoJournal::read(std::uint64_t after, const std::function<void(Row)>& take) {
  Call query{
      services::dynamodb,
      "Query",
      {{"TableName", table_},
       {"ConsistentRead", true},
       {"KeyConditionExpression", "#journal = :journal AND #number > :after"},
       {"ExpressionAttributeNames", {{"#journal", journal_key}, {"#number", number_key}}},
       {"ExpressionAttributeValues", {{":journal", text(name_)}, {":after", number(after)}}}}};
  for (;;) {
    const CallResult page = client_.call(query);
    if (page.error) give_up("Query", *page.error);
    const auto items = page.value.find("Items");
    if (items == page.value.end() || !items->is_array()) {
      throw JournalFailure{"dynamodb:Query: the reply has no Items"};
    }
    for (const json& item : *items) {
      take({number_attribute(item), text_attribute(item, "at"), text_attribute(item, "kind"),
            text_attribute(item, "action"), text_attribute(item, "body"),
            text_attribute(item, "hash")});
    }
    const auto last = page.value.find("LastEvaluatedKey");
    if (last == page.value.end() || !last->is_object()) return;
    if (query.parameters.value("ExclusiveStartKey", json{}) == *last) {
      throw JournalFailure{"dynamodb:Query: the pages do not end"};
    }
    query.parameters["ExclusiveStartKey"] = *last;
  }
}

}  // namespace reeve::live
