// How many instances a job of a trace needs, by its columns and the GPUs of an instance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "scenarios/load/resolved/loading.hpp"
#include "scenarios/records/trace.hpp"

namespace reeve::scenarios {

/// What to do about rows that cannot run.
inline constexpr std::string_view drop_rows_help =
    "run `reeve import csv TRACE --runnable -o OUT.csv` to drop such rows";

/// Converts the sizes of the rows of one trace.
class TraceSizes {
 public:
  TraceSizes(const Resolved& resolved, const TraceWorkloadInput& input, policy::PoolId pool);

  /// The instances of the job, or what is wrong with its row: E0209, E0240 or E0327.
  std::variant<std::uint32_t, Diagnostic> read(const TraceReader& reader, const TraceRow& row);

  /// Warns of GPUs that jobs hold without having requested them (W0317), and of columns that
  /// contradict each other (W0603).
  void report(Loading& loading) const;

 private:
  Diagnostic no_size(const TraceReader& reader, const TraceRow& row) const;
  Diagnostic too_large(const TraceReader& reader, const TraceRow& row,
                       std::int64_t instances) const;
  std::optional<Diagnostic> disagreement(const TraceReader& reader, const TraceRow& row,
                                         std::int64_t instances) const;

  std::optional<InstancesFrom> stated_;
  bool by_gpus_;
  std::string pool_;
  std::uint32_t capacity_;
  std::string type_;
  std::int64_t gpus_;  ///< of an instance
  std::uint64_t jobs_ = 0;
  std::uint64_t parts_ = 0;  ///< jobs that use part of an instance
  std::int64_t requested_ = 0;
  std::int64_t held_ = 0;
  std::uint64_t contradictions_ = 0;
  std::uint64_t contradiction_ = 0;  ///< the line of the first
};

}  // namespace reeve::scenarios
