// Writes a random but valid scenario file, with a random plan of trouble, as a function of a seed.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/draws.hpp"

namespace reeve::tests {

/// Equal seeds write equal texts.  `price_factor` multiplies every price and changes nothing else.
class RandomScenario {
 public:
  explicit RandomScenario(std::uint64_t seed, std::uint64_t price_factor = 1)
      : seed_{seed}, price_factor_{price_factor} {}

  std::string text() {
    nth_ = 0;
    drawn_market_ = false;
    endless_ = chance(0.2);
    own_ = chance(0.35);
    const std::string horizon = endless_ ? "until_done" : fmt::format("{}h", between(24, 240));
    // One after the other: each draws, and one asks what another has drawn.
    const std::string prices = price_book();
    const std::string machines = fleet();
    const std::string shared = shocks() + outages();
    const std::string cloud = platform();
    const std::string jobs = work();
    const std::string people = humans();
    const std::string limits = guards();
    const std::string rules = policies();
    return fmt::format(
        "{{ \"reeve\": 1, \"name\": \"random-{}\",\n"
        "\"clock\": {{ \"start\": \"2026-01-05T00:00:00Z\", \"horizon\": \"{}\" }},\n"
        "\"random\": {{ \"seed\": {} }},\n{},\n{},\n{}{},\n{},\n{},\n{},\n{} }}\n",
        seed_, horizon, seed_ + 1, prices, machines, shared, cloud, jobs, people, limits, rules);
  }

 private:
  double luck() { return sim::uniform({seed_, 0, sim::Cause::scenario_fuzz, 0, nth_++}); }
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low +
           static_cast<std::uint64_t>(luck() * 0.999999 * static_cast<double>(high - low + 1));
  }
  bool chance(double probability) { return luck() <= probability; }
  std::string_view pick(std::vector<std::string_view> choices) {
    return choices[between(0, choices.size() - 1)];
  }
  double small_probability() { return chance(0.5) ? 0 : 0.3 * luck(); }

  std::string price_book() {
    return fmt::format(
        "\"prices\": {{ \"book\": \"inline\", \"instances\": {{\n"
        "  \"big\": {{ \"usd_per_hour\": {}.{:09}, \"spot_usd_per_hour\": {}, \"gpus\": 8 }},\n"
        "  \"small\": {{ \"usd_per_hour\": {}, \"gpus\": 1 }} }},\n"
        "  \"alarm_usd_per_month\": {} }}",
        between(1, 90) * price_factor_, 100'000'001 * price_factor_, between(1, 30) * price_factor_,
        2 * price_factor_, price_factor_);
  }

  std::string fleet() {
    spot_ = chance(0.4);
    std::string spot;
    if (spot_) {
      const std::uint64_t capacity = between(8, 24);
      spot = fmt::format(
          ",\n  {{ \"name\": \"s\", \"instance_type\": \"big\", \"capacity\": {}, \"market\": "
          "\"spot\", \"zone\": \"us-east-1a\", \"reclaim_order\": \"{}\"{}{}{} }}",
          capacity, pick({"random", "newest", "oldest"}),
          chance(0.3) ? fmt::format(", \"reclaim\": {{ \"every\": \"{}s\", \"away\": \"{}s\" }}",
                                    between(600, 40'000), between(0, 9'000))
                      : "",
          chance(0.7) ? ", " + availability(capacity) : "",
          chance(0.3) ? ", \"capacity_wait\": " + law() : "");
    }
    const std::uint64_t capacity = between(8, 24);
    const std::string_view market = pick({"on_demand", "reserved"});
    return fmt::format(
        "\"fleet\": [ {{ \"name\": \"a\", \"instance_type\": \"big\", \"capacity\": {}, "
        "\"market\": "
        "\"{}\"{} }},\n  {{ \"name\": \"b\", \"instance_type\": \"small\", \"zone\": "
        "\"us-east-1c\", \"capacity\": {}, "
        "\"market\": \"{}\" }}{} ]",
        capacity, market, zones(capacity), between(8, 24), pick({"on_demand", "reserved"}), spot);
  }

  /// One zone has room for every job.
  std::string zones(std::uint64_t capacity) {
    const std::uint64_t first = between(8, capacity);
    if (first == capacity || !chance(0.4)) return "";
    return fmt::format(
        ", \"zones\": {{ \"us-east-1a\": {}, \"us-east-1b\": {} }}, \"spread_speed\": {:.3f}",
        first, capacity - first, 0.2 + 0.7 * luck());
  }

