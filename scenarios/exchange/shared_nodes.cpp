#include "scenarios/exchange/shared_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>

#include "scenarios/exchange/job_columns.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

using models::NodeShape;
using models::TaskShape;
using policy::Instant;

constexpr std::int64_t most_nodes = 100'000;
constexpr std::size_t most_models = 64;
constexpr std::int64_t most_of_a_node = std::int64_t{1} << 40;  ///< milli-CPUs, or MiB

/// The count in a cell that must have one, at most `most`.
std::int64_t needed(const JobColumns& rows, std::size_t column, std::int64_t most) {
  const auto count = rows.count(column);
  if (!count) {
    throw InputError{
        rows.at(column, "E0317", fmt::format("the row has no {}", rows.name_of(column)), "empty")};
  }
  if (*count <= most) return *count;
  throw InputError{
      rows.at(column, "E0315",
              fmt::format("{} must be at most {}, not {}", rows.name_of(column), most, *count),
              "too many")};
}

std::uint32_t model_of(const JobColumns& rows, std::size_t column, SharedNodes& nodes) {
  auto& models = nodes.gpu_models;
  const std::string_view name = rows.text(column);
  const auto known = std::find(models.begin(), models.end(), name);
  if (known != models.end()) return static_cast<std::uint32_t>(known - models.begin());
  if (models.size() == most_models) {
    throw InputError{
        rows.at(column, "E0315", fmt::format("more than {} GPU models", most_models), "too many")};
  }
  models.emplace_back(name);
  return static_cast<std::uint32_t>(models.size() - 1);
}

/// "V100M16|T4" as a set of models; models that no node has are told once.
class Specs {
 public:
  Specs(const SharedNodes& nodes, std::vector<Diagnostic>& warnings)
      : models_{nodes.gpu_models}, warnings_{warnings} {}

  std::uint64_t read(const JobColumns& rows, std::size_t column) {
    const std::string_view spec = rows.text(column);
    if (spec.empty()) return TaskShape{}.gpu_models;
    std::uint64_t mask = 0;
    for (std::size_t from = 0; from <= spec.size();) {
      const std::size_t to = std::min(spec.find('|', from), spec.size());
      const std::string_view name = trimmed(spec.substr(from, to - from));
      const auto known = std::find(models_.begin(), models_.end(), name);
      if (known == models_.end()) {
        warn(rows, column, name);
      } else {
        mask |= std::uint64_t{1} << (known - models_.begin());
      }
      from = to + 1;
    }
    return mask;
  }

 private:
  void warn(const JobColumns& rows, std::size_t column, std::string_view name) {
    if (told_.size() == most_warnings || !told_.emplace(name).second) return;
    warnings_.push_back(
        as_warning(rows.at(column, "W0324", fmt::format("no node has the GPU {}", in_quotes(name)),
                           "tasks that request only this GPU fit on no node"))
            .with_help(did_you_mean(name, models_)));
  }

  const std::vector<std::string>& models_;
  std::vector<Diagnostic>& warnings_;
  std::set<std::string, std::less<>> told_;
};

void refuse_nothing(bool nothing, const std::filesystem::path& file, std::string_view of) {
  if (!nothing) return;
  throw InputError{about_trace(file.string(), "E0320", fmt::format("the file has no {}", of),
                               "at least one is required")};
}

}  // namespace

SharedNodes read_shared_nodes(const std::filesystem::path& file) {
  enum : std::size_t { cpu_milli, memory_mib, gpu, model, count, sn };
  static constexpr std::array<std::string_view, 6> columns{"cpu_milli", "memory_mib", "gpu",
                                                           "model",     "count",      "sn"};
  JobColumns rows{file.string(), open_file(file), columns, model};
  SharedNodes read;
  std::int64_t gpus = 0;
  while (rows.next()) {
    NodeShape node;
    node.cpu_milli = needed(rows, cpu_milli, most_of_a_node);
    node.memory_mib = needed(rows, memory_mib, most_of_a_node);
    node.gpus = static_cast<std::uint32_t>(needed(rows, gpu, models::most_gpus_of_node));
    node.gpu_model = model_of(rows, model, read);
    const std::int64_t like_it = rows.text(count).empty() ? 1 : needed(rows, count, most_nodes);
    if (static_cast<std::int64_t>(read.nodes.size()) + like_it > most_nodes) {
      throw InputError{rows.at(rows.has(count) ? count : gpu, "E0315",
                               fmt::format("more than {} nodes", most_nodes), "too many")};
    }
    read.nodes.insert(read.nodes.end(), static_cast<std::size_t>(like_it), node);
    gpus += like_it * node.gpus;
  }
  refuse_nothing(read.nodes.empty(), file, "nodes");
  refuse_nothing(gpus == 0, file, "GPUs");
  read.warnings = rows.warnings();
  return read;
}

SharedTasks read_shared_tasks(const std::filesystem::path& file, const SharedNodes& nodes) {
  enum : std::size_t {
    cpu_milli,
    memory_mib,
    num_gpu,
    gpu_milli,
    gpu_spec,
    creation_time,
    scheduled_time,
    deletion_time,
  };
  static constexpr std::array<std::string_view, 11> columns{
      "cpu_milli",      "memory_mib",    "num_gpu", "gpu_milli", "gpu_spec", "creation_time",
      "scheduled_time", "deletion_time", "name",    "qos",       "pod_phase"};
  JobColumns rows{file.string(), open_file(file), columns, gpu_spec};
  SharedTasks read;
  read.timed = rows.has(creation_time) && rows.has(scheduled_time) && rows.has(deletion_time);
  std::vector<Diagnostic> strange;
  Specs specs{nodes, strange};
  while (rows.next()) {
    SharedTask& task = read.tasks.emplace_back();
    TaskShape& shape = task.shape;
    shape.cpu_milli = needed(rows, cpu_milli, most_of_a_node);
    shape.memory_mib = needed(rows, memory_mib, most_of_a_node);
    shape.gpus = static_cast<std::uint32_t>(needed(rows, num_gpu, models::most_gpus_of_node));
    if (shape.gpus > 0) {
      shape.gpu_milli = needed(rows, gpu_milli, models::whole_gpu_milli);
      if (shape.gpu_milli == 0 || (shape.gpus > 1 && shape.gpu_milli < models::whole_gpu_milli)) {
        throw InputError{
            rows.at(gpu_milli, "E0315",
                    shape.gpus > 1 ? "a fraction applies to one GPU, not to several"
                                   : "gpu_milli must not be 0",
                    shape.gpus > 1 ? "expected 1000 for several GPUs" : "expected 1 to 1000")};
      }
      shape.gpu_models = specs.read(rows, gpu_spec);
    }
    if (!read.timed) continue;
    task.submit = rows.needed_seconds(creation_time);
    const auto began = rows.seconds(scheduled_time), ended = rows.seconds(deletion_time);
    if (began && ended) task.run = rows.between(Instant{*began}, Instant{*ended}, deletion_time);
  }
  refuse_nothing(read.tasks.empty(), file, "tasks");
  read.warnings = rows.warnings();
  read.warnings.insert(read.warnings.end(), strange.begin(), strange.end());
  return read;
}

}  // namespace reeve::scenarios
