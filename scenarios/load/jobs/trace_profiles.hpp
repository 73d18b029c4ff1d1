// The profiles of the jobs of a trace: its users and tags, and the fleet and terms of each row.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "scenarios/load/resolved/loading.hpp"
#include "scenarios/records/trace.hpp"

namespace reeve::scenarios {

/// Makes one profile for rows that differ in none of these.
class TraceProfiles {
 public:
  /// `profile` has all that rows do not say.
  TraceProfiles(Loading& loading, const TraceWorkloadInput& input, models::JobProfile profile)
      : loading_{loading}, input_{input}, profile_{std::move(profile)} {}

  /// The number of the row's profile in the world.  A user of the trace is the owner and the tag
  /// `username`, unless the scenario or another tag of the row says who is.
  std::uint32_t of(const TraceRow& row, policy::PoolId pool, std::uint16_t terms);

 private:
  policy::TagSetId tags_of(const TraceRow& row);
  std::string owner_of(const TraceRow& row) const;

  /// Weight, terms, fleet and tags.
  using Key = std::tuple<std::uint32_t, std::uint16_t, std::uint32_t, std::uint32_t>;

  Loading& loading_;
  const TraceWorkloadInput& input_;
  models::JobProfile profile_;
  std::map<Key, std::map<std::string, std::uint32_t, std::less<>>> known_ = {};  ///< then by user
  std::map<std::string, policy::TagSetId, std::less<>> tags_of_users_ = {};
};

}  // namespace reeve::scenarios
