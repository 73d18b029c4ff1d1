// CSV traces of availability: changes, samples with their dates, logs of nodes and of counts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/csv_header.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;
using policy::UsdPerHour;

InputError nothing_in(const CsvReader& csv) {
  return InputError{about_trace(csv.name(), "E0320", "the trace is empty")};
}

/// Counts what happens again and again and keeps the place of the first.
class Repeated {
 public:
  void note(Diagnostic diagnostic) {
    if (count_++ == 0) first_ = as_warning(std::move(diagnostic));
  }
  /// `one` for one, else `many` behind the number.
  void tell(std::string_view one, std::string_view many, MarketTrace& trace) {
    if (count_ == 0) return;
    first_->message = count_ == 1 ? std::string{one} : fmt::format("{} {}", count_, many);
    trace.warnings.push_back(std::move(*first_));
  }

 private:
  std::uint64_t count_ = 0;
  std::optional<Diagnostic> first_;
};

/// The newest row read so far.
struct Newest {
  Duration at{};
  std::uint64_t line = 0;  ///< 0: none yet
};

InputError backwards(const Cell& stamp, Duration at, const Newest& newest) {
  return InputError{
      stamp
          .at("E0330", fmt::format("times out of order: {} after {}", show(at), show(newest.at)),
              fmt::format("line {} is later", newest.line))
          .with_help("sort the rows by time if they belong to one series")};
}

InputError contradiction(const Cell& stamp, const Newest& newest) {
  return InputError{stamp.at("E0331", "two different values at one instant",
                             fmt::format("the other on line {}", newest.line))};
}

// The value of the first row holds from 0 on.
void warn_of_late_begin(const Cell& stamp, Duration at, MarketTrace& trace) {
  if (at == Duration::zero()) return;
  trace.warnings.push_back(
      as_warning(stamp.at("W0312", fmt::format("the trace begins {} after time 0", show(at)),
                          "its first value is used from 0")));
}

void take_warnings(const CsvHeader& header, MarketTrace& trace) {
  trace.warnings.insert(trace.warnings.end(), header.warnings().begin(), header.warnings().end());
}

/// The distances between samples, and which are gaps: more than 2.5 times the usual one.
class Distances {
 public:
  /// `stamp` is the time of the later one.
  void note(Duration distance, const Cell& stamp) {
    all_.push_back(distance);
    if (distance <= longest_) return;
    longest_ = distance;
    after_longest_ = stamp.at("W0310", {}, {});
  }
  Duration usual() const {
    std::vector<Duration> distances = all_;
    return median(distances);
  }
  /// W0310 with what is assumed, behind the longest.
  void tell_gaps(std::string help, MarketTrace& trace) {
    const Duration usual_step = usual();
    const auto gaps = std::count_if(all_.begin(), all_.end(), [usual_step](Duration distance) {
      return distance / 5 > usual_step / 2;
    });
    if (gaps == 0) return;
    Diagnostic warning = as_warning(std::move(*after_longest_));
    warning.message = fmt::format("{} gap{} in the samples, the longest {} instead of {}", gaps,
                                  gaps == 1 ? "" : "s", show(longest_), show(usual_step));
    warning.label = "no sample since the previous row";
    warning.help = std::move(help);
    trace.warnings.push_back(std::move(warning));
  }

 private:
  std::vector<Duration> all_;
  Duration longest_{};
  std::optional<Diagnostic> after_longest_;
};

bool begins_with_letter(std::string_view cell) {
  return !cell.empty() &&
         ((cell[0] >= 'a' && cell[0] <= 'z') || (cell[0] >= 'A' && cell[0] <= 'Z'));
}

