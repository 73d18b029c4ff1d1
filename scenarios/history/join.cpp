#include "scenarios/history/join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "scenarios/history/gpu_counts.hpp"
#include "scenarios/history/merged_jobs.hpp"
#include "scenarios/history/metrics/series_jobs.hpp"
#include "scenarios/history/metrics/stalls.hpp"
#include "scenarios/history/metrics/utilization_files.hpp"
#include "scenarios/history/not_in_the_data.hpp"
#include "scenarios/history/owner_tags.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/records/price_book.hpp"
#include "scenarios/text/aws_names.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;

double hours_of(Duration length) {
  return std::chrono::duration<double, std::ratio<3600>>{length}.count();
}

double dollars(NanoUsd nanos) {
  return static_cast<double>(nanos.nanos) / 1e9;
}

/// GPUs of one machine of a type, from the built-in price book.
std::optional<std::int64_t> gpus_of_type(std::string_view type) {
  static const std::map<std::string, std::int64_t, std::less<>> known = [] {
    std::map<std::string, std::int64_t, std::less<>> all;
    for (const PriceBookText& text : price_book_texts()) {
      for (const PriceRow& row : built_in_price_book(text.name)->rows()) {
        all[row.key.type] = row.accelerators;
      }
    }
    return all;
  }();
  if (const auto exact = known.find(type); exact != known.end()) return exact->second;
  if (!is_managed_name(type)) return gpus_of_ec2_type(type);
  const auto ec2 = known.find(ec2_name(type));
  return ec2 == known.end() ? gpus_of_ec2_type(ec2_name(type)) : std::optional{ec2->second};
}

void fill_gpus(ImportedJob& job) {
  if (job.gpus_total || !job.nodes) return;
  const auto each = gpus_of_type(job.instance_type);
  if (!each) return;
  job.gpus_per_node = *each;
  job.gpus_total = *each * *job.nodes;
}

/// Whether an event and a job are in one region and account, as far as both tell.
bool may_be_of(const HistoryEvent& event, const HistoryJob& job) {
  if (!is_arn(job.resource)) return true;
  const auto agree = [](std::string_view a, std::string_view b) {
    return a.empty() || b.empty() || a == b;
  };
  return agree(event.region, region_of_arn(job.resource)) &&
         agree(event.account, account_of_arn(job.resource));
}

/// The jobs of events, and how many events are of no certain job.
class JobsOfEvents {
 public:
  explicit JobsOfEvents(MergedJobs& jobs) : jobs_{jobs} {}

  /// The place of its job.  From now on the event has the name by which the job is told from
  /// others.
  std::optional<std::size_t> find(HistoryEvent& event) {
    if (event.job.empty()) return {};
    std::vector<std::size_t> found = jobs_.named(event.job);
    if (found.empty()) return {};
    std::erase_if(found,
                  [&](std::size_t place) { return !may_be_of(event, jobs_.jobs().at(place)); });
    if (found.size() == 1) {
      event.job = jobs_.jobs().name(found.front());
      return found.front();
    }
    ++(found.empty() ? elsewhere_ : unclear_);
    if (!found.empty()) event.job += "@?";
    if (found.empty()) add_place(event);
    return {};
  }

  void tell(FileFindings& findings) const {
    const auto warn = [&](std::uint64_t count, std::string_view what) {
      if (count == 0) return;
      findings.warn("W0634", 0, fmt::format("{} {}", counted(count, "event"), what),
                    "they are not used");
    };
    warn(elsewhere_, "of other regions or accounts, with names of jobs here");
    warn(unclear_, "with a name of several jobs, and no region and account");
  }

 private:
  /// Of a job that no file describes, beside one of the same name.
  static void add_place(HistoryEvent& event) {
    for (const std::string* part : {&event.region, &event.account}) {
      if (!part->empty()) event.job += '@' + *part;
    }
  }

