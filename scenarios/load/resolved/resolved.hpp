// A scenario as it is written and what it means: what lints look at, after everything is resolved.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/world.hpp"
#include "scenarios/load/keys/input.hpp"
#include "scenarios/load/keys/rule_options.hpp"
#include "scenarios/load/keys/scenario.hpp"
#include "scenarios/text/json.hpp"

namespace reeve::scenarios {

/// How much a scenario may ask for before it is refused (E0226).
struct LoadLimits {
  std::uint64_t written_jobs = 10'000'000;  ///< of `jobs` with their counts, and of a trace
};

/// Where the keys of one thing stand: in its own object, or in the defaults it was merged over.
struct Place {
  Node here;
  std::optional<Node> under;

  /// The value of `key`, wherever it stands; the object itself if nowhere.
  Node of(std::string_view key) const;
  /// The value of `key` in the object `outer`, wherever that stands.
  std::optional<Node> find(std::string_view outer, std::string_view key) const;
};

/// An entry of `jobs`, or the workload.
struct WrittenJob {
  Place place;
  const models::JobProfile* apart = nullptr;  ///< of Resolved::profiles_apart; null: see `profile`
  std::uint32_t profile = 0;                  ///< of the world
  std::int32_t priority = 0;
  std::uint32_t instances = 0;                ///< of the largest; 0: the entry has errors
  std::optional<policy::Duration> work = {};  ///< none: more than one
};

/// The instances that one or more jobs request; kept where queues may limit them.
struct WrittenSize {
  Node instances;
  std::string who;
  std::uint32_t wants = 0;
  policy::JobTerms terms;
  policy::PoolId pool;
  policy::Duration since{0};  ///< it is submitted then, at the earliest
};

/// A rule of a policy that was understood.
struct WrittenSeat {
  OptionPlaces places;
  std::optional<std::string> use;  ///< the preset
};

/// The rows of a trace, as lints look at them.
struct TraceFacts {
  std::uint64_t jobs = 0;
  std::uint64_t without_estimate = 0;  ///< schedulers plan by their true run time
};

/// The rules of a policy, by their places among its seats; those of alerts come after them.
struct WrittenPolicy {
  std::vector<WrittenSeat> seats;
  bool whole = true;  ///< each rule was understood
};

/// After errors it has what still made sense.  Movable only: places refer to the input.
struct Resolved {
  explicit Resolved(Document parsed) : document{std::move(parsed)} {}
  Resolved(Resolved&&) = default;
  Resolved& operator=(Resolved&&) = default;
  Resolved(const Resolved&) = delete;
  Resolved& operator=(const Resolved&) = delete;

  Document document;
  ScenarioInput input;
  Scenario scenario;
  std::vector<WrittenJob> written_jobs;
  std::vector<WrittenSize> written_sizes;
  std::vector<WrittenPolicy> written_policies;  ///< by place in Scenario::policies
  std::vector<std::uint32_t> largest;           ///< job of each profile, in instances
  TraceFacts trace_facts;
  /// Of no job of the world: of entries that have errors, and what the rows of a trace share.
  std::deque<models::JobProfile> profiles_apart;

  models::World& world() { return scenario.world; }
  const models::World& world() const { return scenario.world; }
  const models::JobProfile& profile_of(const WrittenJob& job) const {
    return job.apart != nullptr ? *job.apart : world().profiles[job.profile];
  }
};

/// The first "priority" of jobs that is written, if any.
std::optional<Node> written_priority(const ScenarioInput& input);

/// True if the world is cut into ticks.
bool has_ticks(const models::World& world);

/// By profile: the most work of a job that there is, or that may be drawn.
std::vector<policy::Duration> longest_works(const models::World& world);

/// The largest job of all, in instances; 0 if there is none.
std::uint32_t largest_job(const Resolved& resolved);

/// From the start of training to its end, undisturbed, with all checkpoints, in the job's fleet.
policy::Duration training_time(const models::World& world, const models::JobProfile& profile,
                               policy::Duration work);

/// Whether a rule of any policy may send a job elsewhere than to its own fleet.
bool rules_move(const ScenarioInput& input);

/// How fast the work may be done at best: where it asks to run, or where rules may send it.
std::uint32_t fastest(const Resolved& resolved, const models::JobProfile& profile);

}  // namespace reeve::scenarios
