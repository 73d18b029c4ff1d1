#include "scenarios/records/end_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "scenarios/text/diagnostic.hpp"

namespace reeve::scenarios {
namespace {

using Row = std::pair<std::string_view, EndStatus>;

// The first of each status is the name that reeve writes.
constexpr std::array end_statuses = std::to_array<Row>({
    {"unknown", EndStatus::unknown},
    {"completed", EndStatus::completed},
    {"failed", EndStatus::failed},
    {"killed", EndStatus::killed},
    {"timeout", EndStatus::timeout},
    {"oom", EndStatus::out_of_memory},
    {"node_fail", EndStatus::node_failure},
    {"never_started", EndStatus::never_started},
    {"killed_or_running", EndStatus::killed_or_running},
    {"preempted", EndStatus::preempted},
    {"running", EndStatus::running},
    {"pending", EndStatus::pending},
    {"out_of_memory", EndStatus::out_of_memory},
    {"node_failure", EndStatus::node_failure},
    {"boot_fail", EndStatus::node_failure},
    {"cancelled", EndStatus::killed},
    {"canceled", EndStatus::killed},
    {"stopped", EndStatus::killed},
    {"revoked", EndStatus::killed},
    {"succeeded", EndStatus::completed},
    {"pass", EndStatus::completed},
    {"passed", EndStatus::completed},
    {"deadline", EndStatus::timeout},
    {"timed_out", EndStatus::timeout},
    {"maxruntimeexceeded", EndStatus::timeout},
    {"suspended", EndStatus::running},
    {"resizing", EndStatus::running},
    {"requeued", EndStatus::preempted},
});

constexpr std::array end_causes = std::to_array<std::pair<std::string_view, EndCause>>({
    {"unknown", EndCause::unknown},
    {"limit", EndCause::limit},
    {"max_wait", EndCause::max_wait},
    {"person", EndCause::person},
    {"rule", EndCause::rule},
    {"preempted", EndCause::preempted},
    {"spot", EndCause::spot},
    {"hardware", EndCause::hardware},
    {"oom", EndCause::out_of_memory},
    {"code", EndCause::code},
    {"capacity", EndCause::capacity},
    {"quota", EndCause::quota},
});

char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_case(x) == lower_case(y); });
}

std::string_view name_of(EndStatus status) {
  for (const auto& [name, known] : end_statuses) {
    if (known == status) return name;
  }
  return "unknown";
}

std::optional<EndStatus> end_status_named(std::string_view word) {
  // Slurm names the user who cancelled a job, and marks a state that was cut off with a plus.
  if (const std::size_t by = word.find(" by "); by != word.npos) word = word.substr(0, by);
  const bool is_cut = word.ends_with('+');
  if (is_cut) word.remove_suffix(1);
  for (const auto& [name, known] : end_statuses) {
    if (same_word(word, name)) return known;
  }
  if (!is_cut || word.empty()) return std::nullopt;
  for (const auto& [name, known] : end_statuses) {
    if (same_word(word, name.substr(0, word.size()))) return known;
  }
  return std::nullopt;
}

std::string help_for_end_status(std::string_view word) {
  std::vector<std::string_view> known;
  known.reserve(end_statuses.size());
  for (const auto& [name, status] : end_statuses) known.push_back(name);
  if (const auto near = nearest_of(word, known)) {
    return fmt::format("did you mean {}?", in_quotes(*near));
  }
  return "write completed, failed, killed, timeout, oom, node_fail, preempted, running, pending, "
         "never_started or unknown; leave the cell empty if the log does not tell";
}

std::string_view name_of(EndCause cause) {
  return end_causes[static_cast<std::size_t>(cause)].first;
}

std::optional<EndCause> end_cause_named(std::string_view word) {
  for (const auto& [name, cause] : end_causes) {
    if (same_word(word, name)) return cause;
  }
  return std::nullopt;
}

std::string help_for_end_cause(std::string_view word) {
  std::vector<std::string_view> known;
  known.reserve(end_causes.size());
  for (const auto& [name, cause] : end_causes) known.push_back(name);
  if (const auto near = nearest_of(word, known)) {
    return fmt::format("did you mean {}?", in_quotes(*near));
  }
  return fmt::format("write one of {}", fmt::join(known, ", "));
}

}  // namespace reeve::scenarios
