// The names that options give the ends of attempts.
#pragma once

#include <algorithm>
#include <array>
#include <reeve/policy/policy.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::policies {

inline constexpr std::string_view ended_failed_as = "failed:";       ///< and a class of failure
inline constexpr std::string_view ended_stopped_by = "stopped_by:";  ///< and a rule's kind or name

/// Those that are one word.
inline constexpr std::array<std::string_view, 4> plain_ends{
    "failed", "stopped", "max_runtime_exceeded", "max_wait_time_exceeded"};

/// Whether a name is that of an end.
inline bool is_end(std::string_view name) {
  if (std::find(plain_ends.begin(), plain_ends.end(), name) != plain_ends.end()) return true;
  if (name.starts_with(ended_stopped_by)) return name.size() > ended_stopped_by.size();
  if (!name.starts_with(ended_failed_as)) return false;
  return policy::failure_class_named(name.substr(ended_failed_as.size())).has_value();
}

/// Names that may have been meant.
inline std::vector<std::string> ends_that_may_be() {
  std::vector<std::string> names{plain_ends.begin(), plain_ends.end()};
  for (const std::string_view of : policy::failure_class_names) {
    names.push_back(std::string{ended_failed_as} + std::string{of});
  }
  return names;
}

/// A set of ends, by their names; other names are left out.
class Ends {
 public:
  explicit Ends(const std::vector<std::string>& names) {
    for (const std::string& name : names) add(name);
  }

  /// `kind`, `name`: of the rule whose stop it was; empty: it was none's.
  bool include(const policy::JobStatus& status, std::string_view kind,
               std::string_view name) const {
    using policy::Secondary;
    if (status.primary == policy::Primary::failed) {
      return failed_ ||
             std::find(classes_.begin(), classes_.end(), status.failure) != classes_.end();
    }
    if (status.primary != policy::Primary::stopped) return false;
    if (status.secondary == Secondary::max_runtime_exceeded) return timed_out_;
    if (status.secondary == Secondary::max_wait_time_exceeded) return waited_out_;
    return stopped_ || name_rule(kind, name);
  }

  /// Whether a stop by that rule is named, as in "stopped_by:stalled_gpu".
  bool name_rule(std::string_view kind, std::string_view name) const {
    return std::any_of(rules_.begin(), rules_.end(),
                       [&](const std::string& rule) { return rule == kind || rule == name; });
  }

 private:
  void add(std::string_view end) {
    if (!is_end(end)) return;
    failed_ |= end == "failed";
    stopped_ |= end == "stopped";
    timed_out_ |= end == "max_runtime_exceeded";
    waited_out_ |= end == "max_wait_time_exceeded";
    if (end.starts_with(ended_stopped_by)) rules_.emplace_back(end.substr(ended_stopped_by.size()));
    if (!end.starts_with(ended_failed_as)) return;
    classes_.push_back(*policy::failure_class_named(end.substr(ended_failed_as.size())));
  }

  bool failed_ = false;
  bool stopped_ = false;
  bool timed_out_ = false;
  bool waited_out_ = false;
  std::vector<std::string> rules_;
  std::vector<policy::FailureClass> classes_;
};

}  // namespace reeve::policies
