// The measures of groups of jobs: by tag, by owner and by share.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "experiments/run.hpp"

namespace reeve::experiments {

/// `tag.KEY.VALUE.*` of every key and value on a job, and `tag.KEY.jain_index`.
std::vector<Measure> measures_of_tags(const scenarios::Scenario& scenario, const RunResult& result);

/// `owner.NAME.*` of every owner of a job.
std::vector<Measure> measures_of_owners(const scenarios::Scenario& scenario,
                                        const RunResult& result);

/// One number of a group; nothing if no job is in it.
std::optional<Quantity> of_tag(const models::World& world, const models::Record& record,
                               std::string_view key, std::string_view value, std::string_view what);
std::optional<Quantity> of_owner(const models::World& world, const models::Record& record,
                                 std::string_view owner, std::string_view what);
std::optional<Quantity> of_share(const models::World& world, const models::Record& record,
                                 std::string_view name, std::string_view what);

/// Of the groups that a tag's key makes of the jobs.
std::optional<Quantity> jain_index_of_tag(const models::World& world, const models::Record& record,
                                          std::string_view key);

/// Of a share in all fleets together, at an instant.
std::optional<Quantity> of_share_at(const models::World& world, const models::Record& record,
                                    std::string_view name, std::string_view what,
                                    policy::Instant at);

}  // namespace reeve::experiments
