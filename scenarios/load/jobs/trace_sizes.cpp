#include "scenarios/load/jobs/trace_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reeve::scenarios {
namespace {

/// GPUs by `nodes` and `gpus_per_node`, if the row has both.
std::optional<std::int64_t> gpus_on_nodes(const TraceRow& row) {
  if (row.nodes.value_or(0) < 1 || row.gpus_per_node.value_or(0) < 1) return std::nullopt;
  return *row.nodes * *row.gpus_per_node;
}

/// GPUs by any columns.
std::optional<std::int64_t> gpus_of(const TraceRow& row) {
  return row.gpus_total ? row.gpus_total : gpus_on_nodes(row);
}

std::string_view column_of_gpus(const TraceRow& row) {
  return row.gpus_total || !gpus_on_nodes(row) ? "gpus_total" : "gpus_per_node";
}

}  // namespace

TraceSizes::TraceSizes(const Resolved& resolved, const TraceWorkloadInput& input,
                       policy::PoolId pool)
    : stated_{input.instances_from},
      by_gpus_{stated_.value_or(InstancesFrom::gpus_total) == InstancesFrom::gpus_total} {
  const models::Pool& machines = resolved.world().pools[pool.index];
  const policy::InstanceType& type = resolved.world().directory.types[machines.type.index];
  pool_ = machines.name;
  capacity_ = machines.capacity;
  type_ = type.name;
  gpus_ = type.gpus;
}

std::variant<std::uint32_t, Diagnostic> TraceSizes::read(const TraceReader& reader,
                                                         const TraceRow& row) {
  const std::int64_t size = (by_gpus_ ? gpus_of(row) : row.nodes).value_or(0);
  if (size < 1) return no_size(reader, row);
  if (by_gpus_ && gpus_ == 0) {
    return reader
        .at(column_of_gpus(row), "E0327",
            fmt::format("job {} has {}; instances of {} have none", in_quotes(row.job_id),
                        counted(static_cast<std::uint64_t>(size), "GPU"), in_quotes(type_)),
            "the size of the job comes from this column")
        .with_help("set \"instances_from\": \"nodes\", or \"fleet\" to one with GPUs");
  }
  const std::int64_t instances = by_gpus_ ? (size + gpus_ - 1) / gpus_ : size;
  if (auto found = disagreement(reader, row, instances)) return *std::move(found);
  if (instances > capacity_) return too_large(reader, row, instances);
  ++jobs_;
  if (const std::int64_t gpus = gpus_of(row).value_or(0); gpus > 0) {
    requested_ += gpus;
    held_ += instances * gpus_;
    if (gpus < instances * gpus_) ++parts_;
  }
  if (row.gpus_total && gpus_on_nodes(row).value_or(*row.gpus_total) != *row.gpus_total) {
    if (++contradictions_ == 1) contradiction_ = row.line;
  }
  return static_cast<std::uint32_t>(instances);
}

Diagnostic TraceSizes::no_size(const TraceReader& reader, const TraceRow& row) const {
  const std::string_view column = by_gpus_ ? "gpus_total" : "nodes";
  const bool is_empty = !(by_gpus_ ? row.gpus_total : row.nodes);
  const bool other_has = (by_gpus_ ? row.nodes : row.gpus_total).value_or(0) > 0;
  return reader
      .at(column, "E0240",
          fmt::format("job {} has {} {}", in_quotes(row.job_id), is_empty ? "no" : "0", column),
          "the number of instances comes from this column")
      .with_help(other_has ? fmt::format("use \"instances_from\": \"{}\"",
                                         by_gpus_ ? "nodes" : "gpus_total")
                           : std::string{drop_rows_help});
}

