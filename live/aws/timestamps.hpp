// The three forms in which AWS writes an instant.
#pragma once

#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>

namespace reeve::live {

/// `20150830T123600Z`, the form of x-amz-date.
std::string amz_date(policy::Instant at);

/// `2026-01-12T10:00:00Z`, with a fraction of nine digits if there is one.
std::string iso_date(policy::Instant at);

/// `Mon, 12 Jan 2026 10:00:00 GMT`, the form of the Date header.
std::string http_date(policy::Instant at);

std::optional<policy::Instant> parse_amz_date(std::string_view text);

/// `2026-01-12T10:00:00Z`, also with a fraction (to nanoseconds) or an offset such as `+00:00`.
std::optional<policy::Instant> parse_iso_date(std::string_view text);

std::optional<policy::Instant> parse_http_date(std::string_view text);

}  // namespace reeve::live
