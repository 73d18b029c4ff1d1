#include "app/sweep/aws_batch.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "app/live/account.hpp"
#include "app/sweep/shard_queue.hpp"
#include "app/sweep/shards.hpp"
#include "live/aws/service.hpp"
#include "live/events/json_fields.hpp"
#include "report/hash_chain.hpp"

namespace reeve::app {
namespace {

using nlohmann::json;
using Steady = std::chrono::steady_clock;

class AwsBatch final : public ShardQueue {
 public:
  AwsBatch(const std::string& directory, BatchOptions options)
      : directory_{std::filesystem::absolute(directory).string()},
        options_{std::move(options)},
        account_{scenarios::LiveSpec{}} {
    account_.outlive_interruption();  // a job that was submitted has to be terminated
  }

  /// The variables and the command of a container share 8,192 characters.
  std::size_t takes(const std::vector<std::size_t>& shards) const override {
    constexpr std::size_t most_children = 10'000;
    constexpr std::size_t most_characters = 3'000;
    std::vector<std::size_t> taken = shards;
    taken.resize(std::min(taken.size(), most_children));
    while (shards_text(taken).size() > most_characters) taken.resize(taken.size() * 7 / 8);
    return taken.size();
  }

  std::optional<std::string> submit(const std::vector<std::size_t>& shards) override {
    const live::CallResult reply = call("SubmitJob", job_of(shards));
    if (!reply.error) {
      heard_ = Steady::now();
      return live::text_of(reply.value, "jobId");
    }
    failed_ = {"batch:SubmitJob", *reply.error};
    if (!reply.error->retryable) give_up(failed_);
    return std::nullopt;
  }
  [[noreturn]] void refuse() const override { give_up(failed_); }

  /// A call that fails says nothing of the job.
  bool lists(const std::string& job) override {
    constexpr std::chrono::minutes longest_silence{10};
    const live::CallResult reply = call("DescribeJobs", {{"jobs", json::array({job})}});
    if (reply.error) {
      const bool is_brief = Steady::now() - heard_ < longest_silence;
      if (!reply.error->retryable || !is_brief) {
        live::FailedCall failed{"batch:DescribeJobs", *reply.error};
        failed.error.message += "; job " + job + " may still run";
        give_up(failed);
      }
      return true;
    }
    heard_ = Steady::now();
    const auto jobs = reply.value.find("jobs");
    if (jobs == reply.value.end() || !jobs->is_array() || jobs->empty()) return false;
    const std::string status = live::text_of(jobs->front(), "status");
    return status != "SUCCEEDED" && status != "FAILED";
  }
  /// A file system that is shared may show results late.
  std::chrono::seconds patience() const override { return std::chrono::seconds{10}; }
  void cancel(const std::string& job) override {
    const live::CallResult reply =
        call("TerminateJob", {{"jobId", job}, {"reason", "reeve sweep was interrupted"}});
    if (reply.error) give_up({"batch:TerminateJob", *reply.error});
  }
  std::string logs(const std::string& job) const override {
    return "the logs of job " + job + " of AWS Batch";
  }

 private:
  live::CallResult call(const char* operation, json parameters) {
    return account_.client().call({live::services::batch, operation, std::move(parameters)});
  }

  /// SubmitJob has no client token: a reply that is lost leaves two jobs of the same name.  Both
  /// write the same results, so the second one is only wasted work.
  json job_of(const std::vector<std::size_t>& shards) const {
    constexpr int attempts = 3;  // a Spot instance may be lost
    const std::string text = shards_text(shards);
    json command = {"-q", "sweep", "shard", directory_};
    if (!options_.program.empty()) command.insert(command.begin(), options_.program);
    json job{{"jobName", "reeve-sweep-" + report::sha256(directory_ + '\n' + text).substr(0, 16)},
             {"jobQueue", options_.queue},
             {"jobDefinition", options_.definition},
             {"retryStrategy", {{"attempts", attempts}}},
             {"containerOverrides",
              {{"command", std::move(command)},
               {"environment", json::array({{{"name", shards_variable}, {"value", text}}})}}}};
    if (shards.size() > 1) job["arrayProperties"] = {{"size", shards.size()}};
    return job;
  }

  std::string directory_;
  BatchOptions options_;
  Account account_;
  live::FailedCall failed_;  ///< the last submission
  Steady::time_point heard_ = Steady::now();
};

}  // namespace

bool finish_on_batch(const std::string& directory, const SweepPlan& plan,
                     const BatchOptions& options, const Console& console) {
  AwsBatch batch{directory, options};
  return finish_on(batch, directory, plan, console);
}

}  // namespace reeve::app
