#include "app/live/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string_view>
#include <variant>

#include "app/exit_code.hpp"
#include "app/files/output_place.hpp"
#include "app/live/cloud_error.hpp"
#include "app/study/interruption.hpp"
#include "app/usage_error.hpp"
#include "live/aws/credential_chain.hpp"
#include "live/aws/curl_transport.hpp"
#include "live/aws/system_surroundings.hpp"
#include "live/feed/account_jobs.hpp"
#include "report/display_width.hpp"
#include "report/format.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

constexpr std::string_view plan_begins = "{\"reeve_plan\":1";

template <class Value>
Value needed(live::Result<Value> result, std::string hint = {}) {
  if (const live::Failure* failure = live::failure_of(result)) {
    throw CloudError{failure->message, std::move(hint)};
  }
  return std::get<Value>(std::move(result));
}

std::string hint_for(const live::FailedCall& failed) {
  const std::string& code = failed.error.code;
  if (code == "NoCredentials") {
    return "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
  }
  if (code.starts_with("AccessDenied")) return "allow the credentials the action " + failed.action;
  if (code.starts_with("ExpiredToken")) return "renew the credentials";
  return failed.error.retryable ? "try again later" : "";
}

[[noreturn]] void give_up(const live::FailedCall& failed) {
  std::string message = fmt::format("{} failed: {}", failed.action, failed.error.code);
  if (!failed.error.message.empty()) message += ": " + report::printable(failed.error.message);
  throw CloudError{message, hint_for(failed)};
}

/// The connection to the account of a configuration.
class Account {
 public:
  explicit Account(const scenarios::LiveSpec& settings)
      : transport_{needed(live::CurlTransport::create(environment_))},
        around_{environment_, *transport_, clock_, live::system_random},
        credentials_{around_},
        client_{around_, credentials_, client_settings(settings)} {
    if (settings.account.empty()) return;
    const auto account = live::account_of(client_);
    if (const auto* failed = std::get_if<live::FailedCall>(&account)) give_up(*failed);
    if (std::get<std::string>(account) != settings.account) {
      throw CloudError{fmt::format("the credentials are of account {}, the configuration of {}",
                                   std::get<std::string>(account), settings.account),
                       "choose other credentials, for example with AWS_PROFILE"};
    }
  }

  live::AccountJobs running_jobs(const Console& console) {
    const std::atomic<bool>& interrupted = interruption();
    const bool shows = console.watched() && !console.quiet;
    auto found = live::running_jobs(client_, clock_, [&](std::size_t done, std::size_t all) {
      if (shows) console.complain(fmt::format("\rtraining jobs read: {} of {}", done, all));
      return !interrupted.load();
    });
    if (shows) console.complain("\r\x1b[K");
    if (const auto* failed = std::get_if<live::FailedCall>(&found)) give_up(*failed);
    return std::get<live::AccountJobs>(std::move(found));
  }
  /// By the clock of AWS, in its milliseconds.
  policy::Instant now() {
    return std::chrono::floor<std::chrono::milliseconds>(clock_.now() + client_.clock_correction());
  }
  const std::string& region() const { return client_.settings().region; }

 private:
  live::ClientSettings client_settings(const scenarios::LiveSpec& settings) const {
    if (settings.region.empty()) {
      return needed(live::client_settings(environment_),
                    "set AWS_REGION, or \"region\" of the key \"live\"");
    }
    return {settings.region, needed(live::max_attempts(environment_))};
  }

  live::SystemEnvironment environment_;
  live::SystemClock clock_;
  std::unique_ptr<live::CurlTransport> transport_;
  live::Surroundings around_;
  live::CredentialChain credentials_;
  live::Client client_;
};

std::string why_partial(const RuleRun& rules, const live::AccountJobs& jobs) {
  if (jobs.interrupted || rules.is_partial()) return "interrupted";
  if (jobs.unread.empty()) return {};
  return scenarios::counted(jobs.unread.size(), "training job") + " could not be read";
}

void complain_about_jobs(const live::AccountJobs& jobs, const Console& console) {
  constexpr std::size_t most_shown = 10;
  for (std::size_t job = 0; job < std::min(jobs.unread.size(), most_shown); ++job) {
    console.complain(fmt::format("training job {} cannot be read: {}\n",
                                 scenarios::in_quotes(jobs.unread[job].name),
                                 report::printable(jobs.unread[job].why)));
  }
  if (jobs.unread.size() > most_shown) {
    console.complain(fmt::format("and {} more training jobs\n", jobs.unread.size() - most_shown));
  }
}

/// What enforcement would do: no guard refuses it.
std::size_t actions_of(const RuleRun& rules) {
  return static_cast<std::size_t>(
      std::count_if(rules.proposals().begin(), rules.proposals().end(),
                    [](const Proposal& row) { return row.refused_by.empty(); }));
}

void write_plan(const std::string& file, const RuleRun& rules, const report::Table& table,
                std::string_view region, policy::Instant now, bool is_partial,
                const Console& console) {
  report::TemporaryFile out{file};
  out.stream()
      << plan_begins
      << fmt::format(
             ",\"at\":\"{}\",\"account\":\"{}\",\"region\":\"{}\",\"actions\":{},\"partial\":{},",
             report::instant(now), rules.settings().account, region, actions_of(rules), is_partial)
      << "\"rules\":" << report::json(table)
      << ",\"proposals\":" << report::json(rules.proposals_table(false)) << "}\n";
  out.close();
  out.put_in_place();
  console.note("wrote " + file + '\n');
}

}  // namespace

int plan(const PlanArguments& arguments, const Console& console) {
  RuleRun rules{arguments.rules, console};
  if (arguments.out) {
    check_output_file(*arguments.out, plan_begins, "--out");
    if (arguments.out == arguments.rules.journal) {
      throw UsageError{"--out and --journal name the same file", "choose another file for one"};
    }
  }
  Account account{rules.settings()};
  const live::AccountJobs jobs = account.running_jobs(console);
  const policy::Instant now = account.now();
  live::Snapshot snapshot{jobs.jobs, rules.roster(), now};
  rules.run(snapshot, now);
  complain_about_jobs(jobs, console);
  rules.complain(console);
  std::vector<std::string> facts{account.region()};
  if (const auto& id = rules.settings().account; !id.empty()) facts.push_back("account " + id);
  const std::string lacks = why_partial(rules, jobs);
  const report::Table table = rules.rules_table("plan", std::move(facts), lacks);
  rules.print(table, console);
  if (arguments.out)
    write_plan(*arguments.out, rules, table, account.region(), now, !lacks.empty(), console);
  rules.keep_journal(console);
  if (jobs.interrupted || rules.is_partial()) return ExitCode::interrupted;
  if (!jobs.unread.empty()) return ExitCode::cloud;
  if (!rules.host().muted().empty()) return ExitCode::failed;
  return arguments.detailed_exitcode && actions_of(rules) > 0 ? ExitCode::pending : ExitCode::done;
}

}  // namespace reeve::app
