// What the kinds of `reeve import` write and print.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/files/trace_text.hpp"
#include "report/table.hpp"
#include "scenarios/exchange/job_import.hpp"
#include "scenarios/history/data/text_table.hpp"

namespace reeve::app {

/// What an import writes, and what it prints.
struct Imported {
  report::Table summary;
  std::function<void(std::ostream&)> write;
  std::string next;    ///< what to do with it, told with the name of its file
  std::string beside;  ///< and what stands behind that
};

/// How a recorded market is to be read.
struct MarketArguments {
  std::string file, format, convention, series;
};

/// Billionths of a dollar as dollars, with nine decimals: "-0.500000000".
std::string exact_dollars(std::int64_t nanos);

/// What jobs add up to: the numbers that publications state.
struct JobTotals {
  void note(const scenarios::ImportedJob& job);

  std::uint64_t jobs = 0, with_gpus = 0;
  double gpu_hours = 0, seconds = 0;
  policy::Duration first{}, last{};  ///< submissions
  std::vector<policy::Duration> durations;
  scenarios::NumberedTexts users, queues;
  TraceColumns columns;
};

/// Jobs of a log: the trace, and the numbers that publications state.  `totals` has noted each job.
/// `zero`: as in ImportedJobs.
Imported jobs_product(const scenarios::JobImporter& importer, EachJob jobs, JobTotals totals,
                      std::optional<policy::Instant> zero, bool by_nodes);

/// A list of nodes, counted.
Imported nodes_product(const std::string& file);

/// A recorded market, as changes.
Imported market_product(const MarketArguments& arguments,
                        std::vector<scenarios::Diagnostic>& found);

}  // namespace reeve::app
