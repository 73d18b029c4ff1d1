// SageMaker's names of the secondary statuses, and sets of them.
#pragma once

#include <cstdint>
#include <optional>
#include <reeve/policy/condition.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::policies {

/// DescribeTrainingJob's SecondaryStatus values that are still produced.
inline constexpr auto kStatusNames = std::span{policy::secondary_names}.subspan<1>();

/// The names alone, for an option table.
inline std::vector<std::string_view> status_names() {
  std::vector<std::string_view> names;
  names.reserve(kStatusNames.size());
  for (const auto& [name, status] : kStatusNames) names.push_back(name);
  return names;
}

/// Nothing for one that is not produced any more.
inline std::optional<std::string_view> status_name(policy::Secondary status) {
  for (const auto& [name, known] : policy::secondary_names) {
    if (known == status) return name;
  }
  return std::nullopt;
}

/// A set of secondary statuses; names it does not know are left out.
class StatusSet {
 public:
  explicit StatusSet(const std::vector<std::string>& names) {
    for (const auto& [known, status] : kStatusNames) {
      for (const std::string& name : names) {
        if (name == known) bits_ |= bit(status);
      }
    }
  }
  bool contains(policy::Secondary status) const { return (bits_ & bit(status)) != 0; }
  bool meets(const StatusSet& other) const { return (bits_ & other.bits_) != 0; }
  bool empty() const { return bits_ == 0; }

 private:
  static std::uint32_t bit(policy::Secondary status) {
    return std::uint32_t{1} << static_cast<std::uint32_t>(status);
  }
  std::uint32_t bits_ = 0;
};

}  // namespace reeve::policies
