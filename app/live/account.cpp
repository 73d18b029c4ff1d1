#include "app/live/account.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <utility>

#include "app/live/cloud_error.hpp"
#include "app/study/interruption.hpp"
#include "app/transport.hpp"
#include "live/feed/account_jobs.hpp"
#include "report/display_width.hpp"

namespace reeve::app {
namespace {

template <class Value>
Value needed(live::Result<Value> result, std::string hint = {}) {
  if (const live::Failure* failure = live::failure_of(result)) {
    throw CloudError{failure->message, std::move(hint)};
  }
  return std::get<Value>(std::move(result));
}

}  // namespace

std::string hint_for(const live::FailedCall& failed) {
  const std::string& code = failed.error.code;
  if (code == "NoCredentials") {
    return "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
  }
  if (code.starts_with("AccessDenied") || code == "UnauthorizedOperation") {
    return "allow the credentials the action " + failed.action;
  }
  if (code == "InvalidClientTokenId" || code == "UnrecognizedClientException") {
    return "check the access key: AWS does not know it";
  }
  if (code.starts_with("ExpiredToken")) return "renew the credentials";
  if (code.ends_with("NonExistentQueue") || code == "QueueDoesNotExist") {
    return "check \"queue\" of the key \"live\", and the region";
  }
  if (code == "InvalidSignatureException" || code == "SignatureDoesNotMatch") {
    return "check the secret key, the region and the clock of this machine";
  }
  if (code.starts_with("RequestTimeTooSkewed") || code == "RequestExpired") {
    return "set the clock of this machine";
  }
  if (code == live::untrusted_certificate) {
    return "if the host or a proxy has an authority of its own, set AWS_CA_BUNDLE to a file with "
           "the certificate of that authority; certificates are always verified";
  }
  const std::string& message = failed.error.message;
  const bool is_of_proxy = message.find("proxy") != message.npos ||
                           message.find("PROXY") != message.npos || code == "Http407";
  if (is_of_proxy) {
    return "check HTTPS_PROXY, as in http://USER:PASSWORD@HOST:PORT; NO_PROXY lists the hosts that "
           "need no proxy";
  }
  if (failed.error.message.find("resolve host") != std::string::npos) {
    return "check the region, AWS_ENDPOINT_URL and the network";
  }
  return failed.error.retryable ? "try again later" : "";
}

void give_up(const live::FailedCall& failed) {
  std::string message =
      fmt::format("{} failed: {}", failed.action, report::printable(failed.error.code));
  if (!failed.error.message.empty()) message += ": " + report::printable(failed.error.message);
  throw CloudError{message, hint_for(failed)};
}

Account::Account(const scenarios::LiveSpec& settings)
    : transport_{needed(new_transport(environment_))} {
  transport_->cancel_when([&interrupted = interruption()] { return interrupted.load(); });
  live::Transport* transport = transport_.get();
  if (const auto url = environment_.get(clock_variable)) {
    transport = &rehearsal_.emplace(*transport_, *url);
  }
  const live::Surroundings around{environment_, *transport, clock(), live::system_random};
  credentials_.emplace(around);
  client_.emplace(around, *credentials_, client_settings(settings));
  auto account = live::account_of(*client_);
  if (const auto* failed = std::get_if<live::FailedCall>(&account)) give_up(*failed);
  id_ = std::get<std::string>(std::move(account));
  if (!settings.account.empty() && id_ != settings.account) {
    throw CloudError{fmt::format("the credentials are of account {}, the configuration of {}", id_,
                                 settings.account),
                     "choose other credentials, for example with AWS_PROFILE"};
  }
}

policy::Instant Account::now() {
  return std::chrono::floor<std::chrono::milliseconds>(clock().now() + client_->clock_correction());
}

live::ClientSettings Account::client_settings(const scenarios::LiveSpec& settings) const {
  if (settings.region.empty()) {
    return needed(live::client_settings(environment_),
                  "set AWS_REGION, or \"region\" of the key \"live\"");
  }
  return {settings.region, needed(live::max_attempts(environment_))};
}

}  // namespace reeve::app