  MergedJobs& jobs_;
  std::uint64_t elsewhere_ = 0, unclear_ = 0;
};

/// Who stopped a job, from the trail of calls.
void tell_stops(MergedJobs& jobs, History& history, FileFindings& findings) {
  std::uint64_t by_rules = 0;
  JobsOfEvents of_events{jobs};
  for (HistoryEvent& event : history.events) {
    const bool is_stop = event.kind == HistoryEvent::Kind::stop_requested;
    const auto place = of_events.find(event);
    if (!place || (!is_stop && event.kind != HistoryEvent::Kind::created)) continue;
    HistoryJob job = jobs.jobs().at(*place);
    const EndStatus status = job.record.end_status;
    if (!is_stop) {
      if (job.record.user.empty()) job.record.user = event.by;
    } else if (status == EndStatus::killed || status == EndStatus::never_started) {
      job.stopped_by = event.by;
      by_rules += event.by_function && job.record.end_cause != EndCause::rule ? 1U : 0U;
      job.record.end_cause = event.by_function ? EndCause::rule : EndCause::person;
    }  // else it ended by itself before the stop arrived
    jobs.jobs().replace(*place, job);
  }
  if (by_rules > 0) {
    findings.warn("W0627", 0,
                  fmt::format("a program stopped {}: this history contains the effect of a rule",
                              counted(by_rules, "job")),
                  "savings of a rule come on top of what that program saved");
  }
  of_events.tell(findings);
}

/// What a bill has for jobs: places of jobs and of uses, by both.
using BilledPlaces = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// The five largest uses, credits among them.
void keep_largest(std::vector<const BilledUse*>& uses) {
  const std::size_t most = std::min<std::size_t>(5, uses.size());
  std::partial_sort(uses.begin(), uses.begin() + static_cast<std::ptrdiff_t>(most), uses.end(),
                    [](const BilledUse* a, const BilledUse* b) {
                      return std::tuple{-std::abs(a->cost.nanos), a->resource} <
                             std::tuple{-std::abs(b->cost.nanos), b->resource};
                    });
  uses.resize(most);
}

/// Sums what no job has by reason, and keeps the largest uses; `credits` are summed.
void tell_unmatched(const PackedJobs& jobs, Instant zero,
                    const std::vector<const BilledUse*>& credits, Reconciliation& sums) {
  if (sums.largest_unmatched.empty() && credits.empty()) return;
  const UnmatchedUses unmatched{jobs, zero};
  for (const BilledUse* use : sums.largest_unmatched) {
    sums.unmatched[unmatched.reason(*use)] += use->cost;
  }
  sums.largest_unmatched.insert(sums.largest_unmatched.end(), credits.begin(), credits.end());
  keep_largest(sums.largest_unmatched);
  for (const BilledUse* use : sums.largest_unmatched) {
    sums.why_unmatched.push_back(unmatched.explain(*use));
  }
}

/// Takes out the jobs that have more credits than costs: a job cannot cost less than nothing.
void take_credits_out(const Bill& bill, BilledPlaces& of_jobs, Reconciliation& sums,
                      std::vector<const BilledUse*>& credits) {
  BilledPlaces kept;
  for (auto next = of_jobs.begin(); next != of_jobs.end();) {
    const auto begin = next;
    NanoUsd cost;
    for (; next != of_jobs.end() && next->first == begin->first; ++next) {
      cost += bill.uses[next->second].cost;
    }
    if (cost.nanos >= 0) {
      kept.insert(kept.end(), begin, next);
      continue;
    }
    sums.jobs += NanoUsd{-cost.nanos};
    sums.not_matched += cost;
    sums.unmatched[Unmatched::credit] += cost;
    std::for_each(begin, next, [&](const auto& use) {
      if (bill.uses[use.second].cost.nanos < 0) credits.push_back(&bill.uses[use.second]);
    });
  }
  of_jobs = std::move(kept);
}

