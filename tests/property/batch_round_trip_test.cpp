// Queues that are exported to AWS Batch, imported and exported again are the same, byte by byte: of
// random scenarios, and of each scenario of the project that has any.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/exchange/batch_import.hpp"
#include "scenarios/load.hpp"
#include "tests/property/drawn_text.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace batch_round_trip_test {

using scenarios::BatchSet;
using scenarios::SourceFile;

/// Environments, queues and shares, of each kind that AWS Batch has.
class RandomBatch : private DrawnText {
 public:
  explicit RandomBatch(std::uint64_t seed) : DrawnText{seed, 31} {}

  std::string text() {
    from_the_start();
    algorithm_ = pick({"fifo", "fair_share", "quota"});
    fleets_ = between(1, 4);
    std::string fleet;
    for (std::uint64_t each = 0; each < fleets_; ++each) {
      const std::uint64_t capacity = between(1, 200);
      fleet += Written{"{}{{ \"name\": \"{}\", \"instance_type\": \"{}\", \"capacity\": {} }}",
                       each == 0 ? "" : ", ", name(each), types[each], capacity}
                   .text;
    }
    const std::string queues = lines();
    return Written{
        "{{ \"reeve\": 1, \"name\": \"batch-{}\",\n"
        "\"prices\": {{ \"book\": \"aws-us-east-1\" }},\n\"fleet\": [ {} ],\n"
        "\"environments\": [ {} ],\n\"shares\": [ {} ],\n\"queues\": [ {} ],\n"
        "\"jobs\": [ {{ \"name\": \"j\", \"fleet\": \"{}\", \"work\": \"1h\" }}{} ],\n"
        "\"policies\": {{ \"p\": [ {{ \"rule\": \"schedule\", \"algorithm\": \"{}\"{} }} ] }} }}\n",
        seed_,
        fleet,
        environments_,
        shares_,
        queues,
        name(0),
        jobs_,
        algorithm_,
        knobs()}
        .text;
  }

 private:
  static constexpr std::string_view types[] = {"ml.p4d.24xlarge", "ml.p5.48xlarge",
                                               "ml.g5.48xlarge", "ml.trn1.32xlarge"};
  static std::string name(std::uint64_t fleet) {
    return std::string{"zyxw"}.substr(fleet, 1);  // their order is not that of the types' names
  }

  /// Instances of some fleets, of one at least.
  std::string counts(bool one_only = false) {
    std::string text;
    const std::uint64_t first = between(0, fleets_ - 1);
    for (std::uint64_t each = 0; each < fleets_; ++each) {
      const std::uint64_t fleet = (first + each) % fleets_;
      if (each > 0 && (one_only || chance(0.5))) continue;
      const std::uint64_t instances = between(0, 150);
      text += Written{"{}\"{}\": {}", text.empty() ? "" : ", ", name(fleet), instances}.text;
    }
    return "{ " + text + " }";
  }

  void environment(std::uint64_t number) {
    const bool of_types = algorithm_ == "quota";
    const bool pooled = !of_types && chance(0.7);
    std::string limits;
    if (!pooled) limits = Written{", \"limits\": {}", counts(!of_types)}.text;
    const std::uint64_t instances = between(1, 300);
    if (pooled) limits = Written{", \"instances\": {}", instances}.text;
    environments_ +=
        Written{"{}{{ \"name\": \"env_{}\"{} }}", number == 0 ? "" : ",\n", number, limits}.text;
  }

  /// A job of a share that the prefix stands for: AWS Batch does not know of it.
  void job_of(std::uint64_t number, std::uint64_t queue) {
    jobs_ +=
        Written{
            ",\n{{ \"name\": \"of-{}\", \"queue\": \"line-{}\", \"share\": \"p{}x{}\", "
            "\"work\": \"1h\" }}",
            number, queue, number, between(0, 9)}
            .text;
  }

