// Writes a random but valid scenario file, with a random plan of trouble, as a function of a seed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/property/drawn_text.hpp"

namespace reeve::tests {

/// What jobs on Spot and the rules for them have besides, drawn by itself: what is drawn of all
/// else stays as it was.
class RandomSaves : private DrawnText {
 public:
  explicit RandomSaves(std::uint64_t seed) : DrawnText{seed, 6} {}
  using DrawnText::from_the_start;

  /// What its script saves when a rule asks, and when it is stopped.
  std::string asked_saves() {
    std::string text;
    if (chance(0.4)) {
      const std::uint64_t save = between(0, 300);
      text += Written{", \"on_request\": {{ \"save\": \"{}s\" }}", save}.text;
    }
    if (chance(0.4)) {
      const std::uint64_t save = between(0, 150);
      text += Written{", \"on_stop\": {{ \"save\": \"{}s\" }}", save}.text;
    }
    return text;
  }

  /// Of `spot_fallback`, beside the count.
  std::string spot_tests() {
    std::string keys;
    if (chance(0.4)) keys += Written{", \"rate_above\": {:.3f}", 2 * luck()}.text;
    if (chance(0.4)) {
      keys += Written{", \"pooled_above\": {:.3f}", luck()}.text;
      keys += Written{", \"pooled_min_hours\": {:.3f}", 5 * luck()}.text;
    }
    if (chance(0.4)) keys += Written{", \"min_progress\": {:.3f}", luck()}.text;
    if (chance(0.4)) keys += Written{", \"timeouts\": {}", between(1, 3)}.text;
    if (chance(0.5)) keys += ", \"after_max_wait\": true";
    return keys;
  }

  std::string save_on_notice() {
    if (!chance(0.3)) return "";
    const std::uint64_t lead = between(0, 3'000);
    const std::string_view rebalance = chance(0.5) ? "true" : "false";
    return Written{
        ",\n    {{ \"rule\": \"save_on_notice\", \"lead\": \"{}s\", \"rebalance\": {} }}", lead,
        rebalance}
        .text;
  }
};

/// `spot`: has machines on Spot that are taken back soon, and take their time to be had again.
/// `own_spot`: of its own, too, by requests that mostly end with their first machines, with a free
/// first hour.
enum class Leaning : std::uint8_t { none, spot, own_spot };

/// What clones ask for besides, and how sure rules are of what they are told; drawn by itself.
class RandomRequests : private DrawnText {
 public:
  explicit RandomRequests(std::uint64_t seed) : DrawnText{seed, 11} {}
  using DrawnText::from_the_start;

  /// Of `override`.
  std::string type() {
    if (!chance(0.3)) return "";
    const std::string_view which = pick({"big", "small"});
    return Written{", \"instance_type\": \"{}\"", which}.text;
  }

  /// Of `resume`.
  std::string certainty() {
    if (!chance(0.3)) return "";
    const std::uint64_t least = between(0, 100);
    return Written{", \"min_confidence\": {:.2f}", static_cast<double>(least) / 100}.text;
  }

  /// Of `min_gpu`.
  std::string hints() { return chance(0.4) ? ", \"phase_hints\": true" : ""; }

  /// Of a failure.
  std::string diagnosis() {
    if (!chance(0.4)) return "";
    const std::string_view as = pick({"infrastructure", "code", "unknown", "data"});
    const std::uint64_t sure = between(0, 100);
    return Written{", \"read_as\": \"{}\", \"confidence\": {:.2f}", as,
                   static_cast<double>(sure) / 100}
        .text;
  }

  /// Of `events`.
  std::string look_ups() {
    if (!chance(0.3)) return "";
    const double lack = chance(0.5) ? 1 : luck();
    const std::uint64_t answer = between(0, 90);
    return Written{", \"lack_tags\": {:.3f}, \"look_up\": \"{}s\"", lack, answer}.text;
  }

  /// Of `guards`.
  std::string canary() {
    if (!chance(0.15)) return "";
    const bool count = chance(0.5);
    const std::uint64_t many = count ? between(1, 3) : between(1, 60);
    const std::uint64_t watch = between(1, 600);
    return Written{"\"canary\": {{ \"{}\": {}, \"watch\": \"{}m\" }}, ", count ? "first" : "pct",
                   many, watch}
        .text;
  }

  /// Of the platform.
  std::string log_confidence() {
    if (!chance(0.3)) return "";
    const std::uint64_t sure = between(0, 100);
    return Written{"\"log_confidence\": {:.2f}, ", static_cast<double>(sure) / 100}.text;
  }
};

/// Signs of life, hints and what clones ask for, drawn by itself like RandomSaves.
class RandomSigns : private DrawnText {
 public:
  explicit RandomSigns(std::uint64_t seed) : DrawnText{seed, 8}, requests_{seed} {}

  void from_the_start() {
    DrawnText::from_the_start();
    requests_.from_the_start();
  }

  /// By what a job gives signs of life.
  std::string signals() {
    if (!chance(0.5)) return "";
    std::string text = ", \"signals\": [\"steps\"";
    const bool logs = chance(0.5);
    if (logs) text += ", \"log_lines\"";
    if (chance(0.5)) text += ", \"network\"";
    if (chance(0.5)) text += ", \"power\"";
    text += "]";
    if (logs && chance(0.3)) text += ", \"chatters\": true";
    return text;
  }

  std::string signal() {
    return std::string{pick({"", ", \"signal\": \"log_lines\"", ", \"signal\": \"network\"",
                             ", \"signal\": \"power\""})};
  }

  /// What a job says of phases in which it uses little.
  std::string hints_tag(bool first) {
    if (!chance(0.3)) return "";
    const std::uint64_t start = between(0, 300);
    const std::uint64_t length = between(1, 90);
    const std::string every =
        chance(0.5) ? Written{"/{}m", length + between(1, 200)}.text : std::string{};
    return Written{"{}\"reeve:low-gpu\": \"{}m+{}m{}\"", first ? "" : ", ", start, length, every}
        .text;
  }

  /// Of `stalled_gpu`, of all hosts or of one.
  std::string alarm_more(bool all_hosts) {
    std::string keys;
    if (chance(0.3)) keys += " \"phase_hints\": true,";
    const bool lowest = chance(0.5);
    if (all_hosts && lowest) keys += " \"match\": \"min\",";
    return keys;
  }

