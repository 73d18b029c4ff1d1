// GPUs among the resources that a container of Kubernetes requests.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace reeve::scenarios {

/// What a container, a pod or a task requests.
struct AskedGpus {
  std::int64_t gpus = 0;
  std::string slice;  ///< it requests parts of GPUs of this kind: "mig-3g.40gb"; empty: none
};

/// Of `resources`: the limits, else the requests.  Counts are numbers or texts.
AskedGpus gpus_asked(const nlohmann::json& resources);

/// The same of a map from the name of a resource to its amount.
AskedGpus gpus_among(const nlohmann::json& amounts);

}  // namespace reeve::scenarios
