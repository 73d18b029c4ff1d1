// What a queue takes away and gives back, and what people change about shares and jobs.
#include "fleet_rig.hpp"

namespace reeve::models {
namespace fleet_queues_test {

using host::ReplyKind;
using policy::Origin;
using policy::PreemptCause;
using policy::PreemptJob;
using Kinds = std::vector<ReplyKind>;

/// No start-up and no grace; checkpoints after each 600 s of work; every job stands in a queue.
struct QueueRig : FleetRig {
  QueueRig() {
    Platform& platform = world.platform;
    platform.provisioning = platform.startup = platform.upload = platform.stop_grace = 0s;
    world.directory.queues = {{.name = "q", .shares = {{0}}}};
    world.directory.shares = {{.name = "s", .queue = {0}, .quota = {{{0}, 4}}}};
    profile().terms = terms({.queue = policy::QueueId{0}, .share = policy::ShareId{0}});
    profile().checkpoint.every = 600s;
  }
  std::uint16_t terms(const policy::JobTerms& of) { return world.directory.intern(of).value(); }
  std::vector<Origin> origins() const {
    std::vector<Origin> told;
    for (const Seen& one : seen) {
      const auto* news = std::get_if<policy::JobSubmitted>(&one.what.fact);
      if (news != nullptr) told.push_back(news->origin);
    }
    return told;
  }
};

TEST(Queues, WhoIsPreemptedStandsInLineAgainWithWhatItSaved) {
  QueueRig rig;
  const auto job = rig.job(2000s, 4);
  rig.call(1000s, PreemptJob{job, 1, PreemptCause::in_share, job});
  rig.run();
  EXPECT_EQ(rig.kinds(), Kinds{ReplyKind::done});
  EXPECT_EQ(rig.origins(), (std::vector<Origin>{Origin::person, Origin::queue}));
  ASSERT_EQ(rig.record.attempts.size(), 2U);
  EXPECT_EQ(rig.record.attempts[0].reason, EndReason::preempted);
  EXPECT_EQ(rig.record.attempts[1].resumed_from, 600s);
  EXPECT_EQ(rig.row(job).end - rig_start, 2400s);
  EXPECT_EQ(rig.usd(Use::lost_work), "16.00");  // 400 s of four machines
  ASSERT_EQ(rig.record.preemptions.size(), 1U);
  EXPECT_EQ(rig.record.preemptions[0].instances, 4U);
  EXPECT_TRUE(rig.record.preemptions[0].requeued);
}

TEST(Queues, OnceTooOftenIsTheEnd) {
  QueueRig rig;
  rig.profile().max_preemptions = 1;
  const auto job = rig.job(2000s);
  rig.call(700s, PreemptJob{job, 1});
  rig.call(1400s, PreemptJob{job, 2});
  rig.run();
  EXPECT_EQ(rig.row(job).attempts, 2);
  EXPECT_EQ(rig.row(job).status, policy::Primary::stopped);
  ASSERT_EQ(rig.record.preemptions.size(), 2U);
  EXPECT_FALSE(rig.record.preemptions[1].requeued);
}

TEST(Queues, OnlyWhoHasMachinesOfAQueueLosesThem) {
  QueueRig rig;
  rig.world.profiles.push_back(rig.profile());
  rig.world.profiles[1].terms = 0;
  rig.world.profiles.push_back(rig.profile());
  rig.world.profiles[2].terms = rig.terms({.queue = policy::QueueId{0}, .keeps_machines = true});
  const auto other = rig.job(2000s, 1, 0s, 1);
  const auto keeper = rig.job(2000s, 1, 0s, 2);
  const auto large = rig.job(1000s, 4);  // waits for both
  rig.call(100s, PreemptJob{other, 1});
  rig.call(100s, PreemptJob{keeper, 1});
  rig.call(100s, PreemptJob{large, 1});
  rig.run();
  EXPECT_EQ(rig.kinds(), (Kinds{ReplyKind::rejected, ReplyKind::rejected, ReplyKind::rejected}));
  EXPECT_TRUE(rig.record.preemptions.empty());
}

TEST(Queues, WhatPeopleChangeIsTold) {
  QueueRig rig;
  const auto job = rig.job(2000s);
  rig.world.quota_changes = {{.at = 50s, .share = {0}, .pool = {0}, .instances = 1}};
  rig.world.priority_changes = {{.at = 60s, .job = job, .priority = 7}};
  rig.call(700s, PreemptJob{job, 1});
  rig.run();
  std::vector<std::string> told;
  for (const auto& [delivered, what] : rig.seen) {
    if (const auto* quota = std::get_if<policy::QuotaChanged>(&what.fact)) {
      told.push_back(fmt::format("quota {}", quota->instances));
    } else if (const auto* priority = std::get_if<policy::PriorityChanged>(&what.fact)) {
      told.push_back(fmt::format("priority {}", priority->priority));
    } else if (const auto* news = std::get_if<policy::JobSubmitted>(&what.fact)) {
      told.push_back(fmt::format("submitted {}", news->description.priority));
    }
  }
  EXPECT_EQ(told,
            (std::vector<std::string>{"submitted 0", "quota 1", "priority 7", "submitted 7"}));
}

TEST(Queues, SayWhatTheyCannotStart) {
  QueueRig rig;
  rig.admission = Admission::held;
  rig.world.directory.environments = {{.name = "one", .instances = 3}};
  rig.world.directory.queues[0].environment = policy::EnvironmentId{0};
  rig.job(1000s, 3);
  const auto large = rig.job(1000s, 4);
  rig.run();
  std::vector<policy::QueueBlocked> told;
  for (const auto& [delivered, what] : rig.seen) {
    const auto* blocked = std::get_if<policy::QueueBlocked>(&what.fact);
    if (blocked != nullptr) told.push_back(*blocked);
  }
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].job, large);
  EXPECT_EQ(told[0].attempt, 1);
  EXPECT_EQ(told[0].queue, policy::QueueId{0});
  EXPECT_EQ(told[0].by, policy::Blockage::environment);
  ASSERT_EQ(rig.record.blockages.size(), 1U);
  EXPECT_EQ(rig.record.blockages[0].at, rig_start);
  EXPECT_EQ(rig.record.queue_blocks, 1U);
}

}  // namespace fleet_queues_test
}  // namespace reeve::models
