// What the cells of Slurm's accounting mean: job ids, states, times, resources, comments.
#pragma once

#include <cstdint>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string_view>
#include <vector>

#include "scenarios/history/data/slurm_records.hpp"

namespace reeve::scenarios {

/// "5030", "5030_7", "5040+1", "5030_[3-6,9%2]", each with ".batch" and the like behind it.
struct SlurmId {
  std::uint32_t job = 0;
  std::int32_t task = -1;  ///< of an array; -1: none
  std::int32_t part = -1;  ///< of a heterogeneous job; -1: none
  std::string_view tasks;  ///< of an array, those that are pending: "3-6,9%2"
  bool is_step = false;
};
std::optional<SlurmId> slurm_id(std::string_view text);

/// "3-6,9", "0-15:4", with "%2" behind it: how many may run at once.
struct SlurmTasks {
  std::vector<std::int32_t> numbers;
  bool is_cut = false;  ///< Slurm writes "..." instead of the rest, or there are more than `most`
};
/// Nothing if the text is no list of tasks.
std::optional<SlurmTasks> slurm_tasks(std::string_view text, std::size_t most);

/// The state whatever stands behind it: "CANCELLED by 20417", "CANCELLED+".
std::optional<SlurmState> slurm_state(std::string_view text);
/// 20417 in "CANCELLED by 20417".
std::optional<std::uint32_t> cancelled_by(std::string_view text);

/// A time as sacct writes it.
struct SlurmTime {
  enum class Kind : std::uint8_t {
    none,      ///< "Unknown", "None", and their numbers
    exact,     ///< seconds since 1970, or a time with an offset
    local,     ///< a time on the clocks of the cluster
    relative,  ///< to the day of the export: "Ystday 10:00"
    invalid,
  };
  Kind kind = Kind::none;
  policy::Instant at;  ///< `local`: as if it were UTC
};
SlurmTime slurm_time(std::string_view text);

/// The longest run that is taken for one: 50 years.
inline constexpr policy::Duration longest_run = std::chrono::hours{24 * 18'262};

/// "1-02:03:04", "02:03:04", "03:04".  Nothing for any other text, and beyond longest_run.
std::optional<policy::Duration> slurm_clock(std::string_view text);

/// What trackable resources (TRES) say about GPUs and nodes.
class SlurmResources {
 public:
  /// "billing=8,gres/gpu:a100=2,gres/gpu=2,node=1".  False if a count cannot be read.
  bool read(std::string_view list);
  /// "gres/gpu:a100" 2.
  void add(std::string_view name, std::int64_t count);

  /// None if no GPU is listed.
  std::optional<std::int64_t> gpus() const { return all_ ? all_ : typed_; }
  std::optional<std::int64_t> nodes() const { return nodes_; }
  std::string_view type() const { return type_; }  ///< the most frequent, the first of equals
  bool has_types() const { return types_ > 1; }
  bool has_slices() const { return slices_; }  ///< parts of GPUs: MIG, shards, MPS

 private:
  std::optional<std::int64_t> all_, typed_, nodes_;
  std::string_view type_;
  std::int64_t most_ = 0;
  int types_ = 0;
  bool slices_ = false;
};

/// The mean GPU utilization in percent that jobstats keeps in AdminComment ("JS1:" and gzip in
/// base64).  `readable` is set to false if there is a summary, and it cannot be read.
std::optional<double> jobstats_gpu_util(std::string_view comment, bool& readable);

}  // namespace reeve::scenarios
