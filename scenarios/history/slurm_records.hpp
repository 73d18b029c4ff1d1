// The records of one file of Slurm's accounting, packed to about 50 bytes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>

#include "scenarios/history/pieces.hpp"
#include "scenarios/history/slurm_values.hpp"

namespace reeve::scenarios {

/// One record as it is kept.  Its texts are numbers of SlurmNames; -1 stands for what is not told.
struct KeptRecord {
  std::uint64_t line = 0;
  policy::Instant submit, start, end;  ///< `start` and `end`: if has_start and has_end
  policy::Duration elapsed{-1}, limit{-1};
  std::uint32_t job = 0, raw_id = 0;
  std::int32_t task = -1, part = -1;
  std::int32_t nodes = -1, gpus = -1, restarts = -1, exit_code = 0, signal = 0;
  std::uint32_t cluster = 0, user = 0, partition = 0, account = 0, gpu_type = 0, stopped_by = 0;
  float gpu_util = -1;
  SlurmState state = SlurmState::completed;
  bool has_start = false, has_end = false, ran = false, has_slices = false, by_person = false;
};

class SlurmRecords {
 public:
  std::size_t size() const { return pieces_.size(); }
  void add(const KeptRecord& record);
  /// Returns how many bytes it has.
  std::size_t unpack(std::size_t index, KeptRecord& into) const;
  /// Calls a function with each record, in order.
  void for_each(const std::function<void(const KeptRecord&)>& with) const;
  /// The same; each is gone afterwards.
  void take_each(const std::function<void(const KeptRecord&)>& with);
  /// Leaves out the records for which `stays` returns false.
  void keep_if(const std::function<bool(const KeptRecord&)>& stays);
  /// By cluster, job, task, part, submission, start and line.
  void sort();

 private:
  Pieces pieces_;
  std::string scratch_;
};

}  // namespace reeve::scenarios
