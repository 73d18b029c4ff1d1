#!/usr/bin/env bash
# A sweep of 2,000 cells on a Slurm of two nodes on this machine, while a worker, a node and the
# controller are killed once each: its tables have the bytes of one machine. `./setup judges` runs
# it.  Needs no root: Slurm gets its own munged, key and ports.
source "$(dirname "$0")/../cli/expect.bash"
# Debian has the daemons in /usr/sbin.
PATH=$PATH:/usr/sbin:/sbin

home=$PWD/slurm
mkdir -p "$home"/{state,n1,n2,run}
daemons=()
# steps NODE: the processes of Slurm that watch a batch script there; they log as the node does.
steps() {
  local process
  for process in $(pgrep slurmstepd); do
    find "/proc/$process/fd" -lname "$home/slurmd.$1.log" 2>/dev/null | grep -q . && echo "$process"
  done
  return 0
}
stop_all() {
  kill -9 "${daemons[@]}" $(steps n1) $(steps n2) 2>/dev/null || true
}
trap stop_all EXIT

# A port P such that P to P+3 are free.
port=$(python3 -c 'import socket
for base in range(21001, 60000, 7):
    try:
        for port in range(base, base + 4):
            with socket.socket() as s:
                s.bind(("127.0.0.1", port))
        print(base)
        break
    except OSError:
        pass')

dd if=/dev/urandom of="$home/munge.key" bs=1 count=1024 status=none
chmod 400 "$home/munge.key"
chmod 700 "$home"
munged --foreground --key-file="$home/munge.key" --socket="$home/munge.socket" \
  --pid-file="$home/munged.pid" --seed-file="$home/munged.seed" --log-file="$home/munged.log" \
  --force >/dev/null 2>&1 &
daemons+=($!)
cpus=$(nproc)
cat >"$home/slurm.conf" <<CONF
ClusterName=reeve
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$home/munge.socket,cred_expire=5
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=10
RequeueExit=137,143
MaxArraySize=2001
StateSaveLocation=$home/state
SlurmctldPidFile=$home/run/slurmctld.pid
SlurmdPidFile=$home/run/slurmd.%n.pid
SlurmdSpoolDir=$home/%n
SlurmctldLogFile=$home/slurmctld.log
SlurmdLogFile=$home/slurmd.%n.log
NodeName=DEFAULT CPUs=$cpus RealMemory=2000
NodeName=n[1-2] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 2))]
PartitionName=all Nodes=n[1-2] Default=YES State=UP
CONF
export SLURM_CONF=$home/slurm.conf

controller() {
  slurmctld -D >/dev/null 2>&1 &
  controller=$!
  daemons+=($!)
}
node() { # NAME
  slurmd -D -N "$1" >/dev/null 2>&1 &
  nodes[${1#n}]=$!
  daemons+=($!)
}
nodes=()
controller
node n1
node n2
for _ in $(seq 100); do
  [ "$(sinfo --noheader --format=%T 2>/dev/null | head -n 1)" = idle ] && break
  sleep 0.2
done
[ "$(sinfo --noheader --format=%D 2>/dev/null)" = 2 ] || fail "Slurm does not start: $(sinfo 2>&1)"

# --- 2,000 cells and the file, in 40 parts.
run 0 init drawn-stalls
file=drawn-stalls.jsonc
seconds=$(seq -s, 61 2 460 | sed 's/,/s,/g')s # 200 values
graces=1s,5s,10s,20s,30s,40s,60s,80s,100s,120s
sweep=(--set "platform.startup=$seconds" --set "platform.stop_grace=$graces"
  -p none,alarm --runs 60)
run 0 -q sweep "$file" "${sweep[@]}" -o one --threads 2
cp stdout one.txt
run 0 -q sweep plan "$file" "${sweep[@]}" -o many --shards 40

"$REEVE" sweep slurm many >many.txt 2>many.err &
driver=$!
# wait_for N: until N cells are done.
wait_for() {
  for _ in $(seq 600); do
    [ "$(find many/cells -name '*.json' 2>/dev/null | wc -l)" -ge "$1" ] && return
    kill -0 $driver 2>/dev/null || return 0
    sleep 0.1
  done
  fail "only $(find many/cells -name '*.json' | wc -l) of $1 cells: $(cat many.err) $(squeue)"
}
wait_for 100
for try in $(seq 1200); do # Slurm may start the next workers late
  pkill -9 -f -n "sweep shard $PWD/many" && break
  sleep 0.05
  [ "$try" -lt 1200 ] || fail "no worker to kill"
done
wait_for 400
kill -9 "${nodes[2]}" $(steps n2) || true # a step may have ended by itself
sleep 3
node n2
wait_for 900
kill -9 "$controller"
sleep 3
controller
wait "$driver" || fail "the driver ends with $?: $(tail -n 5 many.err)"
for table in cells.csv sweep.csv effects.csv datapackage.json; do
  cmp -s "one/$table" "many/$table" || fail "$table differs from that of one machine"
  checks=$((checks + 1))
done
cmp -s one.txt many.txt || fail "the printed tables differ"
[ "$(find many/cells -name '*.json' | wc -l)" -eq 2001 ] || fail "cells are lost"
grep -c '^job ' many.err | sed 's/^/submissions: /'
done_checking
