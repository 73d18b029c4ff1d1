// GPUs of the instance types of AWS that no built-in price book has.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace reeve::scenarios {

/// Of "p5e.48xlarge" 8; nothing for a type that is not known.  Source: the pages of the instance
/// types for accelerated computing in the user guide of EC2.
std::optional<std::int64_t> gpus_of_ec2_type(std::string_view type);

}  // namespace reeve::scenarios
