// A cluster that is short of machines, as Philly's would be with an eighth of them: 65,000 jobs of
// 1 to 32 instances whose lengths are heavy-tailed, in 13 shares, under each scheduler.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "bench/cost.hpp"
#include "bench/figures.hpp"
#include "experiments/run.hpp"
#include "scenarios/load.hpp"

namespace {

using namespace reeve;

constexpr int tries = 3;
constexpr std::uint32_t kinds = 650;  ///< of jobs that are alike, of 100 each
constexpr std::uint32_t share_count = 13;
constexpr std::uint32_t machines = 143;

/// Evenly over a lognormal by its quantiles (logit for probit): median 12 minutes, up to 8 days.
double length_s(std::uint32_t kind) {
  const double part = (kind * 389 % kinds + 0.5) / kinds;
  return 720 * std::exp(0.95 * std::log(part / (1 - part)));
}

/// In 60 days come as many as there are machines for in those, and a seventh more.
std::string jobs() {
  constexpr std::array instances{1U, 1U, 1U, 1U, 1U, 2U, 4U, 1U, 8U, 1U, 1U, 4U, 32U};
  std::string list;
  for (std::uint32_t kind = 0; kind < kinds; ++kind) {
    list += fmt::format(
        R"({}{{ "name": "kind-{}", "count": 100, "submit": "{}s", "submit_every": "{}s",
      "instances": {}, "work": "{:.0f}s", "share": "share-{}" }})",
        kind == 0 ? "" : ",\n    ", kind, kind * 60, 43'000 + kind,
        instances[kind % instances.size()], length_s(kind), kind * 7 % share_count);
  }
  return list;
}

std::string shares() {
  std::string text;
  for (std::uint32_t share = 0; share < share_count; ++share) {
    text += fmt::format(
        R"({}{{ "name": "share-{}", "quota": {{ "pool": {} }}, "sharing": "lend_and_borrow" }})",
        share == 0 ? "" : ", ", share, machines / share_count);
  }
  return text;
}

std::string names_of_shares() {
  std::string names;
  for (std::uint32_t share = 0; share < share_count; ++share) {
    names += fmt::format(R"({}"share-{}")", share == 0 ? "" : ", ", share);
  }
  return names;
}

scenarios::Scenario scenario(const std::string& options) {
  const auto text = scenarios::SourceFile::from_text(
      "short.jsonc", fmt::format(R"jsonc({{
  "reeve": 1,
  "clock": {{ "start": "2026-03-02T00:00:00Z", "horizon": "until_done" }},
  "prices": {{ "instances": {{ "gpu": {{ "usd_per_hour": 3, "gpus": 1 }} }} }},
  "fleet": [ {{ "name": "pool", "instance_type": "gpu", "capacity": {}, "market": "reserved" }} ],
  "platform": {{ "model": "ideal" }},
  "shares": [ {} ],
  "queues": [ {{ "name": "main", "fleet": "pool", "shares": [ {} ] }} ],
  "job_defaults": {{ "queue": "main", "checkpoint": {{ "every": "5m" }} }},
  "jobs": [ {} ],
  "policies": {{ "one": [ {{ "rule": "schedule", {} }} ] }}
}})jsonc",
                                 machines, shares(), names_of_shares(), jobs(), options));
  return scenarios::load(text, ".").scenario;
}

double cpu_s(const std::string& options) {
  const scenarios::Scenario loaded = scenario(options);
  return bench::least_cost_of(tries,
                              [&] {
                                const models::Record record =
                                    experiments::run(loaded, loaded.policies.front(), 0).record;
                                if (record.ledger.residual() != 0)
                                  throw std::runtime_error("money was lost");
                              })
      .cpu_s;
}

}  // namespace

int main(int count, char** arguments) {
  bench::Figures figures;
  const double fifo = cpu_s(R"("algorithm": "fifo")");
  figures.add("short/fifo_cpu_s", fifo);
  for (const std::string name : {"srtf", "srsf", "las", "themis", "kai", "quota", "kueue"}) {
    figures.add(fmt::format("short/{}_over_fifo", name),
                cpu_s(fmt::format(R"("algorithm": "{}")", name)) / fifo);
  }
  figures.add(
      "short/gittins_over_fifo",
      cpu_s(R"("algorithm": "gittins", "gittins_lengths": [600, 3600, 36000, 360000])") / fifo);
  figures.add("short/conservative_over_fifo", cpu_s(R"("backfill": "conservative")") / fifo);
  figures.add("short/gavel_6h_over_fifo", cpu_s(R"("algorithm": "gavel", "round": "6h")") / fifo);
  return figures.finish(count, arguments);
}
