// Queues as AWS Batch describes them, and a scenario to start from that has them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scenarios/exchange/batch.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {

/// What some files say of queues.
struct BatchImport {
  BatchSet set = {};
  std::string scenario = {};  ///< whose template it is (`reeve export batch`); empty: not said
  std::vector<Diagnostic> warnings = {};
};

/// Reads answers of `aws batch describe-...` and `list-quota-shares`, inputs of `aws batch
/// create-...`, and CloudFormation templates, all in JSON: of `queues`, or of all.  Throws
/// InputError: of JSON and values; E0335 a page is missing; E0351, E0353 what AWS Batch itself
/// refuses; E0355 ... E0359.  Warnings: W0581.
BatchImport read_batch(std::span<const std::shared_ptr<const SourceFile>> files,
                       std::span<const std::string> queues = {});

/// What a scenario needs and AWS Batch does not say.
struct BatchFrame {
  std::string name;           ///< of the scenario
  std::string instance_type;  ///< that NUM_INSTANCES counts
  std::string jobs = {};      ///< a trace, as the scenario names it; empty: a job for each line
  bool by_nodes = false;      ///< its column with the sizes: `nodes`, else `gpus_total`
};

/// Whether a limit counts instances of whatever type, so that the frame's is requested.
bool counts_all_types(const BatchSet& set);

/// A scenario with these queues, one policy, and what must be filled in marked as such.
std::string scenario_text(const BatchSet& set, const BatchFrame& frame);

}  // namespace reeve::scenarios
