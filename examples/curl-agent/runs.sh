# shellcheck shell=sh
# How agent.sh takes runs, one at a time, where RUN_COMMAND says what does their work: a process of its own.

# named_runs: a field for heartbeats and registrations, which names the run that this agent has, or whose end the service
# does not know yet. There is none while the answer to a claim is lost, because it may have brought a run.
named_runs() {
  if [ -z "$run_command" ] || [ -e "$work/in-doubt" ]; then return; fi
  first_line "$state/run"
  printf ',"runs":[%s]' "${line:+\"${line%% *}\"}"
}

# repeat_call PATH SECONDS BODY-FILE: under one key, until it is answered with 200; fails when the agent ends meanwhile
repeat_call() {
  failures=0 refusals=0 call_key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  while request POST "$1" "$2" "$3" "$call_key" && [ "$status" != 200 ]; do
    if [ -n "$is_polling" ]; then : >"$work/in-doubt"; fi
    if [ -e "$work/ending" ]; then return 1; fi
    after_failure
  done
  rm -f "$work/in-doubt"
}

# take_run: claims one, and leaves its end on disk. $RUN_COMMAND gets the reply to the claim on its standard input; what it
# prints, JSON or text, is the output.
take_run() {
  printf '{"wait":%s}' "$poll_wait" >"$work/claim"
  begun=$(date +%s) is_polling=yes
  repeat_call /agents/runs/claim $((poll_wait + 15)) "$work/claim" || return
  is_polling=''
  field .runs.0.run_id && run=$value
  field .runs.0.attempt && attempt=$value
  if [ -z "$run" ]; then
    if [ $(($(date +%s) - begun)) -lt $((poll_wait / 2)) ]; then pause "$(random_between 0.5 2)"; fi
    return
  fi
  printf '%s %s\n' "$run" "$attempt" >"$state/run.new" && mv "$state/run.new" "$state/run"
  say "run $run, attempt $attempt"
  rm -f "$work/run".* && mkdir -p "$work/deployments/run/replicas" # its process is ended like a replica
  (sh -c "exec $run_command" <"$reply" >"$work/run.output" 2>/dev/null && : >"$work/run.succeeded") &
  printf '%s\n' $! >"$work/deployments/run/replicas/0"
  wait_for $!
  rm -f "$work/deployments/run/replicas/0"
  end='"status":"failed","error":"the command failed"'
  if [ -e "$work/run.cancelled" ]; then end='"status":"cancelled"'; fi
  if [ -e "$work/run.succeeded" ]; then
    output=$(tr '\n' ' ' <"$work/run.output") # awk takes a line at once, and many lines slowly
    printf '%s' "$output" | awk -f "$here/flatten-json.awk" >/dev/null 2>&1 || output="\"$(json_text "${output% }")\""
    end="\"status\":\"succeeded\",\"output\":$output"
  fi
  keep_end "$end"
}

# keep_end FIELDS: on disk, so that the next process reports it where this one can't
keep_end() {
  read -r run attempt <"$state/run"
  printf '{"runs":[{"run_id":"%s","attempt":%s,%s}]}' "$run" "$attempt" "$1" >"$state/end.new" && mv "$state/end.new" "$state/end"
}

tell_end() {
  repeat_call /agents/runs 15 "$state/end" || return
  field .refused.0.message
  if [ -n "$value" ]; then
    keep_end "\"status\":\"failed\",\"error\":\"the service refuses its output\""
  else
    rm -f "$state/end" "$state/run"
  fi
}

# cancel_run: what the reply to a heartbeat asks for. The heartbeats go on while the process takes its time to end.
cancel_run() {
  field .cancel_runs.0
  if [ -z "$value" ]; then return; fi
  : >"$work/run.cancelled"
  end_replicas run 0 &
}

# The third process
runs() {
  role=runs
  trap 'if [ -n "$is_polling" ]; then kill ${waited_for:+"$waited_for"} 2>/dev/null; fi' TERM
  trap '' INT
  while :; do
    if [ -e "$state/end" ]; then tell_end; fi
    if [ -e "$work/ending" ]; then exit; fi
    take_run
  done
}
