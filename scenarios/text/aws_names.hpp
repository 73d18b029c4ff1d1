// Names of AWS: which texts are the number of an account, the name of a region or an ARN.
#pragma once

#include <cstddef>
#include <string_view>

namespace reeve::scenarios {

/// Twelve digits.
constexpr bool is_account(std::string_view text) {
  constexpr std::size_t digits = 12;
  return text.size() == digits && text.find_first_not_of("0123456789") == text.npos;
}

/// As AWS writes them: us-east-1, us-gov-west-1.
constexpr bool is_region(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz-";
  const std::size_t last = text.rfind('-');
  if (last == text.npos || last < 2 || last + 2 != text.size()) return false;
  const std::string_view names = text.substr(0, last);
  const bool plain = names.find("--") == names.npos && names.front() != '-' && names.back() != '-';
  return plain && text.back() >= '1' && text.back() <= '9' && names.find('-') != names.npos &&
         names.find_first_not_of(letters) == names.npos;
}

/// Part `number` of arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE, from 0 on; the last is the rest.
constexpr std::string_view part_of_arn(std::string_view arn, std::size_t number) {
  constexpr std::size_t last = 5;
  for (std::size_t i = 0; i < number; ++i) {
    const std::size_t colon = arn.find(':');
    if (colon == arn.npos) return {};
    arn.remove_prefix(colon + 1);
  }
  return number == last ? arn : arn.substr(0, arn.find(':'));
}

constexpr bool is_arn(std::string_view text) {
  return text.starts_with("arn:");
}

/// Empty of what is no ARN or has none, as have global resources.
constexpr std::string_view region_of_arn(std::string_view arn) {
  return is_arn(arn) ? part_of_arn(arn, 3) : std::string_view{};
}
constexpr std::string_view account_of_arn(std::string_view arn) {
  return is_arn(arn) ? part_of_arn(arn, 4) : std::string_view{};
}

/// The name at the end of arn:...:KIND/NAME; of a name without an ARN, all of it.
constexpr std::string_view last_of_arn(std::string_view arn) {
  return arn.substr(arn.rfind('/') + 1);  // npos + 1 is 0
}

/// The ARN of an SNS topic, standard or FIFO.
constexpr bool is_topic(std::string_view arn) {
  constexpr std::string_view fifo = ".fifo";
  constexpr std::size_t longest = 256;
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string_view name = part_of_arn(arn, 5);
  if (name.size() > longest) return false;
  if (name.ends_with(fifo)) name.remove_suffix(fifo.size());
  return part_of_arn(arn, 0) == "arn" && part_of_arn(arn, 1).starts_with("aws") &&
         part_of_arn(arn, 2) == "sns" && is_region(part_of_arn(arn, 3)) &&
         is_account(part_of_arn(arn, 4)) && !name.empty() &&
         name.find_first_not_of(letters) == name.npos;
}

}  // namespace reeve::scenarios
