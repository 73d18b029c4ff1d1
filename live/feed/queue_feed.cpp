#include "live/feed/queue_feed.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "live/events/json_fields.hpp"
#include "live/events/read_event.hpp"
#include "live/feed/service_job_reader.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Duration;
using policy::Instant;
using std::chrono::seconds;

constexpr std::size_t most_per_call = 10;     // of SQS
constexpr std::size_t most_per_step = 1'000;  // messages that the host gets at once
constexpr seconds longest_poll{20};
constexpr seconds longest_back_off{60};
/// A change is listed again in the next listing: clocks differ, and listings lag behind.
constexpr std::chrono::minutes overlap{2};

double epoch_seconds(Instant at) {
  return std::chrono::duration<double>(at.time_since_epoch()).count();
}

}  // namespace

QueueFeed::QueueFeed(Client& client, Clock& clock, Roster& roster, QueueSettings settings,
                     QueueWatch watch)
    : client_{client},
      clock_{clock},
      roster_{roster},
      settings_{std::move(settings)},
      watch_{std::move(watch)},
      reader_{client, clock} {}

Instant QueueFeed::time() {
  return clock_.now() + client_.clock_correction();
}

Instant QueueFeed::advance(Instant deadline, host::Intake& out) {
  remove_decided();
  if (now_ == Instant::min()) {
    now_ = std::min(time(), deadline);
    roster_.open(now_, out.observations);
    return now_;
  }
  bool has_polled = false;
  while (!ended()) {
    Instant now = std::max(time(), now_);
    if (!trouble_ && make_due_calls(now) && !has_polled) {
      poll(Duration{0});  // or calls about the account alone would follow one another
      has_polled = true;
    }
    now = std::max(time(), now_);
    // Timers come before messages that arrive later.  Each call polls once, or busy rules would
    // keep it from ever reading the queue.
    const bool is_late = now > deadline && !pending_.empty();
    if (is_late || (now >= deadline && has_polled && pending_.empty())) {
      now_ = std::max(now_, deadline);
      return now_;
    }
    if (!pending_.empty()) {
      now_ = now;
      for (const FleetEvent& event : pending_) give(event, out);
      pending_.clear();
      for (std::string& receipt : receipts_) decided_.push_back(std::move(receipt));
      receipts_.clear();
      return now_;
    }
    const auto until_deadline = [&] { return deadline - std::max(time(), now_); };
    const auto left = [&] {
      return std::max(std::min(until_deadline(), until_next_call()), Duration{0});
    };
    if (trouble_) {
      wait_out(*std::exchange(trouble_, std::nullopt), deadline);
      // The trouble may be of the queue alone.
      make_due_calls(std::max(time(), now_));
      if (!pending_.empty()) continue;
    } else if (has_polled && left() < seconds{1}) {
      // A decision at a deadline must not be late; a call about the account may be.
      constexpr int less_often = 20;
      const Duration nap = clock_.longest_nap();
      const bool is_close = until_deadline() < seconds{1};
      clock_.sleep(std::min(left(), is_close ? nap : less_often * nap));
    }
    poll(left());
    has_polled = true;
  }
  return policy::never;
}

/// Calls that describe the account, not those of the queue.
Duration QueueFeed::until_next_call() const {
  if (settings_.reconcile_every == Duration{0}) return Duration::max();
  Duration left = Duration::max();
  if (!listings_.empty()) {
    left = reader_.until_next_page();
  } else {
    const Instant now = clock_.now() + client_.clock_correction();
    left = listed_ ? *listed_ + settings_.reconcile_every - now : Duration{0};
  }
  if (!to_look_up_.empty()) {
    const Instant now = clock_.now() + client_.clock_correction();
    left = std::min(left, std::max(reader_.until_next_description(), look_up_after_ - now));
  }
  return left;
}

