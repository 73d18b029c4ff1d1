// The readers behind job_importers(), one for each kind of log; their jobs are in file order.
#pragma once

#include <utility>
#include <vector>

#include "scenarios/exchange/job_import.hpp"

namespace reeve::scenarios {

/// Jobs by the date of their submission, as submissions since the first of them.
ImportedJobs from_dates(std::vector<std::pair<policy::Instant, ImportedJob>> dated);

ImportedJobs read_ms_itp(std::string name, std::unique_ptr<std::istream> input);
ImportedJobs read_philly_jobs(std::string name, std::unique_ptr<std::istream> input);
ImportedJobs read_philly_attempts(std::string name, std::unique_ptr<std::istream> input);
ImportedJobs read_philly_log(std::string name, std::unique_ptr<std::istream> input);
ImportedJobs read_helios(std::string name, std::unique_ptr<std::istream> input);
ImportedJobs read_acme(std::string name, std::unique_ptr<std::istream> input);
ImportedJobs read_openb(std::string name, std::unique_ptr<std::istream> input);
ImportedJobs read_swf(std::string name, std::unique_ptr<std::istream> input);

}  // namespace reeve::scenarios