/// Splits the bill; the result are the uses that pay for the instances of jobs.
BilledPlaces reconcile(const Bill& bill, const PackedJobs& jobs, Instant zero,
                       Reconciliation& sums) {
  const BilledJobs billed{jobs, bill};
  BilledPlaces of_jobs;
  for (std::size_t i = 0; i < bill.uses.size(); ++i) {
    const BilledUse& use = bill.uses[i];
    sums.bill += use.cost;
    const auto place = billed.place(use);
    if (!place) {
      sums.not_matched += use.cost;
      sums.largest_unmatched.push_back(&use);
    } else if (use.use == "storage") {
      sums.storage += use.cost;
    } else if (use.use == "warm_pool") {
      sums.warm_pools += use.cost;
    } else {
      sums.jobs += use.cost;
      of_jobs.emplace_back(static_cast<std::uint32_t>(*place), static_cast<std::uint32_t>(i));
    }
  }
  sums.apart = bill.apart;
  sums.unused_commitment = bill.unused_commitment;
  sums.ignored = bill.ignored;
  for (const auto& [what, cost] : bill.apart) sums.bill += cost;
  for (const NanoUsd part : {sums.unused_commitment, sums.ignored}) sums.bill += part;
  std::sort(of_jobs.begin(), of_jobs.end());
  std::vector<const BilledUse*> credits;
  take_credits_out(bill, of_jobs, sums, credits);
  tell_unmatched(jobs, zero, credits, sums);
  return of_jobs;
}

/// Dollars and tags of one job, and its user if nothing else names one, from its uses.
void tell_bill(std::span<const std::pair<std::uint32_t, std::uint32_t>> uses, const Bill& bill,
               ImportedJob& record) {
  NanoUsd cost, list;
  std::map<std::string, std::string> tags;
  for (const auto& [job, place] : uses) {
    const BilledUse& use = bill.uses[place];
    cost += use.cost;
    list += use.list;
    tags.insert(use.tags.begin(), use.tags.end());
  }
  record.billed_usd = rounded(cost);
  if (list.nanos != 0) record.list_usd = rounded(list);
  const std::vector<std::pair<std::string, std::string>> of_bill{tags.begin(), tags.end()};
  if (record.user.empty()) record.user = owner_of(of_bill);
  if (record.tags.empty()) record.tags = of_bill;
}

/// Whether instances are counted; a history without types counts single GPUs, by their model.
bool has_types(const PackedJobs& jobs) {
  if (!jobs.may_have_types()) return false;
  for (const HistoryJob& job : jobs) {
    if (!job.record.instance_type.empty()) return true;
  }
  return false;
}

void settle_type(ImportedJob& record, bool by_nodes) {
  if (!record.instance_type.empty()) return;
  const bool typed = !record.gpu_type.empty();
  record.instance_type = by_nodes ? std::string{untyped_node} : typed ? record.gpu_type : "gpu";
}

/// What follows of each job from the bill, and from when the history begins.
void settle_jobs(JoinedHistory& joined, const BilledPlaces& uses, const Bill& bill,
                 NotInTheData& absent) {
  joined.by_nodes = has_types(joined.jobs);
  auto next = uses.begin();
  std::uint32_t place = 0;
  joined.jobs.rewrite([&](HistoryJob& job) {
    const auto begin = next;
    while (next != uses.end() && next->first == place) ++next;
    if (begin != next) {
      ++joined.reconciliation.billed_jobs;
      tell_bill({begin, next}, bill, job.record);
    }
    job.record.submit = job.submitted - joined.zero;
    fill_gpus(job.record);
    const bool ran = held_by(job.record) > Duration{0};
    if (ran && !job.record.billed_usd) ++joined.reconciliation.unbilled_jobs;
    settle_type(job.record, joined.by_nodes);
    absent.note(job.record);
    ++place;
    return JobPass::changed;
  });
}

