// One run as the writers of tables take it: its rows, and the names of what they mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/attempt_names.hpp"
#include "report/run_rows.hpp"

namespace reeve::report {

/// Names are found once per run.  Borrows the run.
class RunNames {
 public:
  explicit RunNames(const RunRows& run);

  const RunRows& rows() const { return run_; }
  policy::Instant start() const { return run_.record.start; }
  const std::string& run() const { return id_; }
  std::string job(policy::JobId job) const { return run_.record.jobs.name(job); }
  const models::JobSpec& spec(policy::JobId job) const { return run_.record.jobs.specs[job.index]; }
  const models::JobProfile& profile(policy::JobId job) const {
    return run_.world.profiles[spec(job).profile];
  }
  const models::Pool& pool(policy::PoolId pool) const { return run_.world.pools[pool.index]; }
  const std::string& type(const models::Pool& pool) const {
    return run_.world.directory.types[pool.type.index].name;
  }
  const policy::JobTerms& terms(const models::JobProfile& profile) const {
    return run_.world.directory.terms[profile.terms];
  }
  /// Empty: none.
  std::string_view queue(const policy::JobTerms& terms) const {
    if (!terms.queue) return {};
    return run_.world.directory.queues[terms.queue->index].name;
  }
  std::string_view share(const policy::JobTerms& terms) const {
    return terms.share ? share(*terms.share) : std::string_view{};
  }
  std::string_view share(policy::ShareId share) const {
    return run_.world.directory.shares[share.index].name;
  }
  policy::TagSetId tags(policy::JobId job, policy::AttemptNumber attempt) const {
    return models::tags_of(run_.record, job, attempt, profile(job).tags);
  }
  const std::string& tags_json(policy::TagSetId tags) const { return tags_json_[tags.index]; }
  std::string_view tag(policy::TagSetId tags, std::string_view key) const {
    return run_.world.directory.tag(tags, key).value_or(std::string_view{});
  }

 private:
  const RunRows& run_;
  std::string id_;
  std::vector<std::string> tags_json_;
};

/// What each ledger line costs in micro-dollars: every exported amount is a sum of these.
std::vector<policy::Usd> line_costs(const RunNames& names);

}  // namespace reeve::report
