// One object of a Kubernetes cluster as a history keeps it until objects are joined into jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <reeve/policy/market.hpp>
#include <reeve/policy/units.hpp>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/records/end_status.hpp"

namespace reeve::scenarios {

/// Pods and the GPUs that they request.
struct PodsAsked {
  std::int64_t gpus = 0;
  std::int64_t pods = 0;      ///< all of them
  std::int64_t gpu_pods = 0;  ///< of these, with GPUs or parts of one
  std::string slice;          ///< parts of GPUs of this kind: "mig-3g.40gb"; empty: none
  std::string gpu_type;
  std::string instance_type;
  std::optional<policy::Market> market;

  void add(const PodsAsked& one, std::int64_t count);
};

/// One object as it stands in a file.
struct KubernetesObject {
  enum class Role : std::uint8_t {
    workload,    ///< Kueue's view of a job
    controller,  ///< it creates pods, or objects that do
    pod,
  };
  Role role = Role::pod;
  std::string name;       ///< "namespace/name"
  std::string uid;        ///< may be empty
  std::string alias;      ///< what labels of its pods call it; empty: nothing
  std::string owner;      ///< the name of what it belongs to, as `name`; empty: nothing
  bool has_uids = false;  ///< `belongs_to` has uids; else aliases
  std::vector<std::string> belongs_to;
  std::size_t file = 0;  ///< of History::files
  std::uint64_t line = 0;
  policy::Instant created;
  std::optional<policy::Instant> started;  ///< it has nodes from here
  std::optional<policy::Instant> ready;    ///< it trains from here
  std::optional<policy::Instant> ended;
  policy::Duration earlier{};  ///< with nodes before `started`
  bool started_before = false;
  PodsAsked asked;
  EndStatus end = EndStatus::unknown;
  std::optional<EndCause> cause;
  std::string reason;
  std::int64_t interruptions = 0, restarts = 0;
  std::optional<policy::Duration> limit;
  std::optional<std::int64_t> priority;
  std::string queue, sweep;
  std::vector<std::pair<std::string, std::string>> tags;
};

}  // namespace reeve::scenarios
