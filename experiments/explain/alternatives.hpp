// What else could have been done at the instant of a decision, with the verbs that there are.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/run.hpp"

namespace reeve::experiments {

/// One of them, in words ("on spot-b", "save first"), and its deeds.
struct Alternative {
  std::string name;
  std::vector<Deed> deeds;
};

/// What is known of the attempt that a decision is about; of a clone, of the attempt before.
struct Stood {
  policy::PoolId pool;  ///< it ran in, or waited for
  policy::Instant ended = policy::never;
  policy::Duration resumed_from{0};  ///< of the clone: work that it went on from
  bool is_cloned = false;            ///< a rule made another attempt after it
};

/// Of a run that kept its attempts and decisions, and must outlive this.
class Standings {
 public:
  explicit Standings(const RunResult& result);
  /// None if there is no such attempt.
  std::optional<Stood> of(const DecisionRow& row) const;

 private:
  using Key = std::pair<policy::JobId, policy::AttemptNumber>;
  std::map<Key, const models::AttemptRow*> attempts_;  ///< those that rules decided about
  std::set<Key> clones_;
};

/// Of a stop: only tell people, save first, start it again here or elsewhere (if no rule does).  Of
/// a clone: from scratch, at once, elsewhere.  Of a placement: elsewhere.  Leaving it undone is not
/// among them.  Nothing for other verbs, and in the tick world.
std::vector<Alternative> alternatives(const models::World& world, const models::JobSpec& job,
                                      const DecisionRow& row, const Stood& stood);

}  // namespace reeve::experiments