/// The times of a log whose first line may name their unit.
class LogTimes {
 public:
  /// Takes the first record, and the next one if that was a header.
  LogTimes(CsvReader& csv, std::optional<StampUnit> stated) : unit_{stated} {
    if (!csv.next()) throw nothing_in(csv);
    const CsvCell first{csv, 0, "time"};
    if (!begins_with_letter(first.text())) {
      if (!unit_) assumed_ = first.at("W0492", "the times have no unit", "milliseconds?");
      return;
    }
    const auto named = std::find_if(names.begin(), names.end(), [&first](const auto& known) {
      return known.first == first.text();
    });
    if (named == names.end()) {
      throw InputError{first.at("E0321", "the first column must be time_ms, time_s or time_h",
                                "not a unit of time")};
    }
    if (stated && *stated != named->second) {
      throw InputError{
          first.at("E0332", "the header and the stated unit of time differ", "choose one")};
    }
    unit_ = named->second;
    if (!csv.next()) throw nothing_in(csv);
  }

  Duration read(const CsvCell& stamp) const {
    if (!unit_ && stamp.text().find('.') != std::string_view::npos) {
      throw InputError{
          stamp.at("E0332", "a time in milliseconds must have no decimals", "wrong or missing unit")
              .with_help("name the unit in the first line: time_s or time_h")};
    }
    return read_time(stamp, unit_.value_or(StampUnit::milliseconds));
  }

  /// W0492 of a log that lasts so long, if nothing says so.
  void tell_assumed(MarketTrace& trace) const {
    if (!assumed_) return;
    trace.warnings.push_back(
        as_warning(*assumed_)
            .with_note("in milliseconds, it lasts " + show(trace.length))
            .with_help("reeve assumes milliseconds; name the unit in the first line: "
                       "\"time_s,...\", \"time_h,...\" or \"time_ms,...\""));
  }

 private:
  static constexpr std::array<std::pair<std::string_view, StampUnit>, 3> names{
      {{"time_ms", StampUnit::milliseconds},
       {"time_s", StampUnit::seconds},
       {"time_h", StampUnit::hours}}};
  std::optional<StampUnit> unit_;
  std::optional<Diagnostic> assumed_;  ///< where no unit is named
};

void require_fields(const CsvReader& csv, std::size_t wanted, std::string_view shape) {
  const std::size_t found = csv.fields().size();
  if (found == wanted) return;
  throw InputError{csv.at(std::min(found, wanted), "E0312",
                          fmt::format("{} fields instead of {}", found, wanted),
                          found < wanted ? "fields are missing" : "extra field")
                       .with_help(fmt::format("write lines as {}", shape))};
}

/// Which nodes are there, by a log of who came and went.
class Nodes {
 public:
  /// Whether the row changed anything; if not, it repeats what was known.
  bool add(std::string_view node, Duration at) {
    const auto found = nodes_.find(node);
    if (found != nodes_.end() && found->second.there) return false;
    if (found == nodes_.end()) {
      nodes_.emplace(node, State{true, at});
    } else {
      found->second = {true, at};
    }
    return ++count_ > 0;
  }
  bool remove(const CsvCell& node, Duration at) {
    const auto found = nodes_.find(node.text());
    if (found != nodes_.end() && found->second.there) {
      found->second = {false, at};
      --count_;
      return true;
    }
    if (found != nodes_.end() && found->second.since == at) return false;
    throw InputError{
        node.at("E0339", fmt::format("node {} is removed but not present", in_quotes(node.text())),
                found == nodes_.end() ? "never added" : "already removed")
            .with_help(help_for(node.text()))};
  }
  std::int64_t count() const { return count_; }

 private:
  struct State {
    bool there;
    Duration since;
  };
  std::string help_for(std::string_view node) const {
    std::vector<std::string_view> there;
    for (const auto& [name, state] : nodes_) {
      if (state.there && there.size() < 1000) there.push_back(name);
    }
    if (const auto meant = nearest_of(node, there)) {
      return fmt::format("did you mean {}?", in_quotes(*meant));
    }
    return "add the initial nodes at the beginning of the log";
  }

  std::map<std::string, State, std::less<>> nodes_;
  std::int64_t count_ = 0;
};

}  // namespace

