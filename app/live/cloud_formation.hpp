// Resources of CloudFormation templates.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "app/live/iam.hpp"

namespace reeve::app {

// Names of resources.
inline constexpr std::string_view events_id = "Events";
inline constexpr std::string_view dead_letters_id = "DeadLetters";

nlohmann::ordered_json attribute_of(std::string_view of, std::string_view name);
nlohmann::ordered_json reference_to(std::string_view to);
nlohmann::ordered_json resource_of(std::string_view type, nlohmann::ordered_json properties);
/// CloudFormation replaces `${...}`.
nlohmann::ordered_json substituted(std::string text);
nlohmann::ordered_json output_of(std::string_view description, nlohmann::ordered_json value);

/// The account and region of a configuration, or those of the stack.
ArnPlace place_of(const scenarios::LiveSpec& live);
/// What reeve reads, with the queue of the stack.
ReadResources read_in_stack(const scenarios::LiveSpec& live, bool has_metrics);

struct QueueShape {
  int hidden_s = 30;      ///< VisibilityTimeout
  int most_receives = 5;  ///< before a message is a dead letter
};
/// A queue with the events that rules use, and its dead letters.  `queue`: its name; none:
/// CloudFormation names it.
nlohmann::ordered_json event_resources(const std::optional<QueueName>& queue,
                                       const QueueShape& shape);

}  // namespace reeve::app
