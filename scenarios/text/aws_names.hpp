// Names of AWS: which texts are the number of an account or the name of a region.
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

}  // namespace reeve::scenarios
