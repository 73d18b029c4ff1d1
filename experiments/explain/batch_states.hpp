// The states that AWS Batch gives a job of its queues, from one status to the next.
#pragma once

#include <map>
#include <string_view>

#include "models/batch_state.hpp"
#include "models/record.hpp"
#include "models/world.hpp"

namespace reeve::experiments {

/// What AWS Batch calls the state of a job of its queues, where that changes.
class BatchStates {
 public:
  BatchStates(const models::World& world, const policy::JobTerms& terms,
              const std::map<policy::AttemptNumber, const models::AttemptRow*>& attempts)
      : attempts_{attempts},
        is_there_{terms.queue &&
                  world.platform.model == models::PlatformModel::sagemaker_training} {}

  /// Empty: it has not changed.
  std::string_view after(const models::EventRow& event) {
    if (!is_there_) return {};
    bool& began = began_[event.attempt];
    began = began || event.secondary == policy::Secondary::downloading;
    const std::string_view state = stands_in_line_again(event)
                                       ? models::batch_state(policy::Secondary::queued, began)
                                       : models::batch_state(event.secondary, began);
    if (state == state_) return {};
    state_ = state;
    return state;
  }

 private:
  /// A preempted job is RUNNABLE again.
  bool stands_in_line_again(const models::EventRow& event) const {
    const auto next = attempts_.find(static_cast<policy::AttemptNumber>(event.attempt + 1));
    return policy::is_terminal(event.primary) && next != attempts_.end() &&
           next->second->origin == policy::Origin::queue;
  }

  const std::map<policy::AttemptNumber, const models::AttemptRow*>& attempts_;
  bool is_there_;
  std::map<policy::AttemptNumber, bool> began_ = {};
  std::string_view state_ = "RUNNABLE";
};

}  // namespace reeve::experiments
