# shellcheck shell=sh
# What agent.sh tells the service: heartbeats with reports, and logs.

batch_lines=100   # log entries in a request
outbox_lines=1000 # log entries that wait at most; the oldest go first

# json_text TEXT: as the inside of a JSON string
json_text() { printf '%s' "$1" | tr '\n\t' '  ' | tr -d '\000-\037' | sed 's/\\/\\\\/g; s/"/\\"/g'; }

# remember LEVEL MESSAGE [DEPLOYMENT]: a log entry for the next batch
remember() {
  printf '{"level":"%s","message":"%s","timestamp":"%s"%s}\n' "$1" "$(json_text "$2")" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" \
    "${3:+,\"deployment_id\":\"$3\"}" >>"$work/outbox"
}

# live_replicas DEPLOYMENT-DIRECTORY
live_replicas() {
  live=0
  for pid_file in "$1"/replicas/*; do
    first_line "$pid_file"
    if [ -n "$line" ] && kill -0 "$line" 2>/dev/null; then live=$((live + 1)); fi
  done
}

# completed_replicas DEPLOYMENT-DIRECTORY WANTED
completed_replicas() {
  completed=0 slot=0
  while [ "$slot" -lt "$2" ]; do
    if [ -e "$1/completed/$slot" ]; then completed=$((completed + 1)); fi
    slot=$((slot + 1))
  done
}

# any_missing: whether a replica has ended by itself
any_missing() {
  for directory in "$work"/deployments/*; do
    if ! [ -e "$directory/wanted" ]; then continue; fi
    read -r generation wanted <"$directory/wanted"
    live_replicas "$directory"
    completed_replicas "$directory" "$wanted"
    if [ $((live + completed)) -lt "$wanted" ]; then return 0; fi
  done
  return 1
}

# reports: how each deployment is, by counting processes that live, and those that have done their work
reports() {
  separator=
  for directory in "$work"/deployments/*; do
    if ! [ -e "$directory/wanted" ]; then continue; fi
    read -r generation wanted <"$directory/wanted"
    live_replicas "$directory"
    completed_replicas "$directory" "$wanted"
    working=$((live + completed))
    if [ -e "$work/ending" ]; then working=0; fi
    if [ "$working" -ge "$wanted" ]; then state=ready; else state=running; fi
    if [ "$wanted" -gt 0 ] && [ "$completed" -eq "$wanted" ]; then state=completed; fi
    printf '%s{"deployment_id":"%s","status":"%s","ready_replicas":%s,"observed_generation":%s,"node_id":"%s"}' \
      "$separator" "${directory##*/}" "$state" "$working" "$generation" "$host"
    separator=,
  done
}

# beat: one heartbeat, one try; none while the service does not want any
beat() {
  if is_held heartbeats; then return; fi
  deployments=$(reports)
  overall=idle
  if [ -n "$deployments" ]; then overall=running; fi
  if [ -e "$work/ending" ]; then overall=stopped; fi
  printf '{"status":"%s","deployments":[%s]%s}' "$overall" "$deployments" "$(named_runs)" >"$work/$role.beat"
  request POST /agents/heartbeat 10 "$work/$role.beat"
  if [ "$status" != 200 ]; then
    hold heartbeats
    return
  fi
  keep_interval
  advise
  cancel_run
  field .register
  if [ "$value" = true ]; then : >"$work/asked"; fi
}

# advise: says once what people have to upgrade, by the reply to a registration or a heartbeat
advise() {
  field .upgrade
  first_line "$work/advice"
  if [ "$value" = "$line" ]; then return; fi
  printf '%s\n' "$value" >"$work/advice"
  if [ -n "$value" ]; then say "$value"; fi
}

keep_interval() {
  field .heartbeat_interval_seconds
  case $value in '' | *[!0-9]*) return ;; esac
  first_line "$work/interval"
  if [ "$line" = "$value" ]; then return; fi
  printf '%s\n' "$value" >"$work/$role.interval" && mv "$work/$role.interval" "$work/interval"
}

# make_batch: what is sent next, under a key of its own. It stays as it is until it is known what became of it, so that
# the service stores it once even where a reply is lost.
make_batch() {
  if ! [ -e "$work/sending" ]; then
    if ! [ -e "$work/outbox" ]; then return 1; fi
    mv "$work/outbox" "$work/sending"
  fi
  waiting=$(wc -l <"$work/sending")
  if [ "$waiting" -gt "$outbox_lines" ]; then
    say "$((waiting - outbox_lines)) log entries dropped while the service was away"
    keep_lines "$((waiting - outbox_lines + 1)),\$p"
  fi
  sed -n "1,${lines}p" "$work/sending" >"$work/batch.lines"
  od -An -N16 -tx1 /dev/urandom | tr -d ' \n' >"$work/batch.key"
  printf '{"logs":[%s]}' "$(paste -sd, - <"$work/batch.lines")" >"$work/batch.new" && mv "$work/batch.new" "$work/batch"
}

# send_logs: a batch of what waits, one try. A batch that is refused as it is must not come again as it was.
send_logs() {
  if is_held logs; then return; fi
  if ! [ -e "$work/batch" ] && ! make_batch; then return; fi
  request POST /agents/logs 15 "$work/batch" "$(cat "$work/batch.key")"
  case $status in
    200 | 400 | 403 | 404 | 413 | 422) rm "$work/batch" ;;
    *)
      hold logs
      return
      ;;
  esac
  sent=$(wc -l <"$work/batch.lines")
  case $status in
    200)
      keep_lines "$((sent + 1)),\$p"
      lines=$batch_lines
      ;;
    413) # too large: half of it, and what is too large alone is lost
      if [ "$sent" -gt 1 ]; then lines=$((sent / 2)); else keep_lines '2,$p'; fi ;;
    *) drop_refused ;;
  esac
}

# drop_refused: the entries that the error names by index, else the whole batch
drop_refused() {
  unwanted=$(sed -n "s/^\.errors\.[0-9]*\.field${tab}logs\.\([0-9]*\).*$/\1/p" "$work/$role.reply.flat" |
    awk '!seen[$1]++ { printf "%dd;", $1 + 1 }')
  if [ -z "$unwanted" ]; then unwanted="1,${sent}d"; fi
  say "the service refuses log entries ($status): they are dropped"
  keep_lines "p" "$unwanted"
}

# keep_lines SED-COMMAND [SED-DELETIONS]: of what is being sent
keep_lines() {
  sed -n "${2:-}$1" "$work/sending" >"$work/sending.new"
  if [ -s "$work/sending.new" ]; then mv "$work/sending.new" "$work/sending"; else rm "$work/sending.new" "$work/sending"; fi
}

# The second process: heartbeats and logs, while the first one waits for commands or carries one out
heartbeats() {
  role=heartbeats
  trap 'kill ${waited_for:+"$waited_for"} 2>/dev/null; exit' TERM
  trap '' INT # of a terminal it comes to both; the first process says when to end
  failures=0 refusals=0
  while :; do
    beat
    first_line "$work/interval"
    longest_pause=$line # a pause of several intervals would make the agent count as lost
    if worth_repeating || [ "$status" = 401 ]; then
      after_failure
      continue
    fi
    failures=0 refusals=0
    send_logs
    # the first process has started replicas, and starts them again; it registers, too
    if any_missing || [ -e "$work/asked" ]; then kill -s USR2 $$; fi
    first_line "$work/interval"
    # up to a tenth early, so that a fleet that started at once does not beat in step for ever
    pause "$(random_between "$((line * 9 / 10)).$((line * 9 % 10))" "$line")"
  done
}
