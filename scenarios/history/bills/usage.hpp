// What a row of a bill pays for: its usage type, its resource and its region, as AWS writes them.
#pragma once

#include <string>
#include <string_view>

namespace reeve::scenarios {

/// What a row says about itself, empty where it says nothing.
struct BillWords {
  std::string_view service;        ///< "AmazonSageMaker", "Amazon SageMaker"
  std::string_view category;       ///< of FOCUS: "Compute"
  std::string_view usage_type;     ///< "USE1-Train:ml.p4d.24xlarge"
  std::string_view resource;       ///< an ARN, an id of EC2
  std::string_view instance_type;  ///< in a column of its own
  std::string_view description;    ///< "p4d.24xlarge Linux/UNIX Spot Instance-hour in ..."
  bool in_hours = true;            ///< the amount counts hours
};

/// How the rows of a bill are used.
struct BillUsage {
  /// `counts`: it has a use below.  `ignored`: it trains nothing.  `beside`: of the service that
  /// has the instances, and no time of one: volumes, traffic.  `unused`: reserved, and idle.
  enum class Kind : std::uint8_t { counts, ignored, beside, unused } kind = Kind::ignored;
  std::string_view use;            ///< as in BilledUse
  std::string_view instance_type;  ///< empty: not told
  std::string_view job;
  std::string_view resource;
  bool is_spot = false;
  bool is_known = true;  ///< false: the usage type is a new one, and its use is guessed
};
BillUsage usage_of(const BillWords& words);

/// Rows that divide the cost of other rows among containers: both must not be summed.
bool is_split(std::string_view operation);

/// The region of a usage type ("USW2-Train:..." is us-west-2, no prefix us-east-1); empty if it
/// names none that is known.
std::string_view region_of_usage(std::string_view usage_type);

}  // namespace reeve::scenarios
