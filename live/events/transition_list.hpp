// SecondaryStatusTransitions of a training job, which the states of one job share.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <reeve/policy/observation.hpp>
#include <reeve/policy/units.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace reeve::live {

/// One element of SecondaryStatusTransitions.
struct StatusTransition {
  policy::Secondary status = policy::Secondary::other;
  std::string word;  ///< the status as AWS writes it
  policy::Instant start;
  std::optional<policy::Instant> end;  ///< nothing: the next one starts then, if there is one
  std::string message;
};

/// Only appended to.  A copy shares the elements: all states of a job, each with the transitions so
/// far, hold one list.  One thread at a time may use the copies of a list.
class TransitionList {
 public:
  TransitionList() = default;
  TransitionList(std::initializer_list<StatusTransition> elements) {
    for (const StatusTransition& element : elements) push_back(element);
  }

  void push_back(StatusTransition element) {
    if (!shared_) shared_ = std::make_shared<std::vector<StatusTransition>>();
    if (shared_->size() > size_) {  // a copy has others behind ours
      const auto ours = elements();
      shared_ = std::make_shared<std::vector<StatusTransition>>(ours.begin(), ours.end());
    }
    shared_->push_back(std::move(element));
    ++size_;
  }
  /// The list when it had `size` elements, at most those it has.
  TransitionList first(std::size_t size) const {
    TransitionList earlier = *this;
    earlier.size_ = size;
    return earlier;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  auto begin() const { return elements().begin(); }
  auto end() const { return elements().end(); }
  const StatusTransition& back() const { return elements().back(); }
  const StatusTransition& operator[](std::size_t place) const { return elements()[place]; }

 private:
  std::span<const StatusTransition> elements() const {
    return shared_ ? std::span<const StatusTransition>{shared_->data(), size_}
                   : std::span<const StatusTransition>{};
  }

  std::shared_ptr<std::vector<StatusTransition>> shared_;
  std::size_t size_ = 0;
};

}  // namespace reeve::live
