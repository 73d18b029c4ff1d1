#include "live/clean_up/orphans.hpp"

#include <algorithm>
#include <array>
#include <reeve/policy/condition.hpp>
#include <reeve/policy/training_job_name.hpp>
#include <utility>

#include "live/act/protected_tag.hpp"

namespace reeve::live {
namespace {

using policy::Instant;

/// The services that own an instance would replace it.
/// Source: the EC2 Auto Scaling, EC2 Fleet and Spot Fleet user guides.
constexpr std::array owner_tags = {std::string_view{"aws:autoscaling:groupName"},
                                   std::string_view{"aws:ec2:fleet-id"},
                                   std::string_view{"aws:ec2spot:fleet-request-id"}};

/// All jobs of a resource, seen as one: it runs if one of them does, and has ended with the last.
JobEnd together(const std::vector<std::string>& jobs, JobEnds& ends) {
  JobEnd all;
  for (const std::string& job : jobs) {
    const JobEnd& end = ends.of(job);
    if (end.kind == JobEnd::Kind::runs || end.kind == JobEnd::Kind::unread) return end;
    if (end.kind == JobEnd::Kind::ended && (all.kind == JobEnd::Kind::none || end.at > all.at)) {
      all = end;
    }
  }
  return all;
}

/// What holds for alarms and instances: whether the jobs are over, and for long enough.
Judgement judge_jobs(const Resource& resource, const std::vector<std::string>& jobs, JobEnds& ends,
                     const OrphanTerms& terms, Instant now) {
  const JobEnd end = together(jobs, ends);
  Judgement judgement{Verdict::keep, jobs.front(), {}, std::max(end.at, resource.made)};
  if (jobs.size() > 1) judgement.job += " and others";
  if (end.kind == JobEnd::Kind::unread) {
    judgement.verdict = Verdict::unread;
    judgement.finding = "the job cannot be read: " + end.word;
    judgement.since = resource.made;
  } else if (end.kind != JobEnd::Kind::runs && now - judgement.since >= terms.older_than) {
    judgement.verdict = Verdict::remove;
    judgement.finding = end.kind == JobEnd::Kind::none ? "no such job" : "job " + end.word;
  }
  return judgement;
}

Judgement reported(Judgement judgement, const std::string& why) {
  judgement.verdict = Verdict::report;
  judgement.finding += (judgement.finding.empty() ? "" : "; ") + why;
  return judgement;
}

Judgement judge_alarm(const Resource& alarm, JobEnds& ends, const OrphanTerms& terms, Instant now) {
  const AlarmSubject& subject = alarm.subject;
  const bool by_name = subject.jobs.empty();
  if (by_name && subject.job_in_name.empty()) return {};
  const std::vector<std::string> jobs = by_name ? std::vector{subject.job_in_name} : subject.jobs;
  Judgement judgement = judge_jobs(alarm, jobs, ends, terms, now);
  if (judgement.verdict != Verdict::remove) return judgement;
  if (by_name && ends.of(jobs.front()).kind == JobEnd::Kind::none) {
    return reported(std::move(judgement), "only the name of the alarm names it");
  }
  if (!by_name && subject.has_other_metrics) {
    return reported(std::move(judgement), "it has other metrics too");
  }
  return judgement;
}

Judgement judge_instance(const Resource& instance, JobEnds& ends, const OrphanTerms& terms,
                         Instant now) {
  const std::string* job = instance.tag(job_tag);
  const bool has_name = instance.tag(name_tag) != nullptr;
  if (job == nullptr && !has_name) return {};
  if (job == nullptr) {
    return {Verdict::report, {}, "no tag JOB_ID", instance.made};
  }
  if (!policy::is_training_job_name(*job)) {
    return {Verdict::report, {}, "JOB_ID is not the name of a training job", instance.made};
  }
  Judgement judgement = judge_jobs(instance, {*job}, ends, terms, now);
  if (judgement.verdict != Verdict::remove) return judgement;
  if (std::string why = held_by(instance, terms.protected_tags); !why.empty()) {
    return reported(std::move(judgement), why);
  }
  if (!has_name && ends.of(*job).kind == JobEnd::Kind::none) {  // other systems have a JOB_ID too
    return reported(std::move(judgement), "no tag NAME");
  }
  return judgement;
}

}  // namespace

const JobEnd& JobEnds::of(const std::string& job) {
  const auto [place, is_new] = known_.try_emplace(job);
  JobEnd& end = place->second;
  if (!is_new) return end;
  if (failed_) return end = {JobEnd::Kind::unread, failed_->error.code};
  const TrainingJobReader::Described described = reader_.describe_without_tags(job);
  if (const auto* failed = std::get_if<FailedCall>(&described)) {
    failed_ = *failed;
    return end = {JobEnd::Kind::unread, failed->error.code};
  }
  if (const auto* unread = std::get_if<UnreadJob>(&described)) {
    return end = {JobEnd::Kind::unread, unread->why};
  }
  const auto* event = std::get_if<FleetEvent>(&described);
  if (event == nullptr) return end;
  const auto& state = std::get<TrainingJobState>(event->detail);
  const bool has_ended = state.primary == policy::Primary::completed ||
                         state.primary == policy::Primary::failed ||
                         state.primary == policy::Primary::stopped;
  if (!has_ended) return end = {JobEnd::Kind::runs};
  const auto at = state.ended ? state.ended : state.modified;
  return end = {JobEnd::Kind::ended,
                std::string{policy::primary_names[static_cast<std::size_t>(state.primary)]},
                at.value_or(Instant::min())};
}

std::string held_by(const Resource& instance, const std::vector<std::string>& protected_tags) {
  for (const auto& [key, value] : instance.tags) {
    const bool has_owner = std::find(owner_tags.begin(), owner_tags.end(), key) != owner_tags.end();
    if (has_owner) return "its group would replace it: tag " + key;
  }
  const std::string kept = protected_tag(instance.tags, protected_tags);
  return kept.empty() ? kept : "protected by the tag " + kept;
}

Judgement judge_orphan(const Resource& resource, JobEnds& ends, const OrphanTerms& terms,
                       Instant now) {
  return resource.kind == ResourceKind::alarm ? judge_alarm(resource, ends, terms, now)
                                              : judge_instance(resource, ends, terms, now);
}

}  // namespace reeve::live
