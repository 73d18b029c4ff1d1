// The comment of a comparison in a pull request on GitHub: one for each scenario, edited on each
// push.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/console.hpp"
#include "app/study/study.hpp"

namespace reeve::app {

/// Where a workflow of GitHub Actions runs, from the variables that it sets.
struct PullRequest {
  std::string api;         ///< GITHUB_API_URL
  std::string repository;  ///< GITHUB_REPOSITORY: "owner/name"
  std::string token;       ///< GITHUB_TOKEN
  std::string number;      ///< of the pull request, from GITHUB_REF
};

/// Nothing: the workflow runs for a branch or a tag.  Throws UsageError: no workflow, no token, or
/// variables that make no sense.
std::optional<PullRequest> pull_request_here();

/// Markdown of a complete study: the closing sentence, each policy against the baseline, and
/// expectations that are untrue.
std::string pull_request_text(const Study& study, std::size_t baseline);

/// Edits the comment that begins as `text` does, or writes a new one.  Returns its address.  Throws
/// std::runtime_error with what GitHub answers.
std::string put_comment(const PullRequest& place, const std::string& text);

}  // namespace reeve::app
