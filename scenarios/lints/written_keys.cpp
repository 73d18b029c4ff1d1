#include "scenarios/lints/written_keys.hpp"

namespace reeve::scenarios {
namespace {

/// The object of the job, or of those that it is one of (the longest name of such); else the list.
Node written_job(const Node& list, std::string_view name) {
  std::optional<Node> found;
  std::size_t longest = 0;
  for (const Node job : list.as_array()) {
    const auto own = job.is_object() ? job.find("name") : std::nullopt;
    if (!own || !own->is_text() || !name.starts_with(own->as_text())) continue;
    const std::string_view rest = name.substr(own->as_text().size());
    const bool fits = rest.empty() || rest.front() == '-';
    if (!fits || (found && own->as_text().size() <= longest)) continue;
    found = job;
    longest = own->as_text().size();
  }
  return found.value_or(list);
}

}  // namespace

Node written_key(const Resolved& resolved, std::string_view name, std::string_view key) {
  const Node document = *resolved.input.written;
  const auto& jobs = resolved.input.jobs.written;
  const Node own =
      jobs ? written_job(*jobs, name) : *resolved.input.workload->written->find("trace");
  if (!own.is_object()) return own;
  if (const auto written = own.find(key)) return *written;
  const auto defaults = document.find("job_defaults");
  return defaults ? defaults->find(key).value_or(own) : own;
}

Node at_platform(const ScenarioInput& input, std::string_view key) {
  const auto& platform = input.platform.written;
  return platform ? platform->find(key).value_or(*platform) : *input.written;
}

}  // namespace reeve::scenarios