MarketTrace read_step_offers(CsvReader& csv, const OfferOptions& options) {
  constexpr std::array<std::string_view, 3> columns{"t_s", "instances", "usd_per_hour"};
  const CsvHeader header = CsvHeader::read(csv, columns, std::span{columns}.first(2));
  const auto cell = [&](std::size_t column) {
    return CsvCell{csv, header.field(column), columns[column]};
  };
  check_convention(options.convention, Convention::up, csv.at(header.field(1), "", ""));
  CountReader counts{Convention::up, options.instances};
  const PriceReader prices{options.on_demand};
  MarketTrace trace;
  take_warnings(header, trace);
  Newest newest;
  std::pair<std::uint32_t, std::optional<UsdPerHour>> last;
  Repeated duplicates, unpriced;
  while (csv.next()) {
    header.check_width(csv);
    const CsvCell stamp = cell(0);
    const Duration at = read_time(stamp, StampUnit::seconds);
    decltype(last) row{counts.read(cell(1)), std::nullopt};
    if (header.has(2) && !cell(2).text().empty()) row.second = prices.read(cell(2));
    if (newest.line == 0) {
      warn_of_late_begin(stamp, at, trace);
    } else if (at < newest.at) {
      throw backwards(stamp, at, newest);
    } else if (at == newest.at) {
      if (row != last) throw contradiction(stamp, newest);
      duplicates.note(stamp.at("W0311", {}, "dropped"));
      continue;
    }
    put(trace.offers, trace.offers.empty() ? Duration::zero() : at, row.first);
    if (row.second) put(trace.prices, trace.prices.empty() ? Duration::zero() : at, *row.second);
    if (header.has(2) && !row.second) {
      unpriced.note(cell(2).at("W0312", {}, "the last known price is used, or else the first"));
    }
    newest = {at, csv.line()};
    last = row;
  }
  if (newest.line == 0) throw nothing_in(csv);
  trace.length = newest.at;
  duplicates.tell("a row is duplicated", "rows are duplicated", trace);
  unpriced.tell("a row has no price", "rows have no price", trace);
  return trace;
}

MarketTrace read_sampled_offers(CsvReader& csv, const OfferOptions& options) {
  constexpr std::array<std::string_view, 3> columns{"date", "availability", "preempted"};
  const CsvHeader header = CsvHeader::read(csv, columns, std::span{columns}.first(1));
  if (header.has(1) == header.has(2)) {
    throw InputError{csv.at(0, header.has(1) ? "E0333" : "E0321",
                            "expected one column: availability or preempted",
                            header.has(1) ? "both are present" : "neither is present")};
  }
  const std::size_t column = header.has(1) ? 1 : 2;
  const Convention means = header.has(1) ? Convention::up : Convention::preempted;
  check_convention(options.convention, means, csv.at(header.field(column), "", ""));
  CountReader counts{means, options.instances};
  MarketTrace trace;
  take_warnings(header, trace);
  std::vector<models::Offer> samples;
  Offsets offsets;
  Newest newest;
  Distances distances;
  Repeated duplicates;
  while (csv.next()) {
    header.check_width(csv);
    const CsvCell stamp{csv, header.field(0), columns[0]};
    const Instant instant = read_stamp(stamp.text(), stamp);
    offsets.note(stamp);
    if (!trace.begins) trace.begins = instant;
    const Duration at = instant - *trace.begins;
    const models::Offer sample{at,
                               counts.read(CsvCell{csv, header.field(column), columns[column]})};
    if (newest.line != 0) {
      if (at < newest.at) throw backwards(stamp, at, newest);
      if (at == newest.at) {
        if (sample != samples.back()) throw contradiction(stamp, newest);
        duplicates.note(stamp.at("W0311", {}, "dropped"));
        continue;
      }
      distances.note(at - newest.at, stamp);
    }
    samples.push_back(sample);
    newest = {at, csv.line()};
  }
  if (samples.empty()) throw nothing_in(csv);
  trace.ticks = samples.size();
  const auto ticks = static_cast<std::int64_t>(trace.ticks);
  trace.tick = options.span.tick.value_or(distances.usual());
  if (trace.tick > longest_trace / ticks) {
    throw InputError{about_trace(csv.name(), "E0332", "the samples last more than 100 years")};
  }
  const bool counted = options.sample_times == SampleTimes::counted;
  for (std::int64_t i = 0; i < ticks; ++i) {
    const models::Offer& sample = samples[static_cast<std::size_t>(i)];
    put(trace.offers, counted ? trace.tick * i : sample.at, sample.instances);
  }
  trace.length = counted ? trace.tick * ticks : newest.at + trace.tick;
  distances.tell_gaps(counted ? "samples are counted, not timed, so gaps take no time"
                              : "the value before a gap is used through it",
                      trace);
  duplicates.tell("a sample is duplicated", "samples are duplicated", trace);
  offsets.tell(trace);
  return trace;
}