Diagnostic TraceSizes::too_large(const TraceReader& reader, const TraceRow& row,
                                 std::int64_t instances) const {
  const bool converts = by_gpus_ && gpus_ > 1;
  const std::string why =
      converts ? fmt::format(" for {} GPUs", gpus_of(row).value_or(0)) : std::string{};
  Diagnostic found =
      reader.at(by_gpus_ ? column_of_gpus(row) : "nodes", "E0209",
                fmt::format("job {} needs {} instances{}; fleet {} has {}", in_quotes(row.job_id),
                            instances, why, in_quotes(pool_), capacity_),
                "it can never start");
  std::string help = fmt::format("raise \"capacity\" of fleet {}", in_quotes(pool_));
  if (by_gpus_) {
    help = fmt::format("an instance of {} has {}; {}, or \"gpus\" of the type", in_quotes(type_),
                       counted(static_cast<std::uint64_t>(gpus_), "GPU"), help);
  } else if (row.gpus_total && gpus_ > 0 && *row.gpus_total <= capacity_ * gpus_) {
    help += ", or set \"instances_from\": \"gpus_total\"";
  }
  return std::move(found).with_help(std::move(help));
}

/// What the columns say, unless the fleet counts GPUs (an instance has one) or the user has chosen.
std::optional<Diagnostic> TraceSizes::disagreement(const TraceReader& reader, const TraceRow& row,
                                                   std::int64_t instances) const {
  const auto counted_as = [](std::int64_t number, std::string_view what) {
    return counted(static_cast<std::uint64_t>(number), what);
  };
  if (!by_gpus_) {
    const std::int64_t gpus = std::max(row.gpus_total.value_or(0), gpus_on_nodes(row).value_or(0));
    if (gpus <= instances * gpus_) return std::nullopt;
    return reader
        .at("nodes", "E0327",
            fmt::format("job {} has {} on {}; {} of {} has {}", in_quotes(row.job_id),
                        counted_as(gpus, "GPU"), counted_as(instances, "node"), "an instance",
                        in_quotes(type_), gpus_),
            "its GPUs do not fit that many instances")
        .with_help(fmt::format("set \"instances_from\": \"gpus_total\", or the \"gpus\" of {}",
                               in_quotes(type_)));
  }
  const std::int64_t nodes = row.nodes.value_or(0);
  if (stated_ || gpus_ <= 1 || nodes < 1 || nodes == instances) return std::nullopt;
  return reader
      .at(column_of_gpus(row), "E0327",
          fmt::format("job {} has {} and {}, which are {} of {}", in_quotes(row.job_id),
                      counted_as(nodes, "node"), counted_as(*gpus_of(row), "GPU"),
                      counted_as(instances, "instance"), in_quotes(type_)),
          fmt::format("an instance has {} GPUs", gpus_))
      .with_help(
          fmt::format("set \"instances_from\": \"nodes\" to use {}, or \"gpus_total\" to use {}",
                      counted_as(nodes, "instance"), instances));
}

void TraceSizes::report(Loading& loading) const {
  const Node written = *loading.input.workload->written;
  const Node trace = written.find("trace").value_or(written);
  if (contradictions_ > 0) {
    loading.warning(trace, "W0603",
                    fmt::format("nodes × gpus_per_node is not gpus_total in {} of the trace's {}",
                                contradictions_, counted(jobs_, "job")),
                    fmt::format("sizes come from {}; the first such row is line {}",
                                by_gpus_ ? "gpus_total" : "nodes", contradiction_),
                    "correct the column, or leave out \"gpus_per_node\"");
  }
  if (parts_ == 0) return;
  loading.warning(
      trace, "W0317",
      fmt::format("{} of the trace's {} use{} part of an instance", parts_, counted(jobs_, "job"),
                  parts_ == 1 ? "s" : ""),
      fmt::format("{} GPUs are requested, {} are held and billed", requested_, held_),
      fmt::format("an instance of {} has {} GPUs; a type with \"gpus\": 1 counts GPUs instead",
                  in_quotes(type_), gpus_));
}

}  // namespace reeve::scenarios
