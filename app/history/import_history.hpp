// The command reeve import history: joins the exports of a team, writes a scenario of them.
#pragma once

#include <string>
#include <vector>

#include "app/command.hpp"
#include "app/console.hpp"
#include "scenarios/history/reading/reader.hpp"

namespace reeve::app {

/// What the command line says about exports.
struct HistoryArguments {
  std::string as;
  std::string as_of;
  std::vector<std::string> columns;
  std::string timezone;
  std::vector<std::string> usd_per;  ///< EUR=1.10
  std::string job, host;
  std::string join;
  bool keep_going = false;
  std::string prices = "bill";
  std::string key;  ///< the file of pseudonyms
  std::vector<std::string> tags;
  std::string from_aws;  ///< a span: 90d

  bool any() const {
    return !as.empty() || !as_of.empty() || !timezone.empty() || !usd_per.empty() || !job.empty() ||
           !host.empty() || !join.empty() || keep_going || prices != "bill" || !key.empty() ||
           !tags.empty() || !from_aws.empty();
  }
};

/// Adds the options of `reeve import history`.
void add_history_options(Command& command, HistoryArguments& arguments);

/// Throws UsageError if a value makes no sense, and InputError E0410 of an unknown time zone.
scenarios::HistoryOptions history_options(const HistoryArguments& arguments);

/// Reads `files` and, if asked to, an account; writes the directory `out`, or with none prints what
/// it found.
int import_history(const std::vector<std::string>& files, const HistoryArguments& arguments,
                   bool anonymize, const std::string& out, const Console& console);

}  // namespace reeve::app