bool QueueFeed::make_due_calls(Instant now) {
  if (settings_.reconcile_every == Duration{0}) return false;
  bool has_called = false;
  if (listings_.empty() && (!listed_ || now >= *listed_ + settings_.reconcile_every)) {
    start_listing(now);
  }
  if (!listings_.empty() && reader_.until_next_page() == Duration{0}) {
    read_listed_page();
    has_called = true;
  }
  if (!to_look_up_.empty() && !trouble_ && now >= look_up_after_ &&
      reader_.until_next_description() == Duration{0}) {
    look_up_one();
    has_called = true;
  }
  return has_called;
}

void QueueFeed::give(const FleetEvent& event, host::Intake& out) {
  roster_.take(event, now_, out.observations);
  if (event.is_description || settings_.reconcile_every == Duration{0}) return;
  if (const auto* queued = std::get_if<BatchJobState>(&event.detail)) {
    // The first event of its training job is late or lost, unless the account is another one.
    const std::string name = training_job_in(queued->training_job);
    if (!roster_.service_job(name).empty() && !roster_.has(name)) to_look_up_.insert(name);
  }
  const auto* job = std::get_if<TrainingJobState>(&event.detail);
  // A description that lacks something lacks it again.
  if (job != nullptr && roster_.lacks_description(job->name)) to_look_up_.insert(job->name);
}

/// Waits for the first message, and takes what else is there.
void QueueFeed::poll(Duration wait) {
  const auto whole =
      std::chrono::floor<seconds>(std::clamp<Duration>(wait, seconds{0}, longest_poll));
  if (whole > seconds{0}) watch_.on_wait();
  if (!receive(whole)) return;
  while (pending_.size() < most_per_step && receive(seconds{0})) {
  }
}

/// False if there was no message.
bool QueueFeed::receive(Duration wait) {
  constexpr seconds beyond_the_wait{5};
  Call call{services::sqs,
            "ReceiveMessage",
            {{"QueueUrl", settings_.url},
             {"MaxNumberOfMessages", most_per_call},
             {"WaitTimeSeconds", std::chrono::floor<seconds>(wait).count()}}};
  call.timeout = longest_poll + beyond_the_wait;
  const CallResult reply = client_.call(call);
  if (reply.error) {
    if (watch_.interrupted()) return false;
    trouble_ = FailedCall{"sqs:ReceiveMessage", *reply.error};
    if (!cut_off_since_) cut_off_since_ = time();
    return false;
  }
  has_received_ = true;
  cut_off_since_.reset();
  back_off_ = Duration{0};
  const auto messages = reply.value.find("Messages");
  if (messages == reply.value.end() || !messages->is_array() || messages->empty()) return false;
  for (const json& message : *messages) take_message(message);
  return true;
}

void QueueFeed::take_message(const json& message) {
  ++counts_.messages;
  const std::string id = text_of(message, "MessageId");
  Result<FleetEvent> read = read_event(text_of(message, "Body"));
  if (const Failure* failure = failure_of(read)) {
    constexpr std::size_t most_remembered = 10'000;
    if (unreadable_.size() < most_remembered && unreadable_.insert(id).second) {
      ++counts_.unreadable;
      watch_.on_unreadable(id, failure->message);
    }
    return;
  }
  pending_.push_back(std::get<FleetEvent>(std::move(read)));
  receipts_.push_back(text_of(message, "ReceiptHandle"));
}

/// A message whose deletion fails comes again, which changes nothing.
void QueueFeed::remove_decided() {
  for (std::size_t first = 0; first < decided_.size(); first += most_per_call) {
    json entries = json::array();
    const std::size_t last = std::min(first + most_per_call, decided_.size());
    for (std::size_t index = first; index < last; ++index) {
      entries.push_back(
          {{"Id", std::to_string(index - first)}, {"ReceiptHandle", decided_[index]}});
    }
    const CallResult reply = client_.call(
        {services::sqs, "DeleteMessageBatch", {{"QueueUrl", settings_.url}, {"Entries", entries}}});
    if (reply.error) {
      ++counts_.failed_calls;
      if (!watch_.interrupted()) watch_.on_trouble({"sqs:DeleteMessage", *reply.error});
      break;
    }
    const auto failed = reply.value.find("Failed");
    const bool has_failed = failed != reply.value.end() && failed->is_array();
    counts_.removed += (last - first) - (has_failed ? failed->size() : 0);
  }
  decided_.clear();
}

