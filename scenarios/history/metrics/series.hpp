// The utilization series of one file while it is read, and how they join those of other files.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "scenarios/history/reading/reader.hpp"

namespace reeve::scenarios {

/// Samples by series and query: a query has its own period.
class SeriesParts {
 public:
  /// Where samples of a series go, in any order.  Stays valid.
  PackedSamples& part(const SeriesName& name, const std::string& query = {}) {
    return parts_[{name, query}];
  }
  bool empty() const { return parts_.empty(); }

  /// Puts all samples into `into`, in order.  Where two queries cover a time, the finer one counts.
  /// W0653: samples that are coarser than the finest of the file; W0654: two values at one instant.
  void join(HistoryInput& input, History& into);

 private:
  struct Key {
    SeriesName name;
    std::string query;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  std::map<Key, PackedSamples> parts_;
};

/// The period of each sample of a series; where it is not known, that of the one before, and a
/// minute if none is.
std::vector<policy::Duration> periods_of(const UtilizationSeries& series);

/// Whether a sample is of the time of a stretch; one without an end goes on.
bool measures(const UtilizationSeries& series, std::span<const Stretch> work);

}  // namespace reeve::scenarios
