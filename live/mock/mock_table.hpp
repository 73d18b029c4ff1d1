// A table of DynamoDB in a mock account: what a journal needs of it.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "live/mock/mock_answer.hpp"

namespace reeve::live {

/// One table, named `reeve`, with the keys of DynamoJournal.  PutItem, whose only condition is that
/// a key does not exist, GetItem, DescribeTable, and Query for the items behind a number.  A page
/// has at most a mebibyte, and an item 400 KiB.
class MockTable {
 public:
  MockTable(std::string account, std::string region);

  /// The parameters have been checked by wrong_parameters().
  MockAnswer answer(std::string_view operation, const nlohmann::json& asked);

 private:
  using Items = std::map<std::int64_t, nlohmann::json>;  ///< by number

  MockAnswer put(const nlohmann::json& asked);
  MockAnswer get(const nlohmann::json& asked) const;
  MockAnswer query(const nlohmann::json& asked) const;
  MockAnswer describe() const;

  std::string arn_;
  std::map<std::string, Items> journals_;
};

}  // namespace reeve::live
