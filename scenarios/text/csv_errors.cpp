// What is said of compressed files, CSV and its columns.
#include <array>

#include "scenarios/text/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array csv_rows = std::to_array<ErrorCode>({
    {"E0301", "a file of another program",
     "reeve recognizes the file by its first lines. The message says what it is, and which command "
     "reads it or what to record instead.",
     "\"trace\": \"sacct.txt\"", "reeve import slurm sacct.txt -o jobs.csv"},
    {"E0302", "a trace cannot be read", "Reading ended with an error, or memory ran out.",
     "a broken disk", "another copy of the file"},
    {"E0303", "damaged gzip data", "The checksums do not match.", "a bad download",
     "another copy of the file"},
    {"E0304", "gzip data that ends too early", "The file was truncated.", "an incomplete download",
     "the whole file"},
    {"E0305", "not gzip although named .gz", "The file name decides how reeve reads it.",
     "plain.csv.gz", "plain.csv"},
    {"E0306", "too large when unpacked",
     "A small file can unpack to a huge one. reeve refuses more than 8 GiB of text, and beyond 64 "
     "MiB more than 500 times the size of the gzip file.",
     "a gzip bomb", "a trace of less than 8 GiB"},
    {"E0307", "a line that is too long",
     "A record of a trace has at most 1 MiB, and a run of blank lines as many lines. A quote may "
     "be "
     "unclosed.",
     "\"unclosed", "\"closed\""},
    {"E0308", "a NUL byte in a trace", "The file is not text.", "a binary file", "a CSV file"},
    {"E0309", "a trace that is not UTF-8", "Traces are UTF-8.", "Latin-1", "UTF-8"},
    {"E0310", "text after a closing quote", "Write a quote inside a quoted field twice.",
     "\"a\"b\",", "\"a\"\"b\","},
    {"E0311", "a quote that is not closed", "It would include the rest of the file.", "\"alice",
     "\"alice\""},
    {"E0312", "a row with the wrong number of fields",
     "Each row must have as many fields as the header.", "a,b,c", "\"a,b\",c"},
    {"E0320", "an empty trace", "The trace has no data for the run.", "a header only",
     "a header and rows"},
    {"E0321", "a column is missing",
     "The header lacks required columns, which the message names, or there is no header. `columns` "
     "of a workload and `reeve import csv --columns` map the names of a file to those of reeve.",
     "JobID,Submit,Elapsed",
     "job_id,submit_s,duration_s, or \"columns\": { \"job_id\": \"JobID\", ... }"},
    {"E0322", "a duplicate column", "Each column may appear once.", "job_id,job_id",
     "job_id,submit_s"},
    {"W0301", "an unknown column", "reeve ignores the column.", "jobid", "job_id"},
});

}  // namespace

std::span<const ErrorCode> csv_errors() {
  return csv_rows;
}

}  // namespace reeve::scenarios
