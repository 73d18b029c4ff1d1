#include "live/journal/action_journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "live/aws/sigv4.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::live {
namespace {

constexpr std::array<std::string_view, 5> kind_names{"planned", "sent", "settled", "held",
                                                     "answered"};

std::string first_head() {
  return std::string(64, '0');
}

/// Different entries have different encodings: each text with its length.
std::string hash_of(const std::string& before, std::uint64_t number, std::string_view at,
                    std::string_view kind, const std::string& action, const std::string& body) {
  return sha256_hex(fmt::format("{}\n{}\n{}\n{}\n{}:{}\n{}:{}", before, number, at, kind,
                                action.size(), action, body.size(), body));
}

}  // namespace

std::string_view name_of(JournalKind kind) {
  return kind_names.at(static_cast<std::size_t>(kind));
}

ActionJournal::ActionJournal() : head_{first_head()} {}

void ActionJournal::continue_after(std::uint64_t number, std::string hash) {
  last_ = number;
  head_ = std::move(hash);
}

void ActionJournal::append(policy::Instant at, JournalKind kind, const std::string& action,
                           const std::string& body) {
  Row row{last_ + 1, iso_date(at), std::string{name_of(kind)}, action, body, {}};
  row.hash = hash_of(head_, row.number, row.at, row.kind, row.action, row.body);
  write(row);
  continue_after(row.number, std::move(row.hash));
}

std::optional<BrokenChain> ActionJournal::for_each(const Take& take) {
  continue_after(0, first_head());
  return for_each_new(take);
}

std::optional<BrokenChain> ActionJournal::for_each_new(const Take& take) {
  std::optional<BrokenChain> broken;
  read(last_, [&](Row row) {
    const auto at = parse_iso_date(row.at);
    const auto* known = std::find(kind_names.begin(), kind_names.end(), row.kind);
    if (!at || known == kind_names.end()) {
      throw JournalFailure{fmt::format("entry {} is damaged", row.number)};
    }
    if (!broken && row.number != last_ + 1) broken = {last_ + 1, "it is missing"};
    const std::string hash = hash_of(head_, row.number, row.at, row.kind, row.action, row.body);
    if (!broken && hash != row.hash) broken = {row.number, "its hash differs"};
    continue_after(row.number, row.hash);
    take({row.number, *at, static_cast<JournalKind>(known - kind_names.begin()),
          std::move(row.action), std::move(row.body), std::move(row.hash)});
  });
  return broken;
}

}  // namespace reeve::live