  std::string share(std::uint64_t number, std::uint64_t queue) {
    const bool prefix = algorithm_ == "fair_share" && chance(0.3);
    const std::string called = prefix ? Written{"p{}x*", number}.text : Written{"s{}", number}.text;
    if (prefix && chance(0.5)) job_of(number, queue);
    std::string keys;
    if (algorithm_ == "quota") {
      keys = Written{", \"quota\": {}, \"sharing\": \"{}\", \"in_share_preemption\": {}", counts(),
                     pick({"reserve", "lend", "lend_and_borrow"}), chance(0.5) ? "true" : "false"}
                 .text;
      if (chance(0.5)) {
        keys += Written{", \"borrow_limit_pct\": {}", between(0, 500)}.text;
      }
    } else if (chance(0.7)) {
      keys = Written{", \"weight\": {}", static_cast<double>(between(1, 9'999'999)) / 10'000}.text;
    }
    shares_ +=
        Written{"{}{{ \"name\": \"{}\"{} }}", shares_.empty() ? "" : ",\n", called, keys}.text;
    return called;
  }

  std::string lines() {
    const std::uint64_t count = between(1, 3);
    // Without an environment a queue has the fleets together, which AWS Batch counts as one type.
    const bool alone = count == 1 && (fleets_ == 1 || algorithm_ == "quota") && chance(0.3);
    const bool shared = algorithm_ != "quota" && chance(0.3);
    std::string queues;
    std::uint64_t shares = 0;
    for (std::uint64_t each = 0; each < count; ++each) {
      if (!alone && (each == 0 || !shared)) environment(each);
      std::string keys;
      if (!alone) keys = Written{", \"environment\": \"env_{}\"", shared ? 0 : each}.text;
      if (chance(0.5)) keys += Written{", \"priority\": {}", between(0, 1'000'000)}.text;
      if (chance(0.3)) {
        keys += Written{", \"runnable_limit\": \"{}s\"", between(600, 86'400)}.text;
      }
      std::string names;
      const std::uint64_t most = algorithm_ == "fifo" ? 0 : between(1, 5);
      for (std::uint64_t each_share = 0; each_share < most; ++each_share) {
        names += Written{"{}\"{}\"", names.empty() ? "" : ", ", share(shares++, each)}.text;
      }
      if (!names.empty()) keys += ", \"shares\": [" + names + "]";
      queues += Written{"{}{{ \"name\": \"line-{}\", \"fleet\": \"{}\"{} }}",
                        each == 0 ? "" : ",\n", each, name(0), keys}
                    .text;
    }
    return queues;
  }

  std::string knobs() {
    if (algorithm_ == "quota" && chance(0.3)) {
      return ", \"override\": { \"in_share_preemption\": false }";
    }
    if (algorithm_ != "fair_share") return "";
    const std::uint64_t decay = chance(0.2) ? 0 : between(1, 604'800);
    const std::uint64_t reserved = between(0, 99);
    return Written{", \"share_decay\": \"{}s\", \"compute_reservation\": {}", decay, reserved}.text;
  }

  std::string_view algorithm_;
  std::uint64_t fleets_ = 1;
  std::string environments_, shares_, jobs_;
};

std::string template_of(const BatchSet& set, const std::string& scenario) {
  return scenarios::cloudformation_text(set, "AWS Batch queues of the scenario " + scenario);
}

/// All inputs, one after the other.
std::vector<std::string> inputs_of(const BatchSet& set) {
  std::vector<std::string> texts;
  for (const auto& call : scenarios::batch_calls(set, {"us-east-1", "123456789012"})) {
    texts.push_back(call.text);
  }
  return texts;
}

scenarios::BatchImport read(const std::vector<std::string>& texts) {
  std::vector<std::shared_ptr<const SourceFile>> files;
  for (const std::string& text : texts) files.push_back(SourceFile::from_text("export", text));
  return scenarios::read_batch(files);
}

/// What is imported as a scenario and exported again.
BatchSet again(const scenarios::BatchImport& imported, const std::string& name) {
  const std::string text = scenarios::scenario_text(imported.set, {name, "ml.p4d.24xlarge", ""});
  const auto file = SourceFile::from_text("again.jsonc", text);
  const auto loaded = scenarios::load(file, ".");
  return scenarios::batch_of(loaded.scenario, loaded.scenario.policies.front(), file).set;
}

void expect_same(const BatchSet& set, const std::string& name) {
  const std::string exported = template_of(set, name);
  const auto imported = read({exported});
  EXPECT_EQ(imported.scenario, name);
  EXPECT_EQ(exported, template_of(again(imported, imported.scenario), name));
  const auto inputs = inputs_of(set);
  EXPECT_EQ(inputs, inputs_of(again(read(inputs), name)));
}

class BatchRoundTrip : public EachSeed {};

TEST_F(BatchRoundTrip, RandomQueuesComeBackAsTheyWere) {
  each_seed([](std::uint64_t seed) {
    const std::string text = RandomBatch{seed}.text();
    SCOPED_TRACE(text);
    try {
      const auto file = SourceFile::from_text("random.jsonc", text);
      const auto loaded = scenarios::load(file, ".");
      const auto& scenario = loaded.scenario;
      const auto exported = scenarios::batch_of(scenario, scenario.policies.front(), file);
      expect_same(exported.set, scenario.name);
    } catch (const scenarios::InputError& error) {
      FAIL() << error.what();
    }
  });
}

TEST(BatchExamples, ComeBackAsTheyWere) {
  namespace fs = std::filesystem;
  const fs::path root{REEVE_SOURCE_DIR};
  int exported = 0;
  for (const fs::path& folder :
       {root / "tests" / "rules", root / "tests" / "scenarios", root / "scenarios" / "gallery"}) {
    for (const auto& entry : fs::recursive_directory_iterator{folder}) {
      if (entry.path().extension() != ".jsonc") continue;
      std::optional<scenarios::Loaded> loaded;
      try {
        loaded = scenarios::load(entry.path());
      } catch (const scenarios::InputError&) {
        continue;  // what is wrong with it is another test's
      }
      if (loaded->scenario.world.directory.queues.empty()) continue;
      for (const auto& policy : loaded->scenario.policies) {
        std::optional<BatchSet> set;
        try {
          set = scenarios::batch_of(loaded->scenario, policy).set;
        } catch (const scenarios::InputError&) {
          continue;  // AWS Batch has not its like
        }
        SCOPED_TRACE(entry.path().filename().string() + ", policy " + policy.name);
        try {
          expect_same(*set, loaded->scenario.name);
        } catch (const scenarios::InputError& error) {
          FAIL() << error.what();
        }
        ++exported;
      }
    }
  }
  EXPECT_GE(exported, 20);
}

}  // namespace batch_round_trip_test
}  // namespace reeve::tests
