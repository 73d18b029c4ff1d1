// Nodes that tasks share, and the tasks, as the traces of Alibaba's openb cluster tell them.
#pragma once

#include <filesystem>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <vector>

#include "models/node_packing.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::scenarios {

/// Nodes in the order of the file, those of a row that counts several one after the other.
struct SharedNodes {
  std::vector<models::NodeShape> nodes;
  std::vector<std::string> gpu_models;  ///< by NodeShape::gpu_model
  std::vector<Diagnostic> warnings;
};

struct SharedTask {
  models::TaskShape shape;
  policy::Duration submit{0};           ///< since the zero of the file
  std::optional<policy::Duration> run;  ///< none: the file does not say that it ever ran
};

struct SharedTasks {
  std::vector<SharedTask> tasks;  ///< in the order of the file
  bool timed = false;             ///< the file has the three columns of times
  std::vector<Diagnostic> warnings;
};

/// A CSV file, or a gzip of one: cpu_milli, memory_mib, gpu; also model, count (1) and sn.  Throws
/// InputError as CsvHeader and read_count do; E0315 beyond 100,000 nodes, 64 models or 16 GPUs of a
/// node, E0317 for an empty cell, E0320 if there is no node or no GPU.
SharedNodes read_shared_nodes(const std::filesystem::path& file);

/// Likewise: cpu_milli, memory_mib, num_gpu, gpu_milli; also gpu_spec ("V100M16|T4": any of them),
/// creation_time, scheduled_time and deletion_time in seconds, name, qos and pod_phase.  E0315 for
/// a part of several GPUs, E0330 where time runs backwards, W0324 for a model that no node has.
SharedTasks read_shared_tasks(const std::filesystem::path& file, const SharedNodes& nodes);

}  // namespace reeve::scenarios
