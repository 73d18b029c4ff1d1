#include "app/lambda/record_batch.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <variant>

#include "live/events/json_fields.hpp"
#include "live/events/read_event.hpp"

namespace reeve::app {

using nlohmann::json;

std::string job_of(const live::FleetEvent& event) {
  if (const auto* job = std::get_if<live::TrainingJobState>(&event.detail)) return job->name;
  if (const auto* created = std::get_if<live::TrainingJobCreated>(&event.detail)) {
    return created->job.name;
  }
  const auto* report = std::get_if<live::TrainingReport>(&event.detail);
  return report == nullptr ? std::string{} : report->job;
}

RecordBatch::RecordBatch(std::string_view payload) {
  const json parsed = json::parse(payload, nullptr, false);
  if (parsed.is_discarded()) throw std::runtime_error{"the payload is no JSON"};
  const json* records = live::field(parsed, "Records");
  if (records == nullptr) return;
  has_records_ = true;
  if (!records->is_array()) throw std::runtime_error{"Records is no list"};
  for (const json& record : *records) {
    std::string id = live::text_of(record, "messageId");
    if (id.empty()) throw std::runtime_error{"a record is no message of SQS: it has no messageId"};
    ids_.push_back(id);
    auto event = live::read_event(live::text_of(record, "body"));
    if (const live::Failure* failure = live::failure_of(event)) {
      failed_.insert(id);
      unreadable_.emplace_back(std::move(id), failure->message);
    } else {
      events_.push_back({std::move(id), std::get<live::FleetEvent>(std::move(event))});
    }
  }
}

void RecordBatch::fail_job(const std::string& job) {
  for (const RecordedEvent& recorded : events_) {
    if (job_of(recorded.event) == job) failed_.insert(recorded.id);
  }
}

std::string RecordBatch::answer() const {
  json failures = json::array();
  for (const std::string& id : failed_) failures.push_back({{"itemIdentifier", id}});
  return json{{"batchItemFailures", std::move(failures)}}.dump();
}

}  // namespace reeve::app
