#include "live/mock/mock_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace reeve::live {
namespace {

using nlohmann::json;

constexpr std::string_view table_name = "reeve";
constexpr std::string_view partition_key = "journal";
constexpr std::string_view sort_key = "number";
constexpr std::size_t most_item_bytes = std::size_t{400} << 10;
constexpr std::size_t most_page_bytes = std::size_t{1} << 20;
/// Of the words that no expression may name, those that a journal could have as attributes.
constexpr std::array<std::string_view, 8> reserved{"action", "at",   "hash",   "key",
                                                   "number", "name", "values", "timestamp"};

MockError refused_item(const std::string& message) {
  return {"com.amazon.coral.validate#ValidationException", message};
}

std::optional<std::int64_t> whole(const std::string& digits) {
  std::int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return value;
}

/// `{"S": "a"}` and the like: one type, whose value is a text that is not empty for a key.
bool is_attribute(const json& value) {
  constexpr std::array<std::string_view, 4> types{"S", "N", "BOOL", "NULL"};
  if (!value.is_object() || value.size() != 1) return false;
  const std::string& type = value.begin().key();
  if (std::find(types.begin(), types.end(), type) == types.end()) return false;
  if (type == "N") return value.begin()->is_string() && whole(value.begin()->get<std::string>());
  return type == "S" ? value.begin()->is_string() : value.begin()->is_boolean();
}

struct Key {
  std::string journal;
  std::int64_t number = 0;
};

/// Nothing: a part is missing or of the wrong type.
std::optional<Key> key_in(const json& item) {
  const json journal = item.value(partition_key, json::object());
  const json number = item.value(sort_key, json::object());
  if (!is_attribute(journal) || !is_attribute(number)) return std::nullopt;
  const std::string name = journal.value("S", "");
  const auto value = whole(number.value("N", ""));
  if (name.empty() || !value) return std::nullopt;
  return Key{name, *value};
}

/// The words of an expression, with the names that stand for `#names`.
class Expression {
 public:
  Expression(std::string text, const json& asked) {
    const json names = asked.value("ExpressionAttributeNames", json::object());
    for (const char mark : {'(', ')'}) {
      for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += 3) {
        text.replace(at, 1, std::string{' ', mark, ' '});
      }
    }
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      if (end > at) add(text.substr(at, end - at), names);
      at = end + 1;
    }
    if (!wrong_ && used_.size() != names.size()) {
      wrong_ = "Value provided in ExpressionAttributeNames unused in expressions";
    }
  }
  const std::optional<std::string>& wrong() const { return wrong_; }
  const std::vector<std::string>& words() const { return words_; }

 private:
  void add(std::string word, const json& names) {
    std::string lower = word;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (std::find(reserved.begin(), reserved.end(), lower) != reserved.end()) {
      wrong_ = "Attribute name is a reserved keyword; reserved keyword: " + word;
    }
    if (word.starts_with('#')) {
      const auto name = names.find(word);
      if (name == names.end() || !name->is_string()) {
        wrong_ = "An expression attribute name used in the document path is not defined: " + word;
      } else {
        used_.insert(word);
        word = name->get<std::string>();
      }
    }
    words_.push_back(std::move(word));
  }

  std::vector<std::string> words_;
  std::set<std::string> used_;
  std::optional<std::string> wrong_;
};

}  // namespace

MockTable::MockTable(std::string account, std::string region)
    : arn_{"arn:aws:dynamodb:" + region + ':' + account + ":table/" + std::string{table_name}} {}

MockAnswer MockTable::answer(std::string_view operation, const json& asked) {
  const auto name = asked.at("TableName").get<std::string>();
  if (name != table_name && name != arn_) {
    return MockError{"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
                     "Requested resource not found"};
  }
  if (operation == "PutItem") return put(asked);
  if (operation == "GetItem") return get(asked);
  return operation == "Query" ? query(asked) : describe();
}

