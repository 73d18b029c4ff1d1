// The records of all files of Slurm's accounting, packed to about 50 bytes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>

#include "scenarios/history/data/pieces.hpp"
#include "scenarios/history/data/text_table.hpp"

namespace reeve::scenarios {

enum class SlurmState : std::uint8_t {
  completed,
  failed,
  cancelled,
  timeout,
  deadline,
  out_of_memory,
  node_fail,
  preempted,
  requeued,
  resizing,  ///< it goes on with another number of nodes, in another record
  running,
  pending,
};
constexpr bool is_slurm_end(SlurmState state) {
  return state != SlurmState::running && state != SlurmState::pending;
}

/// Names of users and partitions, by number.  Number 0 is the empty text.
class SlurmNames : public NumberedTexts {
 public:
  SlurmNames() { of(""); }
  /// Nothing if the text is not UTF-8, or has a control character.
  std::optional<std::uint32_t> of_plain(std::string_view text);
};

/// One record as it is kept.  Its texts are numbers of SlurmNames; -1: the file does not say it.
struct KeptRecord {
  std::uint64_t line = 0;
  std::uint32_t file = 0;              ///< of History::files
  policy::Instant submit, start, end;  ///< `start` and `end`: if has_start and has_end
  policy::Duration elapsed{-1}, limit{-1};
  std::uint32_t job = 0, raw_id = 0;
  std::int32_t task = -1, part = -1;
  std::int32_t nodes = -1, gpus = -1, restarts = -1, exit_code = 0, signal = 0;
  std::uint32_t cluster = 0, user = 0, partition = 0, account = 0, gpu_type = 0, stopped_by = 0;
  float gpu_util = -1;
  SlurmState state = SlurmState::completed;
  bool has_start = false, has_end = false, ran = false, has_slices = false, by_person = false;
  bool names_cluster = false;  ///< else `cluster` is assumed
  bool is_cut = false;         ///< it started before `start`
};

class SlurmRecords {
 public:
  std::size_t size() const { return pieces_.size(); }
  SlurmNames& names() { return names_; }
  const SlurmNames& names() const { return names_; }
  /// The cluster that a record names first, and that those without a name are of; 0: none.
  std::uint32_t home() const { return home_; }
  void add(const KeptRecord& record);
  /// Returns how many bytes it has.
  std::size_t unpack(std::size_t index, KeptRecord& into) const;
  /// Runs of the file that start then started before.
  void cut_starts(std::uint32_t file, policy::Instant start) { cut_starts_[file] = start; }
  /// Calls a function with each record from `from` on, in order.
  void for_each(std::size_t from, const std::function<void(const KeptRecord&)>& with) const;
  /// The same; each is gone afterwards.
  void take_each(const std::function<void(const KeptRecord&)>& with);
  /// Leaves out the records from `from` on for which `stays` returns false.
  void keep_if(std::size_t from, const std::function<bool(const KeptRecord&)>& stays);
  /// Keeps the first `size` records.
  void cut(std::size_t size);
  /// By cluster, job, task, part, submission, start, user, file and line.
  void sort();

 private:
  Pieces pieces_;
  SlurmNames names_;
  std::map<std::uint32_t, policy::Instant> cut_starts_;  ///< by file
  std::uint32_t home_ = 0;
  std::size_t home_at_ = 0;  ///< the record that names it first
  std::string scratch_;
};

}  // namespace reeve::scenarios
