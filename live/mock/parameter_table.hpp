// The parameters of operations as a table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace reeve::live::parameter_table {

/// `time`, `count`, `decimal` and `flag` are texts in forms, and so is `members`, a list, if it is
/// empty.
enum class Kind : std::uint8_t {
  text,
  whole,
  number,
  list,
  time,
  count,
  object,
  truth,
  decimal,
  flag,
  members,
};

struct Parameter {
  std::string_view name;
  Kind kind = Kind::text;
  bool is_required = false;
  std::int64_t least = 0;  ///< of a whole number, or of the elements of a list
  std::int64_t most = 0;   ///< 0: no bound
};

struct Operation {
  std::string_view service;
  std::string_view name;
  std::span<const Parameter> parameters;
};

/// The operations of AWS Batch.
std::span<const Operation> batch_operations();

}  // namespace reeve::live::parameter_table
