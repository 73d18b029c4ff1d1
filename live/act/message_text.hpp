// How a message about a job reads for people, for programs and for Slack.
#pragma once

#include <string>
#include <string_view>

#include "live/act/messenger.hpp"

namespace reeve::live {

/// One line of at most 99 ASCII characters without controls, as the subject of SNS must be.
std::string subject_of(const Message& message);

/// A line for each thing that is known.
std::string text_of(const Message& message);

/// JSON with each field, and `text`.
std::string webhook_body(const Message& message);

/// JSON with `text` only, in which Slack sees no markup.
std::string slack_body(const Message& message);

/// The key as a header and SNS take it: itself if it is at most 128 visible ASCII characters, else
/// its hash.
std::string token_of(std::string_view key);

}  // namespace reeve::live
