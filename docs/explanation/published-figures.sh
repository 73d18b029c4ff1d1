# Recomputes the figures of published-figures.md: data=FOLDER sh published-figures.sh. `reeve` must
# be on the PATH.  Scenarios and results are written to the current directory.
: "${data:?set data to the folder with the traces}"

scenario() {
  name=$1 gpus=$2 work=$3 policies=
  shift 3
  for rule; do
    algorithm=${rule%%,*}
    options="\"rule\": \"schedule\", \"algorithm\": \"$algorithm\"${rule#"$algorithm"}"
    policies="$policies${policies:+, }\"$algorithm\": [ { $options } ]"
  done
  cat > "$name.jsonc" <<END
{ "reeve": 1, "name": "$name",
  "clock": { "start": "2020-01-01T00:00:00Z", "horizon": "until_done" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 1, "gpus": 1 } } },
  "fleet": [ { "name": "gpus", "instance_type": "gpu", "capacity": $gpus, "market": "reserved",
               "commitment": { "usd_per_hour": 1 } } ],
  "platform": { "model": "ideal" },
  "queues": [ { "name": "main" } ],
  $work,
  "policies": { $policies } }
END
}
trace() {
  echo "\"workload\": { \"trace\": \"$1\", \"instances_from\": \"gpus_total\","
  echo "  \"estimates_from\": \"duration_s\", \"end_status\": \"ignore\","
  echo "  \"queue\": \"main\", \"checkpoint\": { \"every\": \"1s\" } }"
}
figures() {
  name=$1
  shift
  reeve run "$name.jsonc" -o "$name" > "$name.txt"
  for metric; do grep ",$metric," "$name/metrics.csv"; done
}

# PAI-like
gzip -cdf "$data"/pai_like_20k/jobs.csv* | awk -F, '
  NR == 1 { print "job_id,submit_s,gpus_total,duration_s,weight" }
  NR > 1 { print $1 "," $2 "," $4 * $6 "," $3 "," $6 }' > pai.csv
scenario pai 650000 "$(trace pai.csv)" \
  'fifo, "backfill": "any_fit"' 'sjf, "backfill": "any_fit"'
figures pai weighted_mean_time_to_result_s weighted_mean_wait_s

# Tiresias-60
gzip -cdf "$data"/jobs_tiresias/60_job.csv* | awk -F, '
  NR == 1 { print "job_id,submit_s,gpus_total,duration_s" }
  NR > 1 { print $1 "," $3 "," $2 "," $6 }' > tiresias.csv
scenario tiresias 16 "$(trace tiresias.csv)" 'fifo'
figures tiresias mean_time_to_result_s makespan
scenario tiresias-fit 16 "$(trace tiresias.csv)" 'fifo, "backfill": "any_fit"'
figures tiresias-fit mean_time_to_result_s makespan

lengths=$(awk -F, 'NR > 1 { printf "%s%d", (NR > 2 ? ", " : ""), $3 * $4 }' tiresias.csv)
gittins="gittins, \"gittins_lengths\": [$lengths]"
scenario tiresias-preempting 16 "$(trace tiresias.csv)" srtf las "$gittins"
figures tiresias-preempting mean_time_to_result_s
scenario tiresias-exact 16 "$(trace tiresias.csv | sed 's/"1s"/"1us"/')" "$gittins"
figures tiresias-exact mean_time_to_result_s

# Muri testbed
gzip -cdf "$data"/jobs_muri/cluster_exp/trace-data/cluster_trace.csv* | awk -F, '
  NR == 1 { print "job_id,submit_s,gpus_total,duration_s" }
  NR > 1 { print $1 "," $3 / 1000 "," $2 "," $7 / 1000 }' > muri.csv
scenario muri 64 "$(trace muri.csv)" srtf srsf las themis
figures muri mean_time_to_result_s makespan p99_time_to_result_s

# Shockwave-120
gzip -cdf "$data"/jobs_shockwave/120_*.trace* | awk -F '\t' '
  NR == 1 { print "job_id,submit_s,gpus_total,duration_s" }
  { print "j" NR "," $NF "," $(NF - 5) "," $(NF - 1) }' > shockwave.csv
scenario shockwave 32 "$(trace shockwave.csv)" 'gavel, "round": "120s"'
figures shockwave mean_time_to_result_s makespan

# ElasticFlow-100
results="$data"/jobs_ms_itp_elasticflow/expected_fig10/figure10/dlas-gpu
jobs=$(gzip -cdf "$results"/job.csv* | awk -F, '
  NR > 1 {
    printf "%s{ \"name\": \"%s\", \"queue\": \"main\", ", (NR > 2 ? ", " : ""), $2
    printf "\"submit\": \"%ss\", \"deadline\": \"%ss\", ", $4, $7 - $4
    printf "\"instances\": %s, \"work\": \"%ss\", ", $3, $8
    printf "\"checkpoint\": { \"every\": \"1s\" } }\n"
  }')
scenario elasticflow 128 "\"jobs\": [ $jobs ]" las themis
figures elasticflow mean_time_to_result_s makespan deadlines_missed

# openb
openb="$data"/jobs_alibaba_openb_2023
rules=random_fit,dot_product,gpu_clustering,gpu_packing,best_fit,fgd
for pods in default gpuspec33 gpushare100 multigpu20 multigpu50; do
  reeve pack "$openb"/openb_node_list_gpu_node.csv* "$openb"/openb_pod_list_$pods.csv* \
    --rule $rules
done
gzip -cdf "$openb"/openb_node_list_gpu_node.csv* | awk '
  NR == 1 { print }
  NR > 1 { line[NR] = $0 }
  END { for (at = NR; at > 1; --at) print line[at] }' > reversed.csv
reeve pack reversed.csv "$openb"/openb_pod_list_default.csv* --rule $rules
