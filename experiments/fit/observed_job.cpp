#include "experiments/fit/observed_job.hpp"

#include <string_view>

namespace reeve::experiments {
namespace {

/// FNV-1a, of numbers as eight bytes and of texts with their lengths.
class ContentHash {
 public:
  void add(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) mix(static_cast<unsigned char>(number >> (8 * byte)));
  }
  void add(std::int64_t number) { add(static_cast<std::uint64_t>(number)); }
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    for (const char character : text) mix(static_cast<unsigned char>(character));
  }
  void add(const std::optional<policy::Duration>& length) {
    add(length ? std::int64_t{length->count()} : std::int64_t{-1});
  }
  std::uint64_t value() const { return value_; }

 private:
  void mix(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001B3u; }
  std::uint64_t value_ = 0xCBF29CE484222325u;
};

}  // namespace

bool is_cut_short(const ObservedJob& job) {
  using scenarios::EndStatus;
  switch (job.end_status) {
    case EndStatus::failed:
    case EndStatus::out_of_memory:
    case EndStatus::killed:
    case EndStatus::timeout:
    case EndStatus::running:
    case EndStatus::killed_or_running:
    case EndStatus::node_failure:
    case EndStatus::preempted:
      return true;
    default:
      return job.censored;
  }
}

bool still_runs(const ObservedJob& job) {
  using scenarios::EndStatus;
  return job.end_status == EndStatus::running || job.end_status == EndStatus::killed_or_running ||
         (job.end_status == EndStatus::unknown && job.censored);
}

bool has_run(const ObservedJob& job) {
  return job.duration && job.end_status != scenarios::EndStatus::never_started;
}

std::uint64_t content_seed(const ObservedHistory& history) {
  ContentHash hash;
  hash.add(std::int64_t{history.start.time_since_epoch().count()});
  hash.add(std::int64_t{history.end.time_since_epoch().count()});
  for (const ObservedJob& job : history.jobs) {
    hash.add(std::int64_t{job.submit.time_since_epoch().count()});
    hash.add(job.duration);
    hash.add(std::string_view{job.user});
    hash.add(std::string_view{job.instance_type});
    hash.add(static_cast<std::int64_t>(job.gpus * 1000));
  }
  return hash.value();
}

}  // namespace reeve::experiments
