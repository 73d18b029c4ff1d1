#include "report/run_names.hpp"

#include "host/check.hpp"
#include "models/invoice.hpp"
#include "models/ledger.hpp"
#include "report/json_text.hpp"

namespace reeve::report {

std::string run_id(const RunInfo& info) {
  return info.policy + '/' + std::to_string(info.replication);
}

RunNames::RunNames(const RunRows& run) : run_{run}, id_{run_id(run.info)} {
  for (const auto& tags : run.world.directory.tag_sets) {
    auto object = nlohmann::ordered_json::object();
    for (const policy::Tag& tag : tags) object[tag.first] = tag.second;
    tags_json_.push_back(json_text(object));
  }
}

std::vector<policy::Usd> line_costs(const RunNames& names) {
  const models::Record& record = names.rows().record;
  std::vector<policy::Usd> costs;
  if (record.ledger_lines.empty()) return costs;
  models::LineRounding rounding{record.ledger.uses()};
  for (const models::LedgerLine& line : record.ledger_lines) {
    costs.push_back(rounding.next(line.use, line.amount));
  }
  REEVE_CHECK(rounding.complete(), "ledger lines of", names.run(), "do not sum to its bill");
  return costs;
}

}  // namespace reeve::report