MarketTrace read_node_log(CsvReader& csv, const OfferOptions& options) {
  const LogTimes times{csv, options.unit};
  MarketTrace trace;
  Nodes nodes;
  Newest newest;
  Repeated known;
  CountReader counts{Convention::up, options.instances};
  do {
    require_fields(csv, 3, "time_ms,add|remove,node");
    const CsvCell stamp{csv, 0, "the time"};
    const CsvCell event{csv, 1, "the event"};
    const CsvCell node{csv, 2, "the node"};
    const Duration at = times.read(stamp);
    if (newest.line != 0 && at < newest.at) throw backwards(stamp, at, newest);
    if (newest.line == 0 && at > Duration::zero()) {
      put(trace.offers, Duration::zero(), 0);
      trace.warnings.push_back(
          as_warning(stamp.at("W0313", fmt::format("the log begins {} after time 0", show(at)),
                              "reeve assumes no nodes before it")));
    }
    constexpr std::array<std::string_view, 2> events{"add", "remove"};
    if (event.text() != events[0] && event.text() != events[1]) {
      throw InputError{event
                           .at("E0204", fmt::format("unknown event {}", in_quotes(event.text())),
                               "expected add or remove")
                           .with_help(did_you_mean_of(event.text(), events))};
    }
    const bool changed =
        event.text() == events[0] ? nodes.add(node.text(), at) : nodes.remove(node, at);
    if (!changed) known.note(node.at("W0311", {}, "no change"));
    put(trace.offers, at, counts.read(nodes.count(), node));
    newest = {at, csv.line()};
  } while (csv.next());
  trace.length = newest.at;
  times.tell_assumed(trace);
  known.tell("a row changes nothing: it is dropped", "rows change nothing: they are dropped",
             trace);
  return trace;
}

MarketTrace read_count_log(CsvReader& csv, const OfferOptions& options) {
  const LogTimes times{csv, options.unit};
  const bool dated = csv.fields().size() == 3;
  check_convention(options.convention, Convention::up, csv.at(dated ? 2 : 1, "", ""));
  CountReader counts{Convention::up, options.instances};
  MarketTrace trace;
  Newest newest;
  Distances distances;
  do {
    require_fields(csv, dated ? 3 : 2, dated ? "date, time, count" : "time_ms,count");
    const CsvCell stamp{csv, dated ? 1u : 0u, "the time"};
    Duration at{};
    if (dated) {
      const std::string date{trimmed(csv.fields()[0])};
      const Instant instant = read_stamp(date + " " + std::string{stamp.text()}, stamp);
      if (!trace.begins) trace.begins = instant;
      at = instant - *trace.begins;
    } else {
      at = times.read(stamp);
    }
    const std::uint32_t instances = counts.read(CsvCell{csv, dated ? 2u : 1u, "the count"});
    if (newest.line == 0) {
      warn_of_late_begin(stamp, at, trace);
    } else if (at < newest.at) {
      if (!options.later_rows_win || at < Duration::zero()) throw backwards(stamp, at, newest);
      while (!trace.offers.empty() && trace.offers.back().at >= at) trace.offers.pop_back();
    } else if (dated) {
      distances.note(at - newest.at, stamp);
    }
    put(trace.offers, trace.offers.empty() ? Duration::zero() : at, instances);
    newest = {at, csv.line()};
  } while (csv.next());
  trace.length = newest.at;
  if (!dated) times.tell_assumed(trace);
  distances.tell_gaps("the value before a gap is used through it", trace);
  return trace;
}

}  // namespace reeve::scenarios
