// The parts of an ARN, the name of a resource of AWS.
#pragma once

#include <cstddef>
#include <string_view>

namespace reeve::live {

/// Part `number` of arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE, from 0 on; the last is the rest.
/// Empty: there is none.
constexpr std::string_view part_of_arn(std::string_view arn, std::size_t number) {
  constexpr std::size_t last = 5;
  for (std::size_t i = 0; i < number; ++i) {
    const std::size_t colon = arn.find(':');
    if (colon == arn.npos) return {};
    arn.remove_prefix(colon + 1);
  }
  return number == last ? arn : arn.substr(0, arn.find(':'));
}

}  // namespace reeve::live
