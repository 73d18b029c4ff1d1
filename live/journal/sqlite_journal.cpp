#include "live/journal/sqlite_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace reeve::live {
namespace {

/// "reeA": SQLite keeps it in the header of the file.
constexpr int application = 0x72656541;

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

}  // namespace

struct SqliteJournal::Files {
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

SqliteJournal::SqliteJournal(std::unique_ptr<Files> files) : files_{std::move(files)} {}

SqliteJournal::~SqliteJournal() = default;

Result<std::unique_ptr<ActionJournal>> SqliteJournal::open(const std::string& file, Access access) {
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
  std::unique_ptr<SqliteJournal> journal{new SqliteJournal{std::move(files)}};
  if (auto wrong = journal->prepare(access)) return Failure{file + ": " + *std::move(wrong)};
  return std::unique_ptr<ActionJournal>{std::move(journal)};
}

/// Why it cannot be used; nothing: it can.
std::optional<std::string> SqliteJournal::prepare(Access access) try {
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
    continue_after(static_cast<std::uint64_t>(sqlite3_column_int64(last.get(), 0)),
                   text_in(last.get(), 1));
  }
  return std::nullopt;
} catch (const JournalFailure& failure) {
  return failure.what();
}

void SqliteJournal::write(const Row& row) {
  const Statement insert =
      prepared(files_->base, "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  sqlite3_bind_int64(insert.get(), 1, static_cast<sqlite3_int64>(row.number));
  bind_text(insert.get(), 2, row.at);
  bind_text(insert.get(), 3, row.kind);
  bind_text(insert.get(), 4, row.action);
  bind_text(insert.get(), 5, row.body);
  bind_text(insert.get(), 6, row.hash);
  if (sqlite3_step(insert.get()) != SQLITE_DONE) throw JournalFailure{trouble(files_->base)};
}

void SqliteJournal::read(std::uint64_t after, const std::function<void(Row)>& take) {
  const Statement all = prepared(files_->base,
                                 "SELECT number, at, kind, action, body, hash FROM entries"
                                 " WHERE number > ?1 ORDER BY number");
  sqlite3_bind_int64(all.get(), 1, static_cast<sqlite3_int64>(after));
  for (;;) {
    const int step = sqlite3_step(all.get());
    if (step == SQLITE_DONE) return;
    if (step != SQLITE_ROW) throw JournalFailure{trouble(files_->base)};
    take({static_cast<std::uint64_t>(sqlite3_column_int64(all.get(), 0)), text_in(all.get(), 1),
          text_in(all.get(), 2), text_in(all.get(), 3), text_in(all.get(), 4),
          text_in(all.get(), 5)});
  }
}

}  // namespace reeve::live
