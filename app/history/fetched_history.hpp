// What `reeve import history --from-aws` reads of an account: the files that `reeve export-plan`
// would have written.
#pragma once

#include <filesystem>
#include <map>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/console.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {

/// The folder of the replies in the directory of an import.
inline constexpr std::string_view replies_folder = "aws";

struct FetchedHistory {
  std::map<std::string, std::string> files;     ///< gzip, by name: "jobs.json.gz"
  std::vector<scenarios::Diagnostic> warnings;  ///< parts that AWS did not give
  policy::Instant since;                        ///< jobs that were created from then on
  policy::Instant at;                           ///< when reeve asked
  bool interrupted = false;                     ///< by the user: nothing else is whole
};

/// The span of --from-aws: 90d.  Throws UsageError unless it is 1 to 3650 days.
policy::Duration span_from_aws(const std::string& written);

/// Sends read calls alone, with the credentials of the environment, and prints its warnings. Throws
/// CloudError if the training jobs cannot be read, and InputError if there is no job and no other
/// file that may have some: E0427.
FetchedHistory fetch_history(policy::Duration span, bool has_others, const Console& console);

/// Writes the files for the owner alone to a new folder in `folder`, named after the time: those of
/// earlier fetches stay.  Returns the new one.  Throws std::runtime_error.
std::filesystem::path write_replies(const FetchedHistory& fetched,
                                    const std::filesystem::path& folder);

}  // namespace reeve::app