  /// Steps that end with all machines on offer, or a market that is drawn.
  std::string availability(std::uint64_t capacity) {
    if (chance(0.5)) {
      drawn_market_ = true;
      return fmt::format(
          "\"availability\": {{ \"up\": {{ \"exponential\": \"{}s\" }}, \"down\": {}, "
          "\"all_lost\": {:.3f} }}",
          between(3'600, 40'000), law(), luck());
    }
    std::string steps = fmt::format("[\"0s\", {}]", between(0, capacity));
    std::uint64_t at = 0;
    for (std::uint64_t left = between(1, 20); left > 0; --left) {
      at += between(1, 20'000);
      steps += fmt::format(", [\"{}s\", {}]", at, left == 1 ? capacity : between(0, capacity));
    }
    return fmt::format("\"availability\": {{ \"steps\": [{}] }}", steps);
  }

  std::string shocks() {
    if (!drawn_market_) return "";
    return fmt::format(
        "\"shocks\": [ {{ \"region\": \"us-east-1\", \"per_hour\": {:.3f}, \"hit\": {:.3f} }} ],\n",
        0.09 * luck(), luck());
  }

  std::string platform() {
    const std::string_view not_own = chance(0.15) ? "ideal" : "sagemaker-training";
    const std::string_view model = own_ ? pick({"ec2", "ec2", "gcp"}) : not_own;
    const auto p = [this] { return fmt::format("{:.3f}", small_probability()); };
    std::string faults;
    if (chance(0.3)) {
      faults =
          fmt::format(", \"faults\": [ {{ \"call\": \"{}\", \"kind\": \"{}\", \"times\": {} }} ]",
                      pick({"StopTrainingJob", "CreateTrainingJob", "PutMetricAlarm"}),
                      pick({"throttled", "lost_reply", "rejected"}), between(1, 7));
    }
    return fmt::format(
        "\"platform\": {{ \"model\": \"{}\", \"provisioning\": \"{}s\", {}, "
        "\"stop_grace\": \"{}s\", \"max_runtime_grace\": \"{}s\", \"upload\": \"{}s\",\n"
        "  \"duplicate_events\": {}, \"events\": {{ \"delay\": \"{}s\", \"jitter\": \"{}s\", "
        "\"duplicate_within\": \"{}s\"{} }}, \"alarm_delivery\": \"{}s\",\n"
        "  \"api\": {{ \"latency\": \"{}ms\", \"throttled\": {}, \"lost_reply\": {}, \"rejected\": "
        "{}{}{} }},\n"
        "  \"metrics\": {{ \"publish_delay\": \"{}s\", \"evaluation_offset\": {}, "
        "\"extra_datapoints\": {} }}{} }}",
        model, chance(0.5) ? 0 : between(1, 900), start_up(), chance(0.3) ? 0 : between(1, 300),
        chance(0.7) ? 0 : between(1, 300), chance(0.6) ? 0 : between(1, 300), p(),
        chance(0.5) ? 0 : between(1, 120), chance(0.5) ? 0 : between(1, 600),
        chance(0.5) ? 0 : between(1, 600), lost_events(), chance(0.5) ? 0 : between(1, 120),
        chance(0.4) ? 0 : between(1, 5000), p(), p(), p(), rates(), faults, between(0, 180),
        chance(0.3) ? std::string{"\"random\""} : fmt::format("\"{}s\"", between(0, 59)),
        between(0, 4), managed());
  }

  std::string lost_events() {
    return chance(0.2) ? fmt::format(", \"lost\": {:.3f}", small_probability()) : "";
  }

  /// One limit of all calls, or one of each kind; and times in which no call is answered.
  std::string rates() {
    std::string keys;
    switch (between(0, 9)) {
      case 0:
      case 1:
        keys = fmt::format(", \"calls_per_s\": {}", between(1, 3));
        break;
      case 2:
        keys = ", \"rates\": \"aws\"";
        break;
      case 3:
        keys = fmt::format(
            ", \"rates\": {{ \"StopTrainingJob\": {:.3f}, \"PutMetricAlarm\": {} }}, \"burst\": {}",
            luck(), between(1, 3), between(0, 5));
        break;
      default:
        break;
    }
    if (!chance(0.3)) return keys;
    const std::uint64_t from = between(0, 60'000);
    return keys + fmt::format(
                      ", \"brownouts\": [ {{ \"from\": \"{}s\", \"to\": \"{}s\", \"throttled\": "
                      "{:.3f}, \"lost_reply\": {:.3f} }} ]",
                      from, from + between(1, 20'000), 0.5 * luck(), 0.2 * luck());
  }

  /// What SageMaker adds; elsewhere it does nothing, and is warned of.
  std::string managed() {
    std::string keys;
    if (chance(0.3)) {
      keys += fmt::format(
          ", \"quotas\": {{ \"big\": {{ \"training\": {}, \"spot\": {} }}, \"small\": {{ "
          "\"training\": {}, \"warm_pool\": {} }} }}",
          between(4, 24), between(4, 24), between(4, 24), between(0, 24));
    }
    if (chance(0.5)) {
      keys += fmt::format(
          ", \"cluster_repair\": {{ \"max\": {}, \"reboot\": \"{}s\", \"replace\": \"{}s\", "
          "\"replace_share\": {:.3f} }}",
          between(0, 3), between(0, 900), between(0, 3'000), luck());
    }
    if (chance(0.3)) {
      keys += fmt::format(", \"late_upload\": {{ \"probability\": {:.3f}, \"lasts\": {} }}",
                          small_probability(), law());
    }
    if (chance(0.3)) keys += fmt::format(", \"warm_startup\": \"{}s\"", between(0, 600));
    if (chance(0.3)) {
      keys += fmt::format(", \"pending_timeout_status\": \"{}\"",
                          pick({"Stopped", "MaxWaitTimeExceeded", "other"}));
    }
    if (chance(0.3)) {
      const std::uint64_t from = between(0, 60'000);
      keys +=
          fmt::format(", \"alarm_link\": {{ \"down\": [[\"{}s\", \"{}s\"]], \"lost\": {:.3f} }}",
                      from, from + between(1, 90'000), small_probability());
    }
    return keys;
  }

  /// The zone of the fleet of Spot, if there is one, and that of fleet b.
  std::string outages() {
    if (!chance(0.3)) return "";
    std::string list;
    for (std::uint64_t left = between(1, 2); left > 0; --left) {
      const std::uint64_t from = between(0, 90'000);
      list += fmt::format(
          "{}{{ \"zone\": \"{}\", \"from\": \"{}s\", \"to\": \"{}s\" }}", list.empty() ? "" : ", ",
          spot_ && chance(0.5) ? "us-east-1a" : "us-east-1c", from, from + between(1, 30'000));
    }
    return fmt::format("\"outages\": [ {} ],\n", list);
  }

  /// Of managed machines, or all that is to be said of one's own.
  std::string start_up() {
    if (!own_) return fmt::format("\"startup\": \"{}s\"", chance(0.3) ? 0 : between(1, 900));
    std::string keys = fmt::format(
        "\"phases\": {{ \"download\": \"{}s\", \"run\": \"{}s\" }}, \"spot_request\": \"{}\", "
        "\"notice_probability\": {:.3f}, \"imds_poll\": \"{}s\", \"rebalance\": {{ \"lead\": "
        "\"{}s\", \"probability\": {:.3f} }}, \"self_destruct_fails\": {:.3f}, \"debug_hold\": "
        "\"{}s\", \"logs\": {{ \"flush_delay\": \"{}s\" }}",
        chance(0.3) ? 0 : between(1, 900), between(0, 90), pick({"one-time", "persistent"}),
        1 - small_probability(), between(0, 20), between(0, 900), small_probability(),
        // A machine nobody ever terminates, where nothing else ends the world, keeps jobs waiting
        // for ever, and their scheduler asking.
        endless_ ? 0 : small_probability(), chance(0.6) ? 0 : between(1, 9'000),
        chance(0.6) ? 0 : between(1, 90));
    if (chance(0.4)) keys += fmt::format(", \"notice\": \"{}s\"", between(0, 1'800));
    if (chance(0.5)) keys += fmt::format(", \"on_insufficient\": \"{}\"", pick({"wait", "fail"}));
    if (chance(0.3)) {
      keys +=
          fmt::format(", \"rendezvous\": {{ \"poll\": \"{}s\", \"tags_after\": {} }}",
                      between(1, 60), !endless_ && chance(0.1) ? std::string{"\"never\""} : law());
    }
    if (chance(0.5)) {
      keys += fmt::format(", \"billing\": {{ \"minimum\": \"{}s\", \"first_hour_free\": {} }}",
                          between(0, 4'000), chance(0.7) ? "true" : "false");
    }
    return keys;
  }

  std::string fault() {
    if (own_ && chance(0.25)) {
      return fmt::format("{{ \"kind\": \"node_lost\", \"at\": \"{}s\", \"hosts\": [{}] }}",
                         between(0, 40'000), pick({"1", "2", "3, 1", "2, 5, 6"}));
    }
    const std::string_view kind =
        pick({"stall", "spin_hang", "failure", "interruption", "metrics_lost", "hardware"});
    const bool passes = kind != "failure" && kind != "hardware";
    const bool ends = passes && (kind == "interruption" || chance(0.6));
    return fmt::format("{{ \"kind\": \"{}\", \"at\": \"{}s\"{}, \"recovers_on_restart\": {} }}",
                       kind, between(0, 40'000),
                       ends ? fmt::format(", \"lasts\": \"{}s\"", between(60, 20'000)) : "",
                       chance(0.7) ? "true" : "false");
  }

  /// Levels that are no constant, now and then.
  std::string utilization() {
    std::string text;
    if (chance(0.3)) {
      text += fmt::format(
          ", \"gpu_util\": {{ \"waiting\": {}, \"cdf\": [[{}, 0], [60, {}], [100, 100]], "
          "\"changes_every\": \"{}s\" }}",
          between(0, 100), between(0, 50), between(0, 99), between(60, 9'000));
    }
    if (chance(0.3)) {
      const std::uint64_t lasts = between(1, 3'000);
      text += fmt::format(
          ", \"gpu_phases\": [ {{ \"at\": \"{}s\", \"every\": \"{}s\", \"lasts\": \"{}s\" }}, "
          "{{ \"lasts\": \"{}s\", \"gpu_util\": {} }} ]",
          between(0, 9'000), lasts + between(0, 9'000), lasts, between(1, 3'000), between(0, 9));
    }
    return text;
  }

  /// What a job and a drawn workload have in common.
  std::string profile() {
    const bool on_spot = spot_ && chance(0.6);
    const std::string_view where = on_spot ? "s" : pick({"a", "b"});
    const std::uint64_t max_runtime = between(1, 200'000);
    const std::string max_wait =
        on_spot && chance(0.5)
            ? fmt::format(", \"max_wait\": \"{}s\"", max_runtime + between(0, 100'000))
            : "";
    std::string faults;
    for (std::uint64_t left = chance(0.4) ? between(1, 3) : 0; left > 0; --left) {
      faults += (faults.empty() ? "" : ", ") + fault();
    }
    const std::string saves = checkpoint();
    std::string text = fmt::format(
        "\"fleet\": \"{}\",\n    \"max_runtime\": \"{}s\"{}, \"tags\": {{ {} }}, \"checkpoint\": "
        "{{ {} }},{}\n    \"faults\": [ {} ],\n"
        "    \"drawn_faults\": [ {{ \"kind\": \"stall\", \"probability\": {:.3f}, \"after\": {{ "
        "\"exponential\": \"2h\" }} }}, {{ \"kind\": \"failure\", \"probability\": {:.3f}, "
        "\"after\": {{ \"weibull\": {{ \"scale\": \"3h\", \"shape\": 0.5 }} }}, \"classes\": {{ "
        "\"infrastructure\": 2, \"code\": 1 }} }} ]",
        where, max_runtime, max_wait,
        chance(0.7) ? (chance(0.5) ? "\"username\": \"ann\", \"model_name\": \"m\""
                                   : "\"username\": \"bob\", \"reeve:protect\": \"yes\"")
                    : "",
        saves, places() + managed_job(on_spot), faults, small_probability(), small_probability());
    return text + utilization();
  }

  /// Its pause is stated, or follows from its size; uploads may take longer than the interval.
  std::string checkpoint() {
    const bool sized = chance(0.4);
    std::string text =
        fmt::format("\"every\": \"{}s\", \"sync\": \"{}\"", chance(0.3) ? 0 : between(1, 9'000),
                    pick({"during", "during", "at_end", "none"}));
    if (!sized) {
      if (chance(0.5)) text += fmt::format(", \"cost\": \"{}s\"", between(1, 300));
      return text + on_notice(false);
    }
    text += fmt::format(", \"size\": {}", between(0, 2'000));
    const std::uint64_t write = between(2, 90);
    const std::uint64_t upload = between(1, 30);
    const std::uint64_t restore = between(1, 30);
    if (chance(0.7)) text += fmt::format(", \"write\": {}", write);
    if (chance(0.7)) text += fmt::format(", \"upload\": 0.{:02}", upload);
    text += fmt::format(", \"restore\": {}", restore);
    return text + on_notice(true);
  }

  std::string on_notice(bool sized) {
    if (!chance(0.5)) return "";
    const bool derived = sized && chance(0.5);
    const std::string save = derived ? "" : fmt::format("\"save\": \"{}s\", ", between(0, 150));
    const double hook = 1 - small_probability();
    const bool pauses = chance(0.5);
    return fmt::format(", \"on_notice\": {{ {}\"hook_probability\": {:.3f}, \"pauses_work\": {} }}",
                       save, hook, pauses ? "true" : "false");
  }

  std::string managed_job(bool on_spot) {
    std::string keys;
    if (chance(0.2)) keys += fmt::format(" \"max_pending\": \"{}s\",", between(1, 40'000));
    if (chance(0.3)) keys += fmt::format(" \"retry\": {{ \"attempts\": {} }},", between(1, 4));
    if (!on_spot && chance(0.3)) {
      keys += fmt::format(" \"keep_alive\": \"{}s\",", between(0, 3'600));
    }
    if (chance(0.3)) {
      keys += fmt::format(
          " \"watchdog\": {{ \"timeout\": \"{}s\", \"miss_probability\": {:.3f}, \"class\": "
          "\"{}\" }},",
          between(1, 7'200), small_probability(), pick({"unknown", "code", "infrastructure"}));
    }
    return keys;
  }

  std::string places() {
    std::string keys;
    if (chance(0.3)) keys += " \"placement\": \"single_zone\",";
    if (own_ && chance(0.3)) keys += " \"min_instances\": 1,";
    return keys;
  }

  std::string job(std::uint64_t number) {
    return fmt::format(
        "  {{ \"name\": \"written-{}\", \"submit\": \"{}s\", \"instances\": {}, \"work\": \"{}s\", "
        "{} "
        "}}",
        number, between(0, 80'000), between(1, 8), between(1, 90'000), profile());
  }

  std::string law() {
    switch (between(0, 3)) {
      case 0:
        return fmt::format("{{ \"exponential\": \"{}s\", \"max\": \"1d\" }}", between(60, 30'000));
      case 1:
        return fmt::format(
            "{{ \"lognormal\": {{ \"median\": \"{}s\", \"sigma\": {:.2f} }}, "
            "\"max\": \"30h\" }}",
            between(60, 20'000), 2 * luck());
      case 2:
        return fmt::format("{{ \"uniform\": [\"{}s\", \"{}s\"] }}", between(1, 900),
                           between(901, 60'000));
      default:
        return fmt::format("\"{}s\"", between(1, 40'000));
    }
  }

  std::string drawn_workload() {
    return fmt::format(
        "\"workload\": {{ \"jobs\": {}, \"arrivals\": {{ \"process\": \"{}\", \"gap\": \"{}s\" }}, "
        "\"work\": {},\n    \"instances\": {{ \"1\": {}, \"4\": 1 }}, \"untagged\": {:.3f}, {} }}",
        between(1, 20), pick({"poisson", "fixed"}), between(1, 20'000), law(), between(0, 3),
        small_probability(), profile());
  }

  /// Jobs one by one, or drawn, or both.
  std::string work() {
    const bool drawn = chance(0.4);
    std::string list;
    const std::uint64_t count = between(drawn ? 0 : 1, 12);
    for (std::uint64_t number = 0; number < count; ++number) {
      list += (number == 0 ? "" : ",\n") + job(number);
    }
    std::string jobs = fmt::format("\"jobs\": [\n{} ]", list);
    if (!drawn) return jobs;
    return count == 0 ? drawn_workload() : jobs + ",\n" + drawn_workload();
  }

  std::string humans() {
    return fmt::format(
        "\"humans\": [ {{ \"owner\": \"ann\", \"away\": [[\"{0}h\", \"{1}h\"]]{2} }}, {{ "
        "\"owner\": \"bob\", \"on_return\": \"nothing\" }} ]",
        between(0, 10), between(11, 90),
        // People who never give up make a world without a horizon endless.
        !endless_ && chance(0.3)
            ? fmt::format(", \"reacts_within\": \"{}m\"", between(own_ ? 60 : 1, 600))
            : "");
  }

  std::string guards() {
    std::string kill;
    if (chance(0.2)) {
      kill = fmt::format(", \"kill_switch\": {{ \"engaged\": [[\"{}h\", \"{}h\"]] }}",
                         between(0, 10), between(11, 40));
    }
    return fmt::format("\"guards\": {{ {}\"protected_tags\": [\"reeve:protect\"] }}{}",
                       chance(0.5) ? fmt::format("\"stops_per_hour\": {}, ", between(1, 5)) : "",
                       kill);
  }

  std::string alarm_rule() {
    const std::uint64_t n = between(1, 5);
    return fmt::format(
        "{{ \"rule\": \"stalled_gpu\", \"period\": \"{}m\", \"datapoints\": [{}, {}], "
        "\"threshold\": {}, \"missing\": \"{}\", \"window\": \"{}\", \"hosts\": [{}], "
        "\"reset_on_new_attempt\": {}, \"action\": {{ \"stop\": {}, \"latency\": \"{}s\" }}, "
        "\"priority\": {}, "
        "\"mode\": \"{}\" }}",
        pick({"1", "5", "60"}), between(1, n), n, between(0, 50),
        pick({"missing", "ignore", "breaching", "notBreaching"}), pick({"sliding", "wall_clock"}),
        pick({"\"algo-1\"", "\"all\""}), chance(0.5) ? "true" : "false",
        chance(0.8) ? "true" : "false", between(0, 90), between(0, 3),
        pick({"enforce", "enforce", "enforce", "warn", "shadow", "off"}));
  }

  std::string policies() {
    std::string rules = alarm_rule();
    rules += fmt::format(
        ",\n    {{ \"rule\": \"resume\", \"when\": [\"stopped_by:stalled_gpu\", \"failed\", "
        "\"max_runtime_exceeded\"], \"min_runtime\": \"{}m\", \"max_resumes\": {}, \"from\": "
        "\"{}\", \"keep_tags\": {}, \"backoff\": \"{}m\" }}",
        between(0, 60), between(0, 4), pick({"last_checkpoint", "last_checkpoint", "scratch"}),
        chance(0.8) ? "true" : "false", between(0, 30));
    if (chance(0.4)) {
      rules += fmt::format(
          ",\n    {{ \"rule\": \"required_tags\", \"keys\": [\"username\"], "
          "\"action\": \"{}\" }}",
          pick({"stop", "notify"}));
    }
    if (chance(0.4)) {
      rules += fmt::format(
          ",\n    {{ \"rule\": \"max_runtime\", \"limit\": \"{}m\", "
          "\"enforce_by\": \"{}\" }}",
          between(10, 1'000), pick({"platform", "clock"}));
    }
    if (chance(0.4)) {
      rules += fmt::format(
          ",\n    {{ \"rule\": \"schedule\", \"algorithm\": \"{}\", \"backfill\": "
          "\"{}\" }}",
          pick({"fifo", "sjf"}), pick({"none", "any_fit"}));
    }
    if (chance(0.4)) {
      rules += fmt::format(
          ",\n    {{ \"rule\": \"spot_fallback\", \"interruptions_above\": {}, "
          "\"clone_keeps_checkpoint\": {}, \"market\": \"{}\" }}",
          between(0, 3), chance(0.7) ? "true" : "false", pick({"on_demand", "reserved"}));
    }
    if (chance(0.3)) {
      rules += fmt::format(",\n    {{ \"rule\": \"startup_limit\", \"limit\": \"{}s\" }}",
                           between(1, 3'000));
    }
    if (chance(0.2)) {
      rules += fmt::format(",\n    {{ \"rule\": \"market\", \"use\": \"{}\" }}",
                           pick({"on_demand", "reserved", "spot"}));
    }
    return fmt::format("\"policies\": {{ \"none\": [],\n  \"rules\": [ {} ] }}", rules);
  }

  std::uint64_t seed_;
  std::uint64_t price_factor_;
  bool spot_ = false;          ///< there is a fleet of Spot
  bool drawn_market_ = false;  ///< and what it offers is drawn
  bool endless_ = false;       ///< the run ends when everything is done
  bool own_ = false;           ///< machines of one's own
  std::uint32_t nth_ = 0;
};

}  // namespace reeve::tests
