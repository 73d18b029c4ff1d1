// Takes every name out of a joined history, by a key that stays with its owner.
#pragma once

#include <map>
#include <set>
#include <string>

#include "scenarios/history/join.hpp"

namespace reeve::scenarios {

/// Names and what stands for them: "job" "train-7" "job-1".  The same names get the same
/// pseudonyms as long as the key is kept; new names get the next numbers.
class NameKey {
 public:
  /// Reads a key as text() writes it.  Throws InputError E0404 if it is none.
  static NameKey parse(const std::string& file, const std::string& text);
  std::string text() const;

  /// What stands for the name; empty for an empty one.
  std::string pseudonym(const std::string& kind, const std::string& name);

  /// Names of the input are not pseudonyms of others.
  void take(const ImportedJob& job);

  /// By how many whole weeks all times move; 1 at least.  Kept in the key.
  std::int64_t weeks() const { return weeks_; }
  void set_weeks(std::int64_t weeks) { weeks_ = weeks; }

 private:
  std::map<std::string, std::map<std::string, std::string>> names_;  ///< by kind
  std::set<std::string, std::less<>> taken_;
  std::int64_t weeks_ = 0;
};

/// Replaces the names of jobs, users, queues, sweeps and values of tags, drops free text, moves all
/// times by whole weeks, rounds dollars to four digits, and puts users with fewer than 5 jobs
/// together.  Keys of tags stay if `kept_tags` lists them; other tags are dropped.
void anonymize(JoinedHistory& joined, NameKey& key, const std::vector<std::string>& kept_tags);

}  // namespace reeve::scenarios
