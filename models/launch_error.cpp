#include "models/launch_error.hpp"

namespace reeve::models {

std::string insufficient_capacity(policy::Market market, std::string_view type,
                                  std::string_view zone,
                                  const std::vector<std::string_view>& others) {
  const std::string error = "InsufficientInstanceCapacity: ";
  if (market == policy::Market::spot) {
    return error + "There is no Spot capacity available that matches your request.";
  }
  const std::string what = std::string{type} + " capacity";
  std::string text = error + "We currently do not have sufficient " + what;
  if (!zone.empty()) {
    text += " in the Availability Zone you requested (" + std::string{zone} + ")";
  }
  text += ". Our system will be working on provisioning additional capacity.";
  if (others.empty()) return text;
  text += " You can currently get " + what +
          " by not specifying an Availability Zone in your request or choosing ";
  for (std::size_t i = 0; i < others.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::string{others[i]};
  }
  return text + ".";
}

}  // namespace reeve::models