/// First the running jobs, then those that changed since the last listing.
void QueueFeed::start_listing(Instant now) {
  listing_began_ = now;
  if (listed_) {
    listings_.push_back(
        TrainingJobReader::listing({{"LastModifiedTimeAfter", epoch_seconds(*listed_ - overlap)}}));
    return;
  }
  if (again_) {
    listings_.push_back(
        TrainingJobReader::listing({{"LastModifiedTimeAfter", epoch_seconds(again_->first)},
                                    {"LastModifiedTimeBefore", epoch_seconds(again_->second)}}));
  }
  for (const char* status : {"Stopping", "InProgress"}) {
    listings_.push_back(TrainingJobReader::listing({{"StatusEquals", status}}));
  }
}

void QueueFeed::read_listed_page() {
  Listing& listing = listings_.back();
  if (auto failed = reader_.read_page(listing)) {
    if (!failed->error.retryable) listings_.clear();  // its token is of no use: begin again
    trouble_ = std::move(failed);
    if (!unlisted_since_) unlisted_since_ = time();
    return;
  }
  unlisted_since_.reset();
  for (ListedJob& job : listing.found) {
    if (!roster_.knows(job.name, job.status, job.modified)) to_look_up_.insert(std::move(job.name));
  }
  listing.found.clear();
  if (!listing.pages.at_end()) return;
  listings_.pop_back();
  if (listings_.empty()) listed_ = listing_began_;
}

void QueueFeed::look_up_one() {
  const auto first = to_look_up_.begin();
  TrainingJobReader::Described described = reader_.describe(*first);
  if (auto* failed = std::get_if<FailedCall>(&described)) {
    if (!undescribed_since_) undescribed_since_ = time();
    if (!has_received_ && !is_denied(failed->error)) {
      trouble_ = std::move(*failed);
      return;  // and again later
    }
    // The queue goes on, which must not shorten the wait.
    ++counts_.failed_calls;
    watch_.on_trouble(*failed);
    look_up_wait_ = std::clamp<Duration>(2 * look_up_wait_, seconds{1}, longest_back_off);
    look_up_after_ = time() + look_up_wait_;
    // One that may not be described must not keep the others waiting: a listing finds it again.
    const bool is_asked = failed->error.code != untrusted_certificate;
    if (!failed->error.retryable && is_asked) to_look_up_.erase(first);
    return;
  }
  look_up_wait_ = Duration{0};
  undescribed_since_.reset();
  if (auto* unread = std::get_if<UnreadJob>(&described)) {
    ++counts_.failed_calls;
    watch_.on_unreadable(unread->name, unread->why);
  }
  if (auto* event = std::get_if<FleetEvent>(&described)) {
    ++counts_.looked_up;
    pending_.push_back(std::move(*event));
  }
  to_look_up_.erase(first);
}

/// Before the first message a refusal ends the feed.  Later the account may come back.
void QueueFeed::wait_out(FailedCall failed, Instant deadline) {
  ++counts_.failed_calls;
  if (!has_received_ && !failed.error.retryable) {
    failure_ = std::move(failed);
    return;
  }
  watch_.on_trouble(failed);
  watch_.on_wait();
  back_off_ = std::clamp<Duration>(2 * back_off_, seconds{1}, longest_back_off);
  const Instant until = std::min(time() + back_off_, deadline);
  constexpr std::chrono::milliseconds look_each{200};
  for (Instant now = time(); now < until && !ended(); now = time()) {
    clock_.sleep(std::min<Duration>(until - now, look_each));
  }
}

}  // namespace reeve::live
