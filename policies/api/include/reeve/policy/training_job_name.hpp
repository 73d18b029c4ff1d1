// Names of training jobs: which ones SageMaker accepts, and the names of further attempts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <reeve/policy/ids.hpp>
#include <string>
#include <string_view>

namespace reeve::policy {

inline constexpr std::size_t training_job_name_max = 63;

/// `^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$`, at most 63 characters.
constexpr bool is_training_job_name(std::string_view name) {
  const auto letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (name.empty() || name.size() > training_job_name_max) return false;
  if (!letter_or_digit(name.front()) || !letter_or_digit(name.back())) return false;
  for (const char c : name) {
    if (c != '-' && !letter_or_digit(c)) return false;
  }
  return true;
}

/// Eight hexadecimal digits that distinguish names with the same beginning (FNV-1a, 32 bits).
inline std::string short_hash(std::string_view name) {
  std::uint32_t hash = 2'166'136'261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  std::string digits(8, '0');
  for (std::size_t at = digits.size(); at-- > 0; hash >>= 4)
    digits[at] = "0123456789abcdef"[hash & 15];
  return digits;
}

/// The name of a further attempt: the first name with the suffix `-r<attempt>`.  A first name such
/// as "train-r2" is not parsed.  If the result is too long, the name is cut and a hash of the whole
/// name is inserted, so that similar names do not collide.  A repeat gives the same name, so a
/// clone is made once.
inline std::string clone_name(std::string_view name, AttemptNumber attempt) {
  const std::string suffix = "-r" + std::to_string(attempt);
  if (name.size() + suffix.size() <= training_job_name_max) {
    while (!name.empty() && name.back() == '-') name.remove_suffix(1);
    return std::string{name} + suffix;
  }
  constexpr std::string_view longest = "-r65535";
  const std::string hash = "-" + short_hash(name);
  std::string base{name.substr(0, training_job_name_max - longest.size() - hash.size())};
  while (!base.empty() && base.back() == '-') base.pop_back();
  return base + hash + suffix;
}

/// The name that the articles' handler gives to a further attempt: one more "clone" for each.
inline std::string appended_name(std::string_view name, AttemptNumber attempt) {
  std::string whole{name};
  for (AttemptNumber more = 1; more < attempt; ++more) whole += "clone";
  return whole;
}

/// The job name that the articles' handler derives from an alarm: the alarm has the job's name with
/// "GPUUtil" appended, and the handler removes every "GPUUtil".
inline std::string job_in_alarm_name(std::string_view job) {
  constexpr std::string_view suffix = "GPUUtil";
  std::string left{job};
  left += suffix;
  for (std::size_t at = 0; (at = left.find(suffix, at)) != std::string::npos;) {
    left.erase(at, suffix.size());
  }
  return left;
}

}  // namespace reeve::policy
