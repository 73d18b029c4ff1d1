// What is said of compressed files, CSV and its columns.
#include <array>

#include "scenarios/text/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array csv_rows = std::to_array<ErrorCode>({
    {"E0302", "a trace cannot be read", "The file ended badly or memory ran out.", "a broken disk",
     "another copy of the file"},
    {"E0303", "damaged gzip data", "The check sums do not match.", "a bad download",
     "another copy of the file"},
    {"E0304", "gzip data that ends too early", "The file was cut off.", "half a download",
     "the whole file"},
    {"E0305", "not gzip although named .gz", "The name says how it is read.", "plain.csv.gz",
     "plain.csv"},
    {"E0306", "too long when unpacked", "A small file can unpack to a huge one.", "a gzip bomb",
     "a trace of less than 8 GiB"},
    {"E0307", "too long a line", "A record of a trace has at most 1 MiB; a quote may be open.",
     "\"unclosed", "\"closed\""},
    {"E0308", "a NUL byte in a trace", "The file is not text.", "a binary file", "a CSV file"},
    {"E0309", "a trace that is not UTF-8", "Traces are UTF-8.", "Latin-1", "UTF-8"},
    {"E0310", "text behind a closing quote", "A quote inside a quoted field is written twice.",
     "\"a\"b\",", "\"a\"\"b\","},
    {"E0311", "a quote that is never closed", "It would swallow the rest of the file.", "\"alice",
     "\"alice\""},
    {"E0312", "a row of another length", "Each row has as many fields as the header.", "a,b,c",
     "\"a,b\",c"},
    {"E0320", "a trace that holds nothing", "A run that examined nothing proves nothing.",
     "a header only", "a header and rows"},
    {"E0321", "a column is missing",
     "The header lacks a column that the format needs, or there is no header: the message names "
     "it. A canonical trace of jobs has all of its columns, even empty ones.",
     "id,submit_s", "job_id,submit_s,..."},
    {"E0322", "a column stands twice", "Which one is meant?", "job_id,job_id", "job_id,submit_s"},
    {"W0301", "an unknown column", "It is read past.", "jobid", "job_id"},
});

}  // namespace

std::span<const ErrorCode> csv_errors() {
  return csv_rows;
}

}  // namespace reeve::scenarios
