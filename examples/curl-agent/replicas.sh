# shellcheck shell=sh
# The replicas of agent.sh: a process for each, with what it starts itself.

# start_replicas DEPLOYMENT GENERATION COUNT: those that are missing, the lowest numbers first
start_replicas() {
  number=0
  mkdir -p "$work/deployments/$1/replicas"
  while [ "$number" -lt "$3" ]; do
    pid_file=$work/deployments/$1/replicas/$number
    first_line "$pid_file"
    if [ -e "$work/deployments/$1/completed/$number" ]; then
      : # until a deploy or a restart
    elif [ -z "$line" ] || ! kill -0 "$line" 2>/dev/null; then
      DEPLOYMENT_ID=$1 GENERATION=$2 REPLICA_INDEX=$number sh -c "exec $program" </dev/null >/dev/null 2>&1 &
      printf '%s\n' $! >"$pid_file"
    fi
    number=$((number + 1))
  done
}

# family_of PID...: these processes, and those that they have started, directly or not
family_of() {
  if [ $# -eq 0 ]; then return; fi
  ps -A -o pid= -o ppid= | awk -v wanted="$*" '
    BEGIN { count = split(wanted, family, " "); for (i = 1; i <= count; i++) known[family[i]] = 1 }
    { parent[$1] = $2 }
    END {
      do {
        found = 0
        for (pid in parent) if (parent[pid] in known && !(pid in known)) { known[pid] = 1; family[++count] = pid; found = 1 }
      } while (found)
      for (i = 1; i <= count; i++) print family[i]
    }'
}

# replace_each DEPLOYMENT GENERATION COUNT: one after another; without readiness, a replica that has started is ready
replace_each() {
  turn=0
  while [ "$turn" -lt "$3" ]; do
    end_replicas "$1" "$turn" '' "$turn"
    start_replicas "$1" "$2" "$3"
    turn=$((turn + 1))
  done
}

# end_replicas DEPLOYMENT FIRST [no-grace] [LAST]: these, and what they have started: it would go on without them
end_replicas() {
  doomed=
  for pid_file in "$work/deployments/$1/replicas"/*; do
    place=${pid_file##*/}
    if [ -e "$pid_file" ] && [ "$place" -ge "$2" ] && [ "$place" -le "${4:-$place}" ]; then
      first_line "$pid_file"
      doomed="$doomed $line"
      rm -f "$pid_file"
    fi
  done
  # shellcheck disable=SC2086 # a word for each process
  doomed=$(family_of $doomed)
  if [ "${3:-}" != no-grace ]; then
    for pid in $doomed; do kill "$pid" 2>/dev/null; done
    patience=$((stop_grace * 10))
    for pid in $doomed; do
      while [ "$patience" -gt 0 ] && kill -0 "$pid" 2>/dev/null; do
        patience=$((patience - 1))
        pause 0.1
      done
    done
  fi
  for pid in $doomed; do kill -9 "$pid" 2>/dev/null; done
  return 0
}

# is_due DIRECTORY: whether replicas of a deployment may be started again that have ended by themselves: at once, then after
# 1 second, 2, 4 and so on. The pauses begin anew with a command, and after a quiet minute.
is_due() {
  now=$(date +%s) times=0 not_before=0
  if [ -e "$1/restarts" ]; then read -r times not_before <"$1/restarts"; fi
  if [ "$now" -lt "$not_before" ]; then return 1; fi
  if [ "$now" -ge $((not_before + 60)) ]; then times=0; fi
  restart_pause=1 doublings=0
  while [ "$doublings" -lt "$times" ] && [ "$restart_pause" -lt "$longest_pause" ]; do
    restart_pause=$((restart_pause * 2)) doublings=$((doublings + 1))
  done
  printf '%s %s\n' "$((times + 1))" "$((now + restart_pause))" >"$1/restarts"
}

# note_completed DIRECTORY: the replicas that have ended with 0, if they are not to start again
note_completed() {
  if [ "$restart_when" != failed ]; then return; fi
  for pid_file in "$1"/replicas/*; do
    first_line "$pid_file"
    if [ -n "$line" ] && ! kill -0 "$line" 2>/dev/null && wait "$line"; then
      mkdir -p "$1/completed"
      : >"$1/completed/${pid_file##*/}"
      rm "$pid_file"
    fi
  done
}

# replace_missing: what has ended by itself, unless a command is being carried out, which sees to that
replace_missing() {
  if [ -n "$is_busy" ]; then return; fi
  for directory in "$work"/deployments/*; do
    if ! [ -e "$directory/wanted" ]; then continue; fi
    read -r known_generation known_replicas <"$directory/wanted"
    note_completed "$directory"
    live_replicas "$directory"
    completed_replicas "$directory" "$known_replicas"
    if [ $((live + completed)) -lt "$known_replicas" ] && is_due "$directory"; then
      start_replicas "${directory##*/}" "$known_generation" "$known_replicas"
    fi
  done
}
