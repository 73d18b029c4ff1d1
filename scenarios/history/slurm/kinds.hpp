// The files of Slurm's accounting: a reader for each kind.
#pragma once

#include <string_view>

#include "scenarios/history/reading/reader.hpp"

namespace reeve::scenarios {

bool is_slurm(std::string_view head);
void read_slurm(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_slurm_json(std::string_view head);
void read_slurm_json(HistoryInput& input, const HistoryOptions& options, History& into);

inline constexpr HistoryReader slurm_reader{
    .name = "slurm",
    .what = "Slurm: the text of sacct with delimiters (-P, -p)",
    .one_file = "the output of sacct",
    .export_by =
        "TZ=UTC SLURM_TIME_FORMAT=%s sacct -aXDP -S now-90days --format=JobID,JobIDRaw,"
        "User,Account,Partition,State,ExitCode,Submit,Start,End,ElapsedRaw,TimelimitRaw,"
        "NNodes,ReqTRES,AllocTRES,Restarts,AdminComment > sacct.psv",
    .recognizes = is_slurm,
    .read = read_slurm,
};
inline constexpr HistoryReader slurm_json_reader{
    .name = "slurm-json",
    .what = "Slurm: sacct --json, 21.08 to 24.05",
    .one_file = "the output of sacct --json",
    .export_by = "TZ=UTC sacct -aXD -S now-90days --json > sacct.json",
    .recognizes = is_slurm_json,
    .read = read_slurm_json,
};

}  // namespace reeve::scenarios
