// Which alarms and instances have outlived their training jobs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "live/clean_up/account_resources.hpp"
#include "live/feed/training_job_reader.hpp"

namespace reeve::live {

enum class Verdict : std::uint8_t {
  keep,    ///< it is in use, or none of our business
  report,  ///< a person must decide
  unread,  ///< a call failed, so nothing is known
  remove
};

struct Judgement {
  Verdict verdict = Verdict::keep;
  std::string job = {};        ///< training job; empty: unknown
  std::string finding = {};    ///< why, for people
  policy::Instant since = {};  ///< when the job had ended and the resource was there
};

/// How a training job stands.
struct JobEnd {
  enum class Kind : std::uint8_t { runs, ended, none, unread };
  Kind kind = Kind::none;
  std::string word = {};  ///< TrainingJobStatus of an ended job; why one is unread
  policy::Instant at = policy::Instant::min();
};

/// Describes each job once.  After a call without permission it describes none.
class JobEnds {
 public:
  explicit JobEnds(TrainingJobReader& reader) : reader_{reader} {}

  const JobEnd& of(const std::string& job);
  /// Each job is described again.
  void forget() { known_.clear(); }
  const std::optional<FailedCall>& failed() const { return failed_; }

 private:
  TrainingJobReader& reader_;
  std::map<std::string, JobEnd> known_;
  std::optional<FailedCall> failed_;
};

struct OrphanTerms {
  policy::Duration older_than{0};
  std::vector<std::string> protected_tags = {};  ///< "key" or "key=value"
};

/// An alarm is an orphan if all jobs of its metrics have ended or do not exist; one that only its
/// name ties to a job, if that job has ended.  An instance is one if the job of its tag JOB_ID has
/// ended, or does not exist and the instance has the tag NAME as well.  `now` is the time of AWS.
Judgement judge_orphan(const Resource& resource, JobEnds& ends, const OrphanTerms& terms,
                       policy::Instant now);

/// Why an instance is not to be terminated, whatever its job; empty: nothing is against it.
std::string held_by(const Resource& instance, const std::vector<std::string>& protected_tags);

}  // namespace reeve::live