  /// Of `resume`.
  std::string resume_more() {
    std::string keys;
    if (chance(0.3)) keys += ", \"handler\": \"not_idempotent\"";
    if (chance(0.2)) keys += ", \"naming\": \"appended\"";
    if (chance(0.3)) {
      const std::string_view market = pick({"spot", "on_demand"});
      keys += Written{", \"override\": {{ \"market\": \"{}\"{} }}", market, requests_.type()}.text;
    } else {
      const std::string type = requests_.type();
      if (!type.empty()) keys += ", \"override\": {" + type.substr(1) + " }";
    }
    return keys + requests_.certainty();
  }

  /// Of `min_gpu`.
  std::string hints() { return requests_.hints(); }

  /// Of a failure.
  std::string diagnosis() { return requests_.diagnosis(); }

  /// Of `events`.
  std::string look_ups() { return requests_.look_ups(); }

  /// Of `guards`.
  std::string canary() { return requests_.canary(); }

  /// How sure classes are that only logs tell.
  std::string log_confidence() { return requests_.log_confidence(); }

 private:
  RandomRequests requests_;
};

/// Equal seeds write equal texts.  `price_factor` multiplies every price and changes nothing else.
class RandomScenario : private DrawnText {
 public:
  explicit RandomScenario(std::uint64_t seed, std::uint64_t price_factor = 1,
                          Leaning leaning = Leaning::none)
      : DrawnText{seed, 0},
        price_factor_{price_factor},
        leaning_{leaning},
        more_{seed},
        signs_{seed} {}

  std::string text() {
    from_the_start();
    more_.from_the_start();
    signs_.from_the_start();
    drawn_market_ = false;
    spread_ = false;
    endless_ = chance(0.2);
    own_ = chance(0.35) || leaning_ == Leaning::own_spot;
    const std::string horizon = endless_ ? "until_done" : Written{"{}h", between(24, 240)}.text;
    // One after the other: each draws, and one asks what another has drawn.
    const std::string prices = price_book();
    const std::string machines = fleet();
    std::string shared = shocks();
    shared += outages();
    const std::string cloud = platform();
    const std::string jobs = work();
    std::string people = humans();
    if (chance(0.3)) {  // bob, who has nothing else to do
      const std::uint64_t within = between(0, 300);
      people.resize(people.size() - std::string_view{" } ]"}.size());
      people += Written{", \"reads_messages\": {{ \"within\": \"{}m\" }} }} ]", within}.text;
    }
    const std::string limits = guards();
    const std::string rules = policies();
    return Written{
        "{{ \"reeve\": 1, \"name\": \"random-{}\",\n"
        "\"clock\": {{ \"start\": \"2026-01-05T00:00:00Z\", \"horizon\": \"{}\" }},\n"
        "\"random\": {{ \"seed\": {} }},\n{},\n{},\n{}{},\n{},\n{},\n{},\n{} }}\n",
        seed_,
        horizon,
        seed_ + 1,
        prices,
        machines,
        shared,
        cloud,
        jobs,
        people,
        limits,
        rules}
        .text;
  }

 private:
  double small_probability() { return chance(0.5) ? 0 : 0.3 * luck(); }

  std::string price_book() {
    return Written{
        "\"prices\": {{ \"book\": \"inline\", \"instances\": {{\n"
        "  \"big\": {{ \"usd_per_hour\": {}.{:09}, \"spot_usd_per_hour\": {}, \"gpus\": 8 }},\n"
        "  \"small\": {{ \"usd_per_hour\": {}, \"gpus\": 1 }} }},\n"
        "  \"alarm_usd_per_month\": {} }}",
        between(1, 90) * price_factor_,
        100'000'001 * price_factor_,
        between(1, 30) * price_factor_,
        2 * price_factor_,
        price_factor_}
        .text;
  }

