// What a further attempt is requested with: where it starts and runs, what it has and is called.
#pragma once

#include <reeve/policy/options.hpp>
#include <string>
#include <vector>

namespace reeve::policies {

/// The options of rules that clone jobs, and the request that results from them.
class CloneTerms {
 public:
  explicit CloneTerms(const policy::Options& options);
  policy::CloneJob request(policy::JobId job, policy::AttemptNumber attempt,
                           const policy::FleetView& fleet) const;
  bool goes_elsewhere() const;
  /// The articles' handler is called once for each end, and its name is not taken later either.
  bool are_asked_once() const { return naming_ == policy::CloneNaming::appended; }

 private:
  std::optional<policy::PoolId> other_pool(policy::JobId job, const policy::FleetView& fleet) const;
  std::optional<policy::PoolId> wanted_pool(policy::JobId job,
                                            const policy::FleetView& fleet) const;

  policy::ResumeFrom from_;
  bool keeps_tags_;
  std::string fleet_;
  std::string market_;
  std::string type_;
  policy::Duration max_runtime_;
  std::uint16_t loses_;
  policy::CloneNaming naming_;
};

std::vector<policy::OptionSpec> clone_options();
policy::OptionProblem check_clone_terms(const policy::Options& options);
/// A type, or a type in a market, of which no fleet has instances.
policy::OptionProblem doubt_clone_terms(const policy::Options& options,
                                        const policy::Directory& directory);
/// Where clones of jobs of that type may go.
std::vector<policy::PoolId> reached_by_clones(const policy::Options& options,
                                              const policy::Directory& directory,
                                              policy::TypeId type);
/// Of these options the first that is not as it is by default; empty: none.
std::string_view stated_clone_option(const policy::Options& options);

/// The back-off after a number of clones: doubled each time.
policy::Duration backed_off(policy::Duration first, std::int64_t clones);

}  // namespace reeve::policies