MockAnswer MockTable::put(const json& asked) {
  const json& item = asked.at("Item");
  for (const auto& attribute : item.items()) {
    if (!is_attribute(attribute.value())) return refused_item("Supplied AttributeValue is invalid");
  }
  const auto key = key_in(item);
  if (!key) return refused_item("One of the required keys was not given a value");
  if (item.dump().size() > most_item_bytes) {
    return refused_item("Item size has exceeded the maximum allowed size");
  }
  if (asked.contains("ExpressionAttributeValues")) return refused_item("a value is not used");
  bool is_conditional = false;
  if (asked.contains("ConditionExpression") || asked.contains("ExpressionAttributeNames")) {
    const Expression condition{asked.value("ConditionExpression", ""), asked};
    if (condition.wrong()) return refused_item(*condition.wrong());
    const std::vector<std::string>& words = condition.words();
    is_conditional = words.size() == 4 && words[0] == "attribute_not_exists" && words[1] == "(" &&
                     words[3] == ")" && (words[2] == partition_key || words[2] == sort_key);
    if (!is_conditional) return refused_item("the mock table does not know this condition");
  }
  Items& items = journals_[key->journal];
  if (is_conditional && items.contains(key->number)) {
    return MockError{"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
                     "The conditional request failed"};
  }
  items[key->number] = item;
  return json::object();
}

MockAnswer MockTable::get(const json& asked) const {
  const json& given = asked.at("Key");
  const auto key = key_in(given);
  if (!key || given.size() != 2) {
    return refused_item("The provided key element does not match the schema");
  }
  const auto items = journals_.find(key->journal);
  if (items == journals_.end()) return json::object();
  const auto item = items->second.find(key->number);
  return item == items->second.end() ? json::object() : json{{"Item", item->second}};
}

MockAnswer MockTable::query(const json& asked) const {
  const Expression condition{asked.at("KeyConditionExpression").get<std::string>(), asked};
  if (condition.wrong()) return refused_item(*condition.wrong());
  const std::vector<std::string>& words = condition.words();
  const bool is_known = words.size() == 7 && words[0] == partition_key && words[1] == "=" &&
                        words[3] == "AND" && words[4] == sort_key && words[5] == ">";
  if (!is_known) return refused_item("the mock table does not know this key condition");
  const json& values = asked.at("ExpressionAttributeValues");
  if (values.size() != 2 || !values.contains(words[2]) || !values.contains(words[6])) {
    return refused_item("An expression attribute value used in expression is not defined");
  }
  auto key = key_in({{partition_key, values.at(words[2])}, {sort_key, values.at(words[6])}});
  if (!key) return refused_item("One or more parameter values were invalid");
  if (const auto start = asked.find("ExclusiveStartKey"); start != asked.end()) {
    const auto from = key_in(*start);
    if (!from || from->journal != key->journal) {
      return refused_item("The provided starting key is invalid");
    }
    key->number = std::max(key->number, from->number);
  }
  json page{{"Items", json::array()}};
  const auto most = asked.value("Limit", std::size_t{1'000'000});
  std::size_t bytes = 0;
  const auto items = journals_.find(key->journal);
  const Items none;
  const Items& all = items == journals_.end() ? none : items->second;
  for (auto item = all.upper_bound(key->number); item != all.end(); ++item) {
    page["Items"].push_back(item->second);
    bytes += item->second.dump().size();
    if (bytes < most_page_bytes && page["Items"].size() < most) continue;
    page["LastEvaluatedKey"] = {{partition_key, item->second.at(partition_key)},
                                {sort_key, item->second.at(sort_key)}};
    break;
  }
  page["Count"] = page["Items"].size();
  page["ScannedCount"] = page["Items"].size();
  return page;
}

MockAnswer MockTable::describe() const {
  const auto attribute = [](std::string_view name, const char* type) {
    return json{{"AttributeName", name}, {"AttributeType", type}};
  };
  const auto key = [](std::string_view name, const char* type) {
    return json{{"AttributeName", name}, {"KeyType", type}};
  };
  return json{{"Table",
               {{"TableName", table_name},
                {"TableArn", arn_},
                {"TableStatus", "ACTIVE"},
                {"AttributeDefinitions", {attribute(partition_key, "S"), attribute(sort_key, "N")}},
                {"KeySchema", {key(partition_key, "HASH"), key(sort_key, "RANGE")}}}}};
}

}  // namespace reeve::live