  std::string fleet() {
    const bool leans = leaning_ != Leaning::none;
    spot_ = chance(0.4) || leans;
    std::string spot;
    if (spot_) {
      const std::uint64_t capacity = between(8, 24);
      const std::string breaks = node_faults(capacity);
      spot =
          Written{
              ",\n  {{ \"name\": \"s\", \"instance_type\": \"big\", \"capacity\": {}, \"market\": "
              "\"spot\", \"zone\": \"us-east-1a\", \"reclaim_order\": \"{}\"{}{}{}{} }}",
              capacity,
              pick({"random", "newest", "oldest"}),
              chance(leans ? 0.7 : 0.3)
                  ? Written{", \"reclaim\": {{ \"every\": \"{}s\", \"away\": \"{}s\" }}",
                            between(600, leans ? 5'000 : 40'000), between(0, 9'000)}
                        .text
                  : "",
              chance(0.7) ? ", " + availability(capacity) : "",
              chance(leans ? 0.7 : 0.3) ? ", \"capacity_wait\": " + law() : "",
              breaks}
              .text;
    }
    const std::uint64_t capacity = between(8, 24);
    const std::string_view market = pick({"on_demand", "reserved"});
    const std::string bought = market == "reserved" ? windows() : "";
    const std::string breaks = node_faults(capacity);
    const std::string zones_of_a = bought.empty() ? zones(capacity) : "";
    const std::uint64_t others = between(8, 24);
    const std::string others_break = node_faults(others);
    return Written{
        "\"fleet\": [ {{ \"name\": \"a\", \"instance_type\": \"big\", \"capacity\": {}, "
        "\"market\": \"{}\"{}{}{} }},\n  {{ \"name\": \"b\", \"instance_type\": \"small\", "
        "\"zone\": \"us-east-1c\", \"capacity\": {}, \"market\": \"{}\"{} }}{} ]",
        capacity,
        market,
        bought,
        zones_of_a,
        breaks,
        others,
        pick({"on_demand", "reserved"}),
        others_break,
        spot}
        .text;
  }

  /// Some of which touch; the last is as good as for ever.  A fleet of several zones has none.
  std::string windows() {
    if (!chance(0.4)) return "";
    std::string list;
    std::uint64_t from = chance(0.7) ? 0 : between(1, 20'000);
    for (std::uint64_t left = between(1, 4); left > 0; --left) {
      const std::uint64_t until = left == 1 ? 100'000'000 : from + between(1, 60'000);
      list += fmt::format("{}[\"{}s\", \"{}s\"]", list.empty() ? "" : ", ", from, until);
      from = until;
      if (chance(0.4)) from += between(1, 9'000);
    }
    return ", \"windows\": [" + list + "]";
  }

  /// One zone has room for every job.
  std::string zones(std::uint64_t capacity) {
    const std::uint64_t first = between(8, capacity);
    if (first == capacity || !chance(0.4)) return "";
    spread_ = true;
    return Written{
        ", \"zones\": {{ \"us-east-1a\": {}, \"us-east-1b\": {} }}, \"spread_speed\": {:.3f}",
        first, capacity - first, 0.2 + 0.7 * luck()}
        .text;
  }

  /// Machines that break far more often than real ones; not so often that, where nothing else ends
  /// the world, a gang of all of them never gets its work done, and its rules ask for ever.
  std::string node_faults(std::uint64_t capacity) {
    if (!chance(0.35)) return "";
    const std::uint64_t rate = between(0, endless_ ? 300 : 3'000);
    std::string keys = fmt::format("\"per_1000_node_days\": {}", rate);
    if (endless_) {
      keys += fmt::format(", \"repair\": \"{}s\"", between(0, 9'000));
    } else if (chance(0.7)) {
      keys += ", \"repair\": " + law();
    }
    if (chance(0.5)) keys += ", \"broken\": " + std::string{pick({"\"repaired\"", "\"replaced\""})};
    if (chance(0.5)) keys += ", \"hangs\": 0";
    if (chance(0.3)) keys += ", \"lemons\": { \"share\": 0.2 }";
    if (chance(0.3)) keys += ", \"racks\": { \"machines\": 4, \"share\": 0.3 }";
    if (chance(0.3)) {
      const std::uint64_t machine = between(1, capacity);
      const std::uint64_t at = between(0, 90'000);
      const std::uint64_t lasts = between(0, 9'000);
      keys +=
          fmt::format(", \"down\": [ {{ \"machine\": {}, \"at\": \"{}s\", \"for\": \"{}s\" }} ]",
                      machine, at, lasts);
    }
    return ", \"node_faults\": { " + keys + " }";
  }

  /// Steps that end with all machines on offer, or a market that is drawn.
  std::string availability(std::uint64_t capacity) {
    if (chance(0.5)) {
      drawn_market_ = true;
      return Written{
          "\"availability\": {{ \"up\": {{ \"exponential\": \"{}s\" }}, \"down\": {}, "
          "\"all_lost\": {:.3f} }}",
          between(3'600, 40'000), law(), luck()}
          .text;
    }
    std::string steps = Written{"[\"0s\", {}]", between(0, capacity)}.text;
    std::uint64_t at = 0;
    for (std::uint64_t left = between(1, 20); left > 0; --left) {
      at += between(1, 20'000);
      steps += Written{", [\"{}s\", {}]", at, left == 1 ? capacity : between(0, capacity)}.text;
    }
    return Written{"\"availability\": {{ \"steps\": [{}] }}", steps}.text;
  }

  std::string shocks() {
    if (!drawn_market_) return "";
    return Written{
        "\"shocks\": [ {{ \"region\": \"us-east-1\", \"per_hour\": {:.3f}, \"hit\": {:.3f} }} ],\n",
        0.09 * luck(), luck()}
        .text;
  }

  std::string platform() {
    const std::string_view not_own = chance(0.15) ? "ideal" : "sagemaker-training";
    const std::string_view model = own_ ? pick({"ec2", "ec2", "gcp"}) : not_own;
    parts_ = model != "sagemaker-training";
    const auto p = [this] { return Written{"{:.3f}", small_probability()}.text; };
    std::string faults;
    if (chance(0.3)) {
      faults = Written{", \"faults\": [ {{ \"call\": \"{}\", \"kind\": \"{}\", \"times\": {} }} ]",
                       pick({"StopTrainingJob", "CreateTrainingJob", "PutMetricAlarm"}),
                       pick({"throttled", "lost_reply", "rejected"}), between(1, 7)}
                   .text;
    }
    const std::uint64_t alarm_limit = chance(0.2) ? between(0, 6) : 5'000;
    return Written{
        "\"platform\": {{ {}\"model\": \"{}\", \"provisioning\": \"{}s\", {}, \"stop_grace\": "
        "\"{}s\", \"max_runtime_grace\": \"{}s\", \"upload\": \"{}s\",\n"
        "  \"duplicate_events\": {}, \"events\": {{ \"delay\": \"{}s\", \"jitter\": \"{}s\", "
        "\"duplicate_within\": \"{}s\"{} }}, \"alarm_delivery\": \"{}s\",\n"
        "  \"api\": {{ \"latency\": \"{}ms\", \"throttled\": {}, \"lost_reply\": {}, \"rejected\": "
        "{}{}{} }},\n"
        "  \"metrics\": {{ \"publish_delay\": \"{}s\", \"evaluation_offset\": {}, "
        "\"extra_datapoints\": {}, \"alarm_limit\": {} }}{} }}",
        signs_.log_confidence(),
        model,
        chance(0.5) ? 0 : between(1, 900),
        start_up(),
        chance(0.3) ? 0 : between(1, 300),
        chance(0.7) ? 0 : between(1, 300),
        chance(0.6) ? 0 : between(1, 300),
        p(),
        chance(0.5) ? 0 : between(1, 120),
        chance(0.5) ? 0 : between(1, 600),
        chance(0.5) ? 0 : between(1, 600),
        lost_events() + signs_.look_ups(),
        chance(0.5) ? 0 : between(1, 120),
        chance(0.4) ? 0 : between(1, 5000),
        p(),
        p(),
        p(),
        rates(),
        faults,
        between(0, 180),
        chance(0.3) ? std::string{"\"random\""} : Written{"\"{}s\"", between(0, 59)}.text,
        between(0, 4),
        alarm_limit,
        managed()}
        .text;
  }

  std::string lost_events() {
    if (!chance(0.2)) return "";
    return Written{", \"lost\": {:.3f}, \"poll\": \"{}s\"", small_probability(),
                   chance(0.5) ? 0 : between(60, 90'000)}
        .text;
  }

  /// One limit of all calls, or one of each kind; and times in which no call is answered.
  std::string rates() {
    std::string keys;
    switch (between(0, 9)) {
      case 0:
      case 1:
        keys = Written{", \"calls_per_s\": {}", between(1, 3)}.text;
        break;
      case 2:
        keys = ", \"rates\": \"aws\"";
        break;
      case 3:
        keys =
            Written{
                ", \"rates\": {{ \"StopTrainingJob\": {:.3f}, \"PutMetricAlarm\": {} }}, "
                "\"burst\": {}",
                luck(), between(1, 3), between(0, 5)}
                .text;
        break;
      default:
        break;
    }
    if (!chance(0.3)) return keys;
    const std::uint64_t from = between(0, 60'000);
    return keys +
           Written{
               ", \"brownouts\": [ {{ \"from\": \"{}s\", \"to\": \"{}s\", \"throttled\": {:.3f}, "
               "\"lost_reply\": {:.3f} }} ]",
               from, from + between(1, 20'000), 0.5 * luck(), 0.2 * luck()}
               .text;
  }

  /// What SageMaker adds; elsewhere it does nothing, and is warned of.
  std::string managed() {
    std::string keys;
    if (chance(0.3)) {
      keys +=
          Written{
              ", \"quotas\": {{ \"big\": {{ \"training\": {}, \"spot\": {} }}, \"small\": {{ "
              "\"training\": {}, \"warm_pool\": {} }} }}",
              between(4, 24), between(4, 24), between(4, 24), between(0, 24)}
              .text;
    }
    if (chance(0.5)) {
      keys +=
          Written{
              ", \"cluster_repair\": {{ \"max\": {}, \"reboot\": \"{}s\", \"replace\": \"{}s\", "
              "\"replace_share\": {:.3f} }}",
              between(0, 3), between(0, 900), between(0, 3'000), luck()}
              .text;
    }
    if (chance(0.3)) {
      keys += Written{", \"late_upload\": {{ \"probability\": {:.3f}, \"lasts\": {} }}",
                      small_probability(), law()}
                  .text;
    }
    if (chance(0.3)) keys += Written{", \"warm_startup\": \"{}s\"", between(0, 600)}.text;
    if (chance(0.3)) {
      keys += Written{", \"pending_timeout_status\": \"{}\"",
                      pick({"Stopped", "MaxWaitTimeExceeded", "other"})}
                  .text;
    }
    if (chance(0.3)) {
      const std::uint64_t from = between(0, 60'000);
      keys += Written{", \"alarm_link\": {{ \"down\": [[\"{}s\", \"{}s\"]], \"lost\": {:.3f} }}",
                      from, from + between(1, 90'000), small_probability()}
                  .text;
    }
    return keys;
  }

  /// The zone of the fleet of Spot, if there is one, or one of those that fleet a is spread over,
  /// and that of fleet b.
  std::string outages() {
    if (!chance(0.3)) return "";
    std::string list;
    for (std::uint64_t left = between(1, 2); left > 0; --left) {
      const std::uint64_t from = between(0, 90'000);
      list += Written{"{}{{ \"zone\": \"{}\", \"from\": \"{}s\", \"to\": \"{}s\" }}",
                      list.empty() ? "" : ", ",
                      (spot_ || spread_) && chance(0.5) ? "us-east-1a" : "us-east-1c", from,
                      from + between(1, 30'000)}
                  .text;
    }
    return Written{"\"outages\": [ {} ],\n", list}.text;
  }

  /// Of managed machines, or all that is to be said of one's own.
  std::string start_up() {
    if (!own_) return Written{"\"startup\": \"{}s\"", chance(0.3) ? 0 : between(1, 900)}.text;
    std::string keys =
        Written{
            "\"phases\": {{ \"download\": \"{}s\", \"run\": \"{}s\" }}, \"spot_request\": \"{}\", "
            "\"notice_probability\": {:.3f}, \"imds_poll\": \"{}s\", \"rebalance\": {{ \"lead\": "
            "\"{}s\", \"probability\": {:.3f}, \"false_per_hour\": {:.3f} }}, "
            "\"self_destruct_fails\": {:.3f}, \"debug_hold\": "
            "\"{}s\", \"logs\": {{ \"flush_delay\": \"{}s\" }}",
            chance(0.3) ? 0 : between(1, 900),
            between(0, 90),
            leaning_ == Leaning::own_spot ? pick({"one-time", "one-time", "persistent"})
                                          : pick({"one-time", "persistent"}),
            1 - small_probability(),
            between(0, 20),
            between(0, 900),
            small_probability(),
            small_probability(),
            small_probability(),
            chance(0.6) ? 0 : between(1, 9'000),
            chance(0.6) ? 0 : between(1, 90)}
            .text;
    if (chance(0.4)) keys += Written{", \"notice\": \"{}s\"", between(0, 1'800)}.text;
    if (chance(0.1)) keys += ", \"self_destruct_right\": false";
    if (chance(0.3)) keys += Written{", \"untagged_instances\": {:.3f}", luck()}.text;
    if (chance(0.5)) keys += Written{", \"on_insufficient\": \"{}\"", pick({"wait", "fail"})}.text;
    if (chance(0.3)) {
      keys += Written{", \"rendezvous\": {{ \"poll\": \"{}s\", \"tags_after\": {} }}",
                      between(1, 60), !endless_ && chance(0.1) ? std::string{"\"never\""} : law()}
                  .text;
    }
    if (chance(leaning_ == Leaning::own_spot ? 1 : 0.5)) {
      keys += Written{", \"billing\": {{ \"minimum\": \"{}s\", \"first_hour_free\": {} }}",
                      between(0, 4'000), chance(0.7) ? "true" : "false"}
                  .text;
    }
    return keys;
  }

  std::string fault() {
    if (own_ && chance(0.25)) {
      return Written{"{{ \"kind\": \"node_lost\", \"at\": \"{}s\", \"hosts\": [{}] }}",
                     between(0, 40'000), pick({"1", "2", "3, 1", "2, 5, 6"})}
          .text;
    }
    const std::string_view kind =
        pick({"stall", "spin_hang", "failure", "interruption", "metrics_lost", "hardware"});
    const bool passes = kind != "failure" && kind != "hardware";
    const bool ends = passes && (kind == "interruption" || chance(0.6));
    return Written{"{{ \"kind\": \"{}\", \"at\": \"{}s\"{}, \"recovers_on_restart\": {}{} }}",
                   kind,
                   between(0, 40'000),
                   ends ? Written{", \"lasts\": \"{}s\"", between(60, 20'000)}.text : "",
                   chance(0.7) ? "true" : "false",
                   kind == "failure" ? signs_.diagnosis() : ""}
        .text;
  }

  std::string software_failures() {
    if (!chance(0.2)) return "";
    const double share = 0.5 * luck();
    const bool repeats = chance(0.5);
    return fmt::format(", \"software_failures\": {{ \"share\": {:.3f}, \"repeats\": {} }}", share,
                       repeats ? "true" : "false");
  }

  /// Levels that are no constant, now and then.
  std::string utilization() {
    std::string text;
    if (chance(0.3)) {
      text +=
          Written{
              ", \"gpu_util\": {{ \"waiting\": {}, \"cdf\": [[{}, 0], [60, {}], [100, 100]], "
              "\"changes_every\": \"{}s\" }}",
              between(0, 100), between(0, 50), between(0, 99), between(60, 9'000)}
              .text;
    }
    if (chance(0.3)) {
      const std::uint64_t lasts = between(1, 3'000);
      text +=
          Written{
              ", \"gpu_phases\": [ {{ \"at\": \"{}s\", \"every\": \"{}s\", \"lasts\": \"{}s\" }}, "
              "{{ \"lasts\": \"{}s\", \"gpu_util\": {} }} ]",
              between(0, 9'000),
              lasts + between(0, 9'000),
              lasts,
              between(1, 3'000),
              between(0, 9)}
              .text;
    }
    return text;
  }

  /// What a job and a drawn workload have in common.
  std::string profile() {
    const bool on_spot = spot_ && chance(0.6);
    const std::string_view where = on_spot ? "s" : pick({"a", "b"});
    // Now and then longer than a world without an end waits for a job to come closer to its end.
    const std::uint64_t max_runtime = chance(0.05) ? 40'000'000 : between(1, 200'000);
    const std::string max_wait =
        on_spot && chance(0.5)
            ? Written{", \"max_wait\": \"{}s\"", max_runtime + between(0, 100'000)}.text
            : "";
    std::string faults;
    for (std::uint64_t left = chance(0.4) ? between(1, 3) : 0; left > 0; --left) {
      faults += (faults.empty() ? "" : ", ") + fault();
    }
    // One after the other, the last to be written first: of a sum nobody says what is drawn first.
    const std::string labels = tags();
    const std::string saves = checkpoint();
    const std::string told = reports();
    const std::string shrinks = elastic();
    const std::string rest = training() + shrinks + told;
    std::string text =
        Written{
            "\"fleet\": \"{}\",\n    \"max_runtime\": \"{}s\"{}, \"tags\": {{ {} }}, "
            "\"checkpoint\": {{ {} }},{}{}{}\n    \"faults\": [ {} ],\n"
            "    \"drawn_faults\": [ {{ \"kind\": \"stall\", \"probability\": {:.3f}, \"after\": "
            "{{ \"exponential\": \"2h\" }} }}, {{ \"kind\": \"failure\", \"probability\": {:.3f}, "
            "\"after\": {{ \"weibull\": {{ \"scale\": \"3h\", \"shape\": 0.5 }} }}, \"classes\": "
            "{{ \"infrastructure\": 2, \"code\": 1 }} }} ]",
            where,
            max_runtime,
            max_wait,
            labels,
            saves,
            rest,
            places(),
            managed_job(on_spot),
            faults,
            small_probability(),
            small_probability()}
            .text;
    text += utilization();
    return text + software_failures();
  }

  /// Speeds of types, of stragglers and of loaders.
  std::string training() {
    std::string keys;
    if (chance(0.3)) {
      keys += Written{" \"throughput\": {{ \"big\": {:.3f}, \"small\": {:.3f} }},",
                      0.2 + 2 * luck(), 0.1 + luck()}
                  .text;
    }
    if (chance(0.3)) {
      keys += Written{" \"data_loading\": {{ \"rate\": {:.3f} }},", 0.1 + 1.2 * luck()}.text;
    }
    if (chance(0.3)) {
      keys +=
          Written{
              " \"stragglers\": {{ \"probability\": {:.3f}, \"hosts\": [{}], "
              "\"speed\": {:.3f} }},",
              small_probability(), pick({"1", "2, 3", "8"}), 0.1 + 0.9 * luck()}
              .text;
    }
    return keys;
  }

  /// A gang that goes on with some of its machines, and what of its work goes on.
  std::string elastic() {
    if (!parts_ || !chance(0.4)) return "";
    const std::uint64_t min = between(1, size_);
    const std::string resize = chance(0.3) ? law() : Written{"\"{}s\"", between(0, 900)}.text;
    std::string keys = Written{" \"elastic\": {{ \"min\": {}, \"resize\": {}", min, resize}.text;
    if (chance(0.5)) keys += Written{", \"scaling\": {:.3f}", luck()}.text;
    if (saves_ && chance(0.4)) keys += ", \"keeps_work\": true";
    return keys + " },";
  }

  std::string tags() {
    std::string text;
    if (chance(0.7)) {
      text = chance(0.5) ? "\"username\": \"ann\", \"model_name\": \"m\""
                         : "\"username\": \"bob\", \"reeve:protect\": \"yes\"";
    }
    const std::string hints = signs_.hints_tag(text.empty());
    return text + hints;
  }

  /// What its script says of itself.  Often enough to be read, and not so often that it takes long.
  std::string reports() {
    if (!chance(0.2)) return "";
    std::string keys = Written{" \"reports\": {{ \"every\": \"{}s\", \"delay\": \"{}s\"",
                               between(1'800, 20'000), chance(0.5) ? 0 : between(1, 900)}
                           .text;
    if (chance(0.8)) {
      keys +=
          Written{
              ", \"loss\": {{ \"start\": 8, \"floor\": {:.3f}, \"half_life\": \"{}s\", "
              "\"noise\": {:.3f}, \"nan_at\": \"{}s\" }}",
              8 * luck(), between(60, 90'000), 0.2 * luck(), between(1, 90'000)}
              .text;
    }
    return keys + signs_.signals() + " },";
  }

  /// Its pause is stated, or follows from its size; uploads may take longer than the interval.
  std::string checkpoint() {
    const bool sized = chance(0.4);
    const std::uint64_t every = chance(0.3) ? 0 : between(1, 9'000);
    const std::string_view sync = pick({"during", "during", "at_end", "none"});
    std::string text = Written{"\"every\": \"{}s\", \"sync\": \"{}\"", every, sync}.text;
    saves_ = sync != "none";
    if (!sized) {
      if (chance(0.5)) text += Written{", \"cost\": \"{}s\"", between(1, 300)}.text;
      text += on_notice(false);
      return text + more_.asked_saves();
    }
    text += Written{", \"size\": {}, \"restore\": {}", between(0, 2'000), between(1, 30)}.text;
    if (chance(0.7)) text += Written{", \"write\": {}", between(2, 90)}.text;
    if (chance(0.7)) text += Written{", \"upload\": 0.{:02}", between(1, 30)}.text;
    text += on_notice(true);
    return text + more_.asked_saves();
  }

  std::string on_notice(bool sized) {
    if (!chance(0.5)) return "";
    const bool derived = sized && chance(0.5);
    return Written{", \"on_notice\": {{ {}\"hook_probability\": {:.3f}, \"pauses_work\": {} }}",
                   derived ? "" : Written{"\"save\": \"{}s\", ", between(0, 150)}.text,
                   1 - small_probability(), chance(0.5) ? "true" : "false"}
        .text;
  }

  std::string managed_job(bool on_spot) {
    std::string keys;
    if (chance(0.2)) keys += Written{" \"max_pending\": \"{}s\",", between(1, 40'000)}.text;
    if (chance(0.3)) keys += Written{" \"retry\": {{ \"attempts\": {} }},", between(1, 4)}.text;
    if (!on_spot && chance(0.3)) {
      keys += Written{" \"keep_alive\": \"{}s\",", between(0, 3'600)}.text;
    }
    if (chance(0.3)) {
      keys +=
          Written{
              " \"watchdog\": {{ \"timeout\": \"{}s\", \"miss_probability\": {:.3f}, \"class\": "
              "\"{}\" }},",
              between(1, 7'200), small_probability(), pick({"unknown", "code", "infrastructure"})}
              .text;
    }
    return keys;
  }

  std::string places() {
    std::string keys;
    if (chance(0.4)) {
      keys += Written{" \"placement\": \"{}\",", pick({"any", "single_zone"})}.text;
    }
    if (own_ && chance(0.3)) keys += " \"min_instances\": 1,";
    return keys;
  }

  std::string job(std::uint64_t number) {
    const std::uint64_t submit = between(0, 80'000);
    size_ = between(1, 8);
    const std::uint64_t lasts = between(1, 90'000);
    // Each third is called as the second attempt at the one before it might be.
    const bool meets = number % 3 == 2;
    return Written{
        "  {{ \"name\": \"written-{}{}\", \"submit\": \"{}s\", \"instances\": {}, \"work\": "
        "\"{}s\", {} }}",
        meets ? number - 1 : number,
        meets ? "-r2" : "",
        submit,
        size_,
        lasts,
        profile()}
        .text;
  }

  std::string law() {
    switch (between(0, 3)) {
      case 0:
        return Written{"{{ \"exponential\": \"{}s\", \"max\": \"1d\" }}", between(60, 30'000)}.text;
      case 1:
        return Written{
            "{{ \"lognormal\": {{ \"median\": \"{}s\", \"sigma\": {:.2f} }}, \"max\": \"30h\" }}",
            between(60, 20'000), 2 * luck()}
            .text;
      case 2:
        return Written{"{{ \"uniform\": [\"{}s\", \"{}s\"] }}", between(1, 900),
                       between(901, 60'000)}
            .text;
      default:
        return Written{"\"{}s\"", between(1, 40'000)}.text;
    }
  }

  std::string drawn_workload() {
    size_ = 1;  // of its smallest jobs
    return Written{
        "\"workload\": {{ \"jobs\": {}, \"arrivals\": {{ \"process\": \"{}\", \"gap\": \"{}s\" }}, "
        "\"work\": {},\n    \"instances\": {{ \"1\": {}, \"4\": 1 }}, \"untagged\": {:.3f}, {} }}",
        between(1, 20),
        pick({"poisson", "fixed"}),
        between(1, 20'000),
        law(),
        between(0, 3),
        small_probability(),
        profile()}
        .text;
  }

  /// Jobs one by one, or drawn, or both.
  std::string work() {
    const bool drawn = chance(0.4);
    std::string list;
    const std::uint64_t count = between(drawn ? 0 : 1, 12);
    for (std::uint64_t number = 0; number < count; ++number) {
      list += (number == 0 ? "" : ",\n") + job(number);
    }
    std::string jobs = Written{"\"jobs\": [\n{} ]", list}.text;
    if (!drawn) return jobs;
    return count == 0 ? drawn_workload() : jobs + ",\n" + drawn_workload();
  }

  std::string humans() {
    return Written{
        "\"humans\": [ {{ \"owner\": \"ann\", \"away\": [[\"{0}h\", \"{1}h\"]]{2} }}, {{ "
        "\"owner\": \"bob\", \"on_return\": \"nothing\" }} ]",
        between(0, 10), between(11, 90),
        // People who never give up make a world without a horizon endless.
        !endless_ && chance(0.3)
            ? Written{", \"reacts_within\": \"{}m\"", between(own_ ? 60 : 1, 600)}.text
            : ""}
        .text;
  }

  std::string guards() {
    std::string kill;
    if (chance(0.2)) {
      kill = Written{", \"kill_switch\": {{ \"engaged\": [[\"{}h\", \"{}h\"]] }}", between(0, 10),
                     between(11, 40)}
                 .text;
    }
    return Written{"\"guards\": {{ {}\"protected_tags\": [\"reeve:protect\"] }}{}", limits(), kill}
        .text;
  }

  /// Guards that refuse for a while.
  std::string limits() {
    std::string limits = signs_.canary();
    if (chance(0.5)) limits += Written{"\"stops_per_hour\": {}, ", between(1, 5)}.text;
    if (chance(0.1)) limits += Written{"\"stops_pct_per_hour\": {}, ", between(0, 60)}.text;
    if (chance(0.1)) limits += Written{"\"actions_per_hour\": {}, ", between(0, 9)}.text;
    if (chance(0.1)) limits += Written{"\"actions_per_rule_per_day\": {}, ", between(1, 9)}.text;
    if (chance(0.1)) limits += Written{"\"dry_start\": \"{}h\", ", between(1, 30)}.text;
    if (chance(0.1)) {
      const std::uint64_t from = between(0, 23);
      limits +=
          Written{
              "\"office_hours\": {{ \"days\": [\"mon\", \"sat\", \"sun\"], \"from\": \"{}h\", "
              "\"to\": "
              "\"{}h\" }}, ",
              from, between(0, 24)}
              .text;
    }
    if (chance(0.2)) {
      limits +=
          Written{
              "\"exempt\": [ {{ \"tag\": \"username\", \"owner\": \"ann\", \"until\": "
              "\"2026-05-2{}T00:00:00Z\" }} ], ",
              between(0, 9)}
              .text;
    }
    return limits;
  }

  std::string alarm_rule() {
    const std::uint64_t n = between(1, 5);
    const std::string rule =
        Written{
            "{{ \"rule\": \"stalled_gpu\", \"period\": \"{}m\", \"datapoints\": [{}, {}], "
            "\"threshold\": {}, \"missing\": \"{}\", \"window\": \"{}\", \"hosts\": [{}], "
            "\"reset_on_new_attempt\": {}, \"action\": {{ \"stop\": {}, \"latency\": \"{}s\" }}, "
            "\"priority\": {}, \"mode\": \"{}\" }}",
            pick({"1", "5", "60"}),
            between(1, n),
            n,
            between(0, 50),
            pick({"missing", "ignore", "breaching", "notBreaching"}),
            pick({"sliding", "wall_clock"}),
            pick({"\"algo-1\"", "\"all\""}),
            chance(0.5) ? "true" : "false",
            chance(0.8) ? "true" : "false",
            between(0, 90),
            between(0, 3),
            pick({"enforce", "enforce", "enforce", "warn", "shadow", "off"})}
            .text;
    const bool all = rule.find("[\"all\"]") != std::string::npos;
    return "{" + signs_.alarm_more(all) + rule.substr(1);
  }

  /// Rules that read what scripts write down.
  std::string report_rules() {
    std::string rules;
    if (chance(0.2)) {
      const std::uint64_t period = between(30, 20'000);
      rules +=
          Written{",\n    {{ \"rule\": \"heartbeat\", \"period\": \"{}s\", \"misses\": {}{} }}",
                  period, between(1, 4), signs_.signal()}
              .text;
    }
    if (chance(0.2)) {
      const std::uint64_t every = between(30, 20'000);
      const std::uint64_t looks = between(1, 3);
      rules +=
          Written{
              ",\n    {{ \"rule\": \"early_stop\", \"every\": \"{}s\", \"looks\": {}, "
              "\"plateau\": \"{}h\" }}",
              every, looks, between(0, 9)}
              .text;
    }
    return rules;
  }

  /// Rules that go by time and money.
  std::string cap_rules() {
    std::string rules;
    if (chance(0.2)) {
      const std::uint64_t limit = between(10, 3'000);
      rules +=
          Written{
              ",\n    {{ \"rule\": \"uptime_cap\", \"limit\": \"{}m\", \"ahead\": \"0s\", "
              "\"action\": "
              "\"{}\" }}",
              limit, pick({"stop", "notify"})}
              .text;
    }
    if (chance(0.2)) {
      const std::uint64_t limit = between(1, 3'000);
      const std::string_view per = pick({"job", "fleet", "all"});
      const std::string_view within = pick({"run", "day", "month"});
      rules +=
          Written{
              ",\n    {{ \"rule\": \"budget\", \"limit_usd\": {}, \"per\": \"{}\", \"within\": "
              "\"{}\", "
              "\"action\": \"{}\" }}",
              limit * price_factor_, per, within, pick({"stop", "notify"})}
              .text;
    }
    if (chance(0.1)) {
      const bool resumes = !endless_ && chance(0.5);
      rules += Written{",\n    {{ \"rule\": \"office_hours\", \"to\": \"{}h\", \"resume\": {} }}",
                       between(9, 24), resumes ? "true" : "false"}
                   .text;
    }
    if (chance(0.1)) {
      const std::uint64_t least = between(1, 100);
      rules +=
          Written{
              ",\n    {{ \"rule\": \"min_gpu\", \"min_pct\": {}, \"over\": \"{}m\", "
              "\"stop_after\": "
              "\"{}m\"{}, \"scope\": {{ \"fleets\": [\"a\"] }} }}",
              least, 5 * between(1, 30), between(0, 300), signs_.hints()}
              .text;
    }
    return rules;
  }

  /// Rules that judge attempts at their start.
  std::string compliance_rules() {
    std::string rules;
    if (chance(0.4)) {
      rules +=
          Written{
              ",\n    {{ \"rule\": \"required_tags\", \"keys\": [\"username\"], \"action\": \"{}\" "
              "}}",
              pick({"stop", "notify"})}
              .text;
    }
    if (chance(0.1)) {
      rules +=
          Written{",\n    {{ \"rule\": \"max_instances\", \"limit\": {}, \"action\": \"{}\" }}",
                  between(1, 4), pick({"stop", "notify"})}
              .text;
    }
    return rules;
  }

  /// Rules that the scenario states itself: some grow with time, one makes attempts.
  std::string stated_rules() {
    std::string rules;
    if (chance(0.3)) {
      const std::string_view field = pick({"age", "training_time", "time_in_status"});
      const std::string_view op = pick({">", ">=", "<"});
      const std::uint64_t minutes = between(1, 2'000);
      const std::string_view deed =
          pick({"\"stop\"", "\"notify\"", "\"limit_runtime\", \"limit\": \"5h\""});
      const std::uint64_t after = between(0, 30);
      rules +=
          Written{
              ",\n    {{ \"rule\": \"rule\", \"name\": \"grows\", \"when\": {{ \"all\": [ {{ "
              "\"field\": \"{}\", \"op\": \"{}\", \"value\": \"{}m\" }}, {{ \"not\": {{ \"field\": "
              "\"tag:username\", \"op\": \"exists\" }} }} ] }}, \"do\": {}, \"after\": \"{}m\" }}",
              field,
              op,
              minutes,
              deed,
              after}
              .text;
    }
    if (chance(0.2)) {
      const std::string_view status = pick({"Failed", "Stopped", "MaxRuntimeExceeded"});
      const std::uint64_t most = between(0, 3);
      const std::uint64_t after = between(0, 30);
      rules +=
          Written{
              ",\n    {{ \"rule\": \"rule\", \"name\": \"again\", \"when\": {{ \"field\": "
              "\"status\", \"op\": \"==\", \"value\": \"{}\" }}, \"do\": \"clone\", "
              "\"max_clones\": {}, \"after\": \"{}m\" }}",
              status, most, after}
              .text;
    }
    if (chance(0.2)) {
      const std::string_view hosts = pick({"\"algo-1\"", "\"all\""});
      const std::uint64_t threshold = between(0, 50);
      const std::uint64_t latency = between(0, 90);
      rules +=
          Written{
              ",\n    {{ \"rule\": \"rule\", \"name\": \"still\", \"when\": {{ \"field\": "
              "\"alarm\", \"op\": \"==\", \"value\": \"alarm\" }}, \"do\": \"stop\", \"alarm\": {{ "
              "\"hosts\": [{}], \"threshold\": {} }}, \"latency\": \"{}s\" }}",
              hosts, threshold, latency}
              .text;
    }
    return rules;
  }

  /// A rule that ends what is left behind.
  std::string sweep_rule() {
    if (!chance(0.4)) return "";
    const std::uint64_t every = between(1, 300);
    const std::uint64_t idle = between(0, 90);
    const std::string_view mode = pick({"enforce", "enforce", "enforce", "warn", "shadow"});
    return Written{
        ",\n    {{ \"rule\": \"orphan_sweep\", \"every\": \"{}m\", \"idle\": \"{}m\", "
        "\"mode\": \"{}\" }}",
        every, idle, mode}
        .text;
  }

  std::string policies() {
    std::string rules = alarm_rule();
    rules +=
        Written{
            ",\n    {{ \"rule\": \"resume\", \"when\": [\"stopped_by:stalled_gpu\", \"failed\", "
            "\"max_runtime_exceeded\"], \"min_runtime\": \"{}m\", \"max_resumes\": {}, \"from\": "
            "\"{}\", \"keep_tags\": {}, \"backoff\": \"{}m\"{} }}",
            between(0, 60),
            between(0, 4),
            pick({"last_checkpoint", "last_checkpoint", "scratch"}),
            chance(0.8) ? "true" : "false",
            between(0, 30),
            signs_.resume_more()}
            .text;
    rules += compliance_rules();
    rules += report_rules();
    rules += cap_rules();
    if (chance(0.4)) {
      rules +=
          Written{
              ",\n    {{ \"rule\": \"max_runtime\", \"limit\": \"{}m\", \"enforce_by\": \"{}\" }}",
              between(10, 1'000), pick({"platform", "clock"})}
              .text;
    }
    if (chance(0.4)) {
      rules +=
          Written{
              ",\n    {{ \"rule\": \"schedule\", \"algorithm\": \"{}\", \"backfill\": \"{}\" }}",
              pick({"fifo", "sjf"}), pick({"none", "any_fit"})}
              .text;
    }
    if (chance(0.4)) {
      rules +=
          Written{
              ",\n    {{ \"rule\": \"spot_fallback\", \"interruptions_above\": {}, "
              "\"clone_keeps_checkpoint\": {}, \"market\": \"{}\"{} }}",
              between(0, 3), chance(0.7) ? "true" : "false", pick({"on_demand", "reserved"}),
              more_.spot_tests()}
              .text;
    }
    rules += more_.save_on_notice();
    if (chance(0.3)) {
      rules +=
          Written{",\n    {{ \"rule\": \"startup_limit\", \"limit\": \"{}s\" }}", between(1, 3'000)}
              .text;
    }
    rules += sweep_rule();
    if (chance(0.2)) {
      rules +=
          Written{",\n    {{ \"rule\": \"relaunch\", \"every\": \"{}m\" }}", between(5, 300)}.text;
    }
    if (chance(0.2)) {
      rules +=
          Written{
              ",\n    {{ \"rule\": \"alternatives\", \"fleets\": [\"{}\"], "
              "\"after\": \"{}m\" }}",
              pick({"a", "b"}), between(0, 90)}
              .text;
    }
    if (chance(0.2)) {
      rules += Written{",\n    {{ \"rule\": \"market\", \"use\": \"{}\" }}",
                       pick({"on_demand", "reserved", "spot"})}
                   .text;
    }
    rules += stated_rules();
    rules += telling_rules();
    return Written{"\"policies\": {{ \"none\": [],\n  \"rules\": [ {} ] }}", rules}.text;
  }

  /// Rules that tell people, and one that stops nobody without a word.
  std::string telling_rules() {
    std::string rules;
    if (chance(0.2)) {
      const std::uint64_t after = between(1, 300);
      rules += Written{",\n    {{ \"rule\": \"long_wait\", \"after\": \"{}m\" }}", after}.text;
    }
    if (chance(0.2)) {
      const std::uint64_t failures = between(1, 3);
      rules += Written{",\n    {{ \"rule\": \"failure_rate\", \"failures\": {}, \"last\": {} }}",
                       failures, failures + 2}
                   .text;
    }
    if (chance(0.2)) {
      const std::uint64_t below = between(1, 100);
      rules +=
          Written{",\n    {{ \"rule\": \"idle_capacity\", \"below_pct\": {}, \"lasts\": \"{}m\" }}",
                  below, below}
              .text;
    }
    if (chance(0.3)) {
      const std::uint64_t remind = between(0, 600);
      const std::string_view days = pick({"", "\"mon\", \"sat\""});
      rules +=
          Written{
              ",\n    {{ \"rule\": \"notify\", \"events\": [\"failed\", \"stopped\", "
              "\"interrupted\", "
              "\"nodes_lost\", \"spot_notice\"], \"remind_every\": \"{}m\", \"stop_after\": "
              "\"{}m\", "
              "\"quiet_hours\": {{ \"days\": [{}] }} }}",
              remind, remind, days}
              .text;
    }
    if (chance(0.2)) {
      const std::uint64_t limit = between(10, 3'000);
      rules +=
          Written{
              ",\n    {{ \"rule\": \"uptime_cap\", \"name\": \"ladder\", \"limit\": \"{}m\", "
              "\"ahead\": \"0s\", \"action\": \"warn_then_stop\", \"warn_for\": \"{}m\" }}",
              limit, limit % 100}
              .text;
    }
    return rules;
  }

  std::uint64_t price_factor_;
  Leaning leaning_;
  RandomSaves more_;
  RandomSigns signs_;
  bool spot_ = false;          ///< there is a fleet of Spot
  bool drawn_market_ = false;  ///< and what it offers is drawn
  bool spread_ = false;        ///< fleet a stands in two zones
  bool endless_ = false;       ///< the run ends when everything is done
  bool own_ = false;           ///< machines of one's own
  bool parts_ = false;         ///< a gang may lose some of its machines
  bool saves_ = false;         ///< a checkpoint of the job that is written leaves its machines
  std::uint64_t size_ = 1;     ///< instances of the job that is written
};

}  // namespace reeve::tests
