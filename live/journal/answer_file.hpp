// What people answer about actions that wait for them: a file beside the journal of actions.
#pragma once

#include <cstdint>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <vector>

#include "live/aws/failure.hpp"

namespace reeve::live {

/// The answer of a person about an action.
struct Answer {
  std::string action;  ///< its id in the journal of actions
  bool confirms = false;
  std::string by;  ///< name of the user
  policy::Instant at;
};

/// A line of JSON for each answer.  Who answers needs no lock of the journal: the run that holds it
/// copies the answers into the journal.
class AnswerFile {
 public:
  explicit AnswerFile(const std::string& journal) : path_{journal + ".answers"} {}

  /// Appends them as a whole.  A new file belongs to the owner of the journal.
  std::optional<Failure> append(const std::vector<Answer>& answers) const;
  /// What was appended since the last call.  A line that was cut off is no answer.  A failure if
  /// there is a file that cannot be read; the next call tries again.
  Result<std::vector<Answer>> read_new();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::uint64_t read_ = 0;  ///< bytes
};

}  // namespace reeve::live
