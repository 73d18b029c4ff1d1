// What a key of a scenario file means, from the tables that read it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::app {

/// A key, explained.
struct KeyHelp {
  std::string path;  ///< as requested
  std::string help;
  std::string type;
  std::string standard;  ///< the default as written in a file; empty: none
  bool required = false;
  std::vector<std::string> keys;  ///< of an object: the keys inside
  std::vector<std::string> also;  ///< other keys of which as much was requested
  std::vector<std::pair<std::string, std::string>> columns =
      {};                        ///< of a table, with what is there; of a preset its policies
  std::string list = "columns";  ///< what `columns` are
  std::vector<std::pair<std::string, std::string>> facts = {};  ///< what else there is to say
  std::string source = {};  ///< of a rule, and of its options: where it is from
};

/// `platform.stop_grace`, `jobs.faults.at`, `/jobs/0/work`, `rules.stalled_gpu.period`, or the name
/// of a metric (`wasted_usd`); else the end of a key (`cluster_repair`, `checkpoint.upload`), or a
/// column of an exported table (`BilledCost`, `ledger.BilledCost`), or such a table as a whole
/// (`ledger.csv`); or a word that rules are stated with, a preset (`blog-naive`).  None if there is
/// no such key.
std::optional<KeyHelp> explain_key(std::string_view path);

/// Every key and rule option by path, for "did you mean".
std::vector<std::string> known_keys();

}  // namespace reeve::app
