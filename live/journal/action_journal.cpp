#include "live/journal/action_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "live/aws/sigv4.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::live {
namespace {

using policy::Instant;

constexpr std::array<std::string_view, 5> kind_names{"planned", "sent", "settled", "held",
                                                     "answered"};
/// "reeA": SQLite keeps it in the header of the file.
constexpr int application = 0x72656541;

std::string first_head() {
  return std::string(64, '0');
}

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

std::string trouble(sqlite3* base) {
  return sqlite3_errmsg(base);
}

Statement prepared(sqlite3* base, std::string_view text) {
  sqlite3_stmt* statement = nullptr;
  const int length = static_cast<int>(text.size());
  if (sqlite3_prepare_v2(base, text.data(), length, &statement, nullptr) != SQLITE_OK) {
    throw JournalFailure{trouble(base)};
  }
  return Statement{statement};
}

void run(sqlite3* base, const char* text) {
  if (sqlite3_exec(base, text, nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw JournalFailure{trouble(base)};
  }
}

void bind_text(sqlite3_stmt* statement, int place, const std::string& text) {
  sqlite3_bind_text(statement, place, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

std::string text_in(sqlite3_stmt* statement, int column) {
  const void* text = sqlite3_column_blob(statement, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
  return text == nullptr ? std::string{} : std::string{static_cast<const char*>(text), size};
}

std::int64_t number_of(sqlite3* base, std::string_view text) {
  const Statement statement = prepared(base, text);
  if (sqlite3_step(statement.get()) != SQLITE_ROW) throw JournalFailure{trouble(base)};
  return sqlite3_column_int64(statement.get(), 0);
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

struct ActionJournal::Files {
  sqlite3* base = nullptr;
  int lock = -1;

  Files() = default;
  ~Files() {
    sqlite3_close(base);
    if (lock >= 0) close(lock);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
};

ActionJournal::ActionJournal(std::unique_ptr<Files> files)
    : files_{std::move(files)}, head_{first_head()} {}

ActionJournal::~ActionJournal() = default;

Result<std::unique_ptr<ActionJournal>> ActionJournal::open(const std::string& file, Access access) {
  auto files = std::make_unique<Files>();
  if (access == Access::write) {
    const std::string lock = file + ".lock";
    files->lock = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (files->lock < 0) return Failure{lock + " cannot be written: " + std::strerror(errno)};
    if (flock(files->lock, LOCK_EX | LOCK_NB) != 0) {
      return Failure{"another reeve acts with the journal " + file};
    }
  }
  const int flags = access == Access::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                            : SQLITE_OPEN_READWRITE;  // WAL needs its index file
  if (sqlite3_open_v2(file.c_str(), &files->base, flags, nullptr) != SQLITE_OK) {
    return Failure{file + " cannot be opened: " + trouble(files->base)};
  }
  std::unique_ptr<ActionJournal> journal{new ActionJournal{std::move(files)}};
  if (auto wrong = journal->prepare(access)) return Failure{file + ": " + *std::move(wrong)};
  return journal;
}

/// Why it cannot be used; nothing: it can.
std::optional<std::string> ActionJournal::prepare(Access access) try {
  sqlite3* base = files_->base;
  sqlite3_busy_timeout(base, 2'000);
  const bool is_new = number_of(base, "SELECT count(*) FROM sqlite_master") == 0;
  if (is_new ? access == Access::read : number_of(base, "PRAGMA application_id") != application) {
    return "it is no journal of actions";
  }
  if (access == Access::read) return std::nullopt;
  run(base, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;");
  if (is_new) {
    run(base, fmt::format("BEGIN; PRAGMA application_id={};"
                          "CREATE TABLE entries(number INTEGER PRIMARY KEY, at TEXT NOT NULL,"
                          " kind TEXT NOT NULL, action TEXT NOT NULL, body TEXT NOT NULL,"
                          " hash TEXT NOT NULL); COMMIT;",
                          application)
                  .c_str());
  }
  const Statement last =
      prepared(base, "SELECT number, hash FROM entries ORDER BY number DESC LIMIT 1");
  if (sqlite3_step(last.get()) == SQLITE_ROW) {
    last_ = static_cast<std::uint64_t>(sqlite3_column_int64(last.get(), 0));
    head_ = text_in(last.get(), 1);
  }
  return std::nullopt;
} catch (const JournalFailure& failure) {
  return failure.what();
}

void ActionJournal::append(Instant at, JournalKind kind, const std::string& action,
                           const std::string& body) {
  const std::string when = iso_date(at);
  const std::string word{name_of(kind)};
  std::string hash = hash_of(head_, last_ + 1, when, word, action, body);
  const Statement insert =
      prepared(files_->base, "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  sqlite3_bind_int64(insert.get(), 1, static_cast<sqlite3_int64>(last_ + 1));
  bind_text(insert.get(), 2, when);
  bind_text(insert.get(), 3, word);
  bind_text(insert.get(), 4, action);
  bind_text(insert.get(), 5, body);
  bind_text(insert.get(), 6, hash);
  if (sqlite3_step(insert.get()) != SQLITE_DONE) throw JournalFailure{trouble(files_->base)};
  ++last_;
  head_ = std::move(hash);
}

std::optional<BrokenChain> ActionJournal::for_each(
    const std::function<void(const JournalEntry&)>& take) const {
  const Statement all = prepared(
      files_->base, "SELECT number, at, kind, action, body, hash FROM entries ORDER BY number");
  std::optional<BrokenChain> broken;
  std::string head = first_head();
  std::uint64_t last = 0;
  for (;;) {
    const int step = sqlite3_step(all.get());
    if (step == SQLITE_DONE) return broken;
    if (step != SQLITE_ROW) throw JournalFailure{trouble(files_->base)};
    JournalEntry entry;
    entry.number = static_cast<std::uint64_t>(sqlite3_column_int64(all.get(), 0));
    const std::string when = text_in(all.get(), 1);
    const auto at = parse_iso_date(when);
    const std::string kind = text_in(all.get(), 2);
    const auto* known = std::find(kind_names.begin(), kind_names.end(), kind);
    if (!at || known == kind_names.end()) {
      throw JournalFailure{fmt::format("entry {} is damaged", entry.number)};
    }
    entry.at = *at;
    entry.kind = static_cast<JournalKind>(known - kind_names.begin());
    entry.action = text_in(all.get(), 3);
    entry.body = text_in(all.get(), 4);
    entry.hash = text_in(all.get(), 5);
    if (!broken && entry.number != last + 1) broken = {last + 1, "it is missing"};
    const std::string hash = hash_of(head, entry.number, when, kind, entry.action, entry.body);
    if (!broken && hash != entry.hash) broken = {entry.number, "its hash differs"};
    last = entry.number;
    head = entry.hash;
    take(entry);
  }
}

}  // namespace reeve::live