/// What the source of a job says that is billed, in hours of all its instances.  Of a running job,
/// what it held so far: the bill may have less, since it is late.  Nothing if they do not compare.
std::optional<double> described_hours(const HistoryJob& job, double billed) {
  const ImportedJob& record = job.record;
  const double machines = static_cast<double>(record.nodes.value_or(1));
  if (!job.beside.empty()) return {};
  if (record.end_status == EndStatus::running) {
    const double held = hours_of(held_by(record)) * machines;
    return billed > held ? std::optional{held} : std::nullopt;
  }
  const bool is_spot = record.market == policy::Market::spot;  // its billed time is discounted
  if (!record.billed || is_spot) return {};
  return hours_of(*record.billed) * machines;
}

/// Jobs whose bill is not what their billed time costs, the worst first.
void compare_hours(const PackedJobs& jobs, const BilledPlaces& uses, const Bill& bill,
                   FileFindings& findings) {
  struct Difference {
    double hours;
    std::string job;
    bool runs;
    double billed, described;
  };
  std::vector<Difference> all;
  for (auto next = uses.begin(); next != uses.end();) {
    const std::uint32_t place = next->first;
    double billed = 0;
    bool is_trained = false;
    for (; next != uses.end() && next->first == place; ++next) {
      const BilledUse& use = bill.uses[next->second];
      if (use.use != "train") continue;
      is_trained = true;
      billed += use.instance_hours;
    }
    const HistoryJob job = jobs[place];
    const auto described = is_trained ? described_hours(job, billed) : std::nullopt;
    if (!described) continue;
    const double apart = std::abs(billed - *described);
    if (apart > 0.005 * *described && apart > 0.01) {
      const bool runs = job.record.end_status == EndStatus::running;
      all.push_back({apart, job.record.job_id, runs, billed, *described});
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(b.hours, a.job) < std::tie(a.hours, b.job);
  });
  for (const Difference& each : all) {
    findings.warn("W0628", 0,
                  fmt::format("{}: the bill has {:.3f} instance-hours, its description {:.3f}",
                              each.job, each.billed, each.described),
                  each.runs ? "the job ran on after its description; describe it again" : "");
  }
}

}  // namespace

std::optional<double> Reconciliation::matched_percent() const {
  const auto credit = unmatched.find(Unmatched::credit);
  const double machines = dollars(jobs) + dollars(warm_pools) + dollars(storage);
  const double all =
      machines + dollars(not_matched) - (credit == unmatched.end() ? 0 : dollars(credit->second));
  if (all <= 0 || machines < 0) return {};
  return 100 * machines / all;
}

JoinedHistory join_history(History& history, std::optional<Instant> as_of) {
  JoinedHistory joined;
  FileFindings findings{""};
  {
    MergedJobs merged{std::exchange(history.jobs, {}), history.files, findings};
    tell_stops(merged, history, findings);
    joined.jobs = std::move(merged).take();
  }
  if (joined.jobs.empty()) {
    throw InputError{about_trace("", "E0403", "no job in the files",
                                 "add what describes the jobs: aws sagemaker search, sacct, ...")};
  }
  joined.jobs.sort();
  joined.zero = joined.jobs.front().submitted;
  joined.until = as_of.value_or(history.newest.value_or(joined.zero));
  const auto billed = reconcile(history.bill, joined.jobs, joined.zero, joined.reconciliation);
  NotInTheData absent;
  settle_jobs(joined, billed, history.bill, absent);
  join_series(history, joined.jobs, findings);
  if (const std::uint64_t count = find_stalls(history, joined.jobs); count > 0) {
    joined.missing.push_back(fmt::format("GPUs per instance of {}: as many as their metrics need",
                                         counted(count, "job")));
  }
  tell_metrics(history, joined.jobs, findings);
  compare_hours(joined.jobs, billed, history.bill, findings);
  absent.tell(history, joined.missing);
  joined.warnings = findings.warnings();
  return joined;
}

}  // namespace reeve::scenarios
