// Names of training jobs: which ones SageMaker takes, and what further attempts are called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <reeve/policy/ids.hpp>
#include <string>
#include <string_view>

namespace reeve::policy {

inline constexpr std::size_t training_job_name_max = 63;

/// `^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$`, and no longer than 63.
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

/// Eight digits that tell names apart which begin alike (FNV-1a, 32 bits).
inline std::string short_hash(std::string_view name) {
  std::uint32_t hash = 2'166'136'261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  std::string digits(8, '0');
  for (std::size_t at = digits.size(); at-- > 0; hash >>= 4)
    digits[at] = "0123456789abcdef"[hash & 15];
  return digits;
}

/// The name of an attempt after the first: `-r<attempt>` behind what the first was called, whatever
/// that was: a job called "train-r2" is no attempt at "train".  Where that is too long it is
/// shortened, and a hash of all of it stands in the place of the rest, so that two jobs whose names
/// begin alike do not meet.  A repeat gives the same name: a clone is made once.
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

/// What the articles' handler calls an attempt after the first: "clone" once more behind it.
inline std::string appended_name(std::string_view name, AttemptNumber attempt) {
  std::string whole{name};
  for (AttemptNumber more = 1; more < attempt; ++more) whole += "clone";
  return whole;
}

/// What the articles' handler takes the job of an alarm to be: the alarm is called as the job with
/// "GPUUtil" behind it, and each "GPUUtil" is taken out of its name.
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
