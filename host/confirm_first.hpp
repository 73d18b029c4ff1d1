// The guard of a live run that asks a person before the first actions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <reeve/policy/policy.hpp>
#include <string_view>
#include <utility>

#include "host/guards.hpp"

namespace reeve::host {

/// Refuses stops and further attempts that wait for a person, or that a person refused.  Its rule
/// is asked again when the job is next observed.
class ConfirmFirst final : public Guard {
 public:
  static constexpr std::string_view name = "confirm_first";
  enum class Answer : std::uint8_t { may_act, waits, refused };
  /// Within a step its answers do not change.
  using Ask = std::function<Answer(const policy::Verb&)>;
  explicit ConfirmFirst(Ask ask) : ask_{std::move(ask)} {}
  std::optional<Veto> refuses(const Wish& wish) override;
  bool counts_what_is_sent() const override;

 private:
  Ask ask_;
};

}  // namespace reeve::host
