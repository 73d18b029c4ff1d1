// The names that options give the ends of attempts.
#pragma once

#include <algorithm>
#include <reeve/policy/policy.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::policies {

inline constexpr std::string_view ended_failed_as = "failed:";       ///< and a class of failure
inline constexpr std::string_view ended_stopped_by = "stopped_by:";  ///< and a rule's kind or name

/// Whether a name is that of an end.
inline bool is_end(std::string_view name) {
  for (const std::string_view known :
       {"failed", "stopped", "max_runtime_exceeded", "max_wait_time_exceeded"}) {
    if (name == known) return true;
  }
  if (name.starts_with(ended_stopped_by)) return name.size() > ended_stopped_by.size();
  if (!name.starts_with(ended_failed_as)) return false;
  return policy::failure_class_named(name.substr(ended_failed_as.size())).has_value();
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
