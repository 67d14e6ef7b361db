#!/bin/sh
# An agent made of sh, awk and curl: docs/runtime-protocol.md, put to work.
#
#   SERVICE_AGENT_KEY=svc_agent_... sh agent.sh [COMMAND]
#
# COMMAND, a line of shell, runs once for each replica (without one: a sleep without end), with DEPLOYMENT_ID,
# GENERATION and REPLICA_INDEX in its environment. SERVICE_API_URL says where the service is; without it it is
# http://127.0.0.1:8000. RESTART_WHEN=failed says that a replica which ends with 0 has done its work, and is not started
# again. RUN_COMMAND, another line of shell, does the work of a run: runs.sh. STATE_DIRECTORY is where it keeps what it has done, for the process that comes after it; without
# it, that is a folder of the user's state. An agent needs one of its own.
# It ends with 0 after TERM or INT, with 1 when the key is refused for good, with 2 when it can't start.
#
# Beyond POSIX it needs three things that every system has: sleep takes fractions, date knows %s, and there is
# /dev/urandom.
set -u
LC_ALL=C # awk then counts bytes, which is much faster, and nothing here cares for letters
export LC_ALL

url=${SERVICE_API_URL:-http://127.0.0.1:8000}
key=${SERVICE_AGENT_KEY:-}
unset SERVICE_AGENT_KEY # replicas inherit the environment, and must not have the key
program=${*:-sleep 2147483647}
restart_when=${RESTART_WHEN:-always}
run_command=${RUN_COMMAND:-}
tab=$(printf '\t')
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2

poll_wait=20 # seconds; a poll that waits longer finds proxies that don't
stop_grace=10 # seconds from TERM to KILL for a replica

say() { printf '%s %s\n' "$(date -u +%H:%M:%S)" "$*" >&2; }

. "$here/requests.sh"
. "$here/replicas.sh"
. "$here/telling.sh"
. "$here/runs.sh"

# --- Commands ------------------------------------------------------------------------------------------------------

# carry_out ACTION DEPLOYMENT GENERATION REPLICAS ROLLING: whatever was there before, afterwards it is as the command says
carry_out() {
  is_busy=yes
  bring_about "$@"
  outcome=$?
  is_busy=''
  return "$outcome"
}

bring_about() {
  case $1 in
    stop | kill)
      rm -f "$work/deployments/$2/wanted"
      end_replicas "$2" 0 "$(if [ "$1" = kill ]; then echo no-grace; fi)"
      ;;
    deploy | scale | restart)
      rm -f "$work/deployments/$2/restarts"
      if [ "$1" != scale ]; then rm -rf "$work/deployments/$2/completed"; fi
      if [ "$1" != scale ] && [ "${5:-}" != true ]; then end_replicas "$2" 0; fi
      end_replicas "$2" "$4"
      if [ "${5:-}" = true ]; then replace_each "$2" "$3" "$4"; fi
      start_replicas "$2" "$3" "$4"
      printf '%s %s\n' "$3" "$4" >"$work/wanted.new" && mv "$work/wanted.new" "$work/deployments/$2/wanted"
      ;;
    *) return 1 ;;
  esac
}

# acknowledge COMMAND: says what is kept of it on disk, until the service has answered
acknowledge() {
  failures=0 refusals=0
  while :; do
    request POST /agents/commands/acknowledge 15 "$state/done/$1"
    if ! worth_repeating && [ "$status" != 401 ]; then return; fi # 404: the agent's commands are gone with it
    after_failure
  done
}

# obey INDEX: the command at that place of the list. One that comes again is answered and not done again.
obey() {
  command_fields "$1" >"$work/fields"
  read -r command deployment generation replicas rolling action <"$work/fields"
  # these become names of files, and numbers in tests
  case $command$deployment in *[!0-9a-fA-F-]*) return ;; esac
  case $generation$replicas in *[!0-9]*) return ;; esac
  if ! [ -e "$state/done/$command" ]; then
    say "$action, generation $generation, $replicas replicas"
    if carry_out "$action" "$deployment" "$generation" "$replicas" "$rolling"; then
      answer='"success":true'
      remember info "$action: generation $generation, $replicas replicas" "$deployment"
    else
      answer="\"success\":false,\"error\":\"$(json_text "this agent does not know how to $action")\""
    fi
    printf '{"command_id":"%s",%s}' "$command" "$answer" >"$state/done.new" && mv "$state/done.new" "$state/done/$command"
  fi
  acknowledge "$command"
}

# command_fields INDEX: what obey wants to know, in a line; x stands for what is missing
command_fields() {
  awk -F '\t' -v command=".commands.$1." '
    index($1, command) == 1 { values[substr($1, length(command) + 1)] = $2 }
    function known(name) { return values[name] == "" ? "x" : values[name] }
    END {
      print known("command_id"), known("deployment_id"), known("parameters.generation"),
        known("parameters.replicas"), known("parameters.rolling"), known("action")
    }' "$work/commands"
}

poll() {
  begun=$(date +%s)
  is_polling=yes
  request GET "/agents/commands?wait=$poll_wait" $((poll_wait + 15))
  is_polling=''
  if [ "$status" != 200 ]; then
    after_failure
    return
  fi
  failures=0 refusals=0
  # every request writes its reply in the same place
  mv "$work/$role.reply.flat" "$work/commands"
  count=$(grep -c "^\.commands\.[0-9]*\.command_id$tab" "$work/commands")
  if [ "$count" -gt 0 ]; then
    index=0
    while [ "$index" -lt "$count" ]; do
      obey "$index"
      index=$((index + 1))
    done
    beat # what has changed is told at once
  elif [ $(($(date +%s) - begun)) -lt $((poll_wait / 2)) ]; then
    # empty before its time: the service is ending, and so is everybody else's poll
    pause "$(random_between 0.5 2)"
  fi
}

# --- Beginning and end ---------------------------------------------------------------------------------------------

# end_process [PID]: a signal is lost on a shell that is just being started, and ends no poll that is about to begin, so it
# is repeated
end_process() {
  while kill "$@" 2>/dev/null; do pause 0.1; done
}

# finish EXIT-CODE
finish() {
  trap '' TERM INT USR1 USR2
  : >"$work/ending"
  kill ${waited_for:+"$waited_for"} 2>/dev/null
  end_process ${heartbeats_pid:+"$heartbeats_pid"}
  for directory in "$work"/deployments/*; do end_replicas "${directory##*/}" 0; done
  end_process ${runs_pid:+"$runs_pid"} # it reports the end of its run
  if [ "$1" -eq 0 ] && [ -n "${heartbeats_pid:-}" ]; then
    beat # nothing is ready any more, and nobody should think so
    send_logs
  fi
  rm -rf "$work"
  exit "$1"
}

# Whichever of the processes is sure first
refused_for_good() {
  if [ "$role" != commands ]; then
    kill -s USR1 $$ # the first process, here too
    exit
  fi
  say 'the service refuses the key: it was revoked, or the agent deleted'
  finish 1
}

# end_poll: when the service asks for a registration, which must not wait for the end of a poll
end_poll() {
  if [ -e "$work/asked" ] && [ -n "$is_polling" ]; then kill ${waited_for:+"$waited_for"} 2>/dev/null; fi
}

# list_known: id, status, generation and replicas of each deployment in the reply to a registration
list_known() {
  awk -F '\t' '$1 ~ /^\.deployments\.[0-9]*\.(id|status|generation|replicas)$/ {
      split($1, name, "."); values[name[3], name[4]] = $2; if (name[3] + 1 > count) count = name[3] + 1
    }
    END { for (i = 0; i < count; i++)
        print values[i, "id"], values[i, "status"], values[i, "generation"], values[i, "replicas"] }' \
    "$work/$role.reply.flat" >"$work/known"
}

# take_up: what is to run, and does not run here: this agent is new, or the service has lost the command that stopped it.
# What is deploying has a command on its way.
take_up() {
  while read -r id known_status known_generation known_replicas; do
    case $known_status in running | ready) ;; *) continue ;; esac
    case $id$known_generation$known_replicas in *[!0-9a-fA-F-]*) continue ;; esac
    if [ -e "$work/deployments/$id/wanted" ]; then continue; fi
    say "taking up $id: $known_replicas replicas"
    carry_out deploy "$id" "$known_generation" "$known_replicas"
  done <"$work/known"
}

# take_back: what runs for a generation, or a deployment, that a restored service has no longer
take_back() {
  is_busy=yes
  for directory in "$work"/deployments/*; do
    if ! [ -e "$directory/wanted" ]; then continue; fi
    id=${directory##*/}
    read -r generation replicas <"$directory/wanted"
    # one that is not listed is unknown to the service, unless there are more than it lists
    known_status=unknown
    if [ "$(wc -l <"$work/known")" -ge 100 ]; then known_status=''; fi
    while read -r known_id status_of generation_of replicas_of; do
      if [ "$known_id" = "$id" ]; then
        known_status=$status_of known_generation=$generation_of known_replicas=$replicas_of
      fi
    done <"$work/known"
    case $known_status in
      '') ;;
      unknown | killed) bring_about kill "$id" ;;
      stopped) bring_about stop "$id" ;;
      *) if [ "$known_generation" -lt "$generation" ]; then
        say "taking back $id: generation $known_generation, $known_replicas replicas"
        bring_about scale "$id" "$known_generation" "$known_replicas"
      fi ;;
    esac
  done
  is_busy=''
}

# register_again: the service has asked for it. The next heartbeat is soon enough to tell what has changed, and to be
# asked again.
register_again() {
  register
  take_back
  take_up
  rm -f "$work/asked"
}

register() {
  platform=$(json_text "$(uname -s)/$(uname -m)")
  printf '{"version":"1.0.0","hostname":"%s","platform":"%s","runtime":{"name":"curl-agent","protocol":1}%s}' "$host" "$platform" "$(named_runs)" >"$work/registration"
  failures=0 refusals=0
  while :; do
    request POST /agents/register 15 "$work/registration"
    case $status in
      200) break ;;
      401) after_failure ;;
      *)
        if ! worth_repeating; then
          say "the service refuses the registration ($status)"
          finish 2
        fi
        after_failure
        ;;
    esac
  done
  keep_interval
  field .agent_id
  say "registered as $value"
  advise
  list_known
}

case $key in
  '') say 'SERVICE_AGENT_KEY is not set' && exit 2 ;;
  *[!A-Za-z0-9_-]*) say 'SERVICE_AGENT_KEY is no key' && exit 2 ;;
esac
state=${STATE_DIRECTORY:-${XDG_STATE_HOME:-${HOME:-/var/tmp}/.local/state}/curl-agent}
mkdir -p "$state/done" || exit 2
find "$state/done" -type f -mtime +1 -exec rm -f {} + # a command comes again within minutes, or not at all
if ! [ -e "$state/end" ]; then rm -f "$state/run"; fi # its process has gone with the agent's
work=$(mktemp -d) || exit 2
mkdir "$work/deployments"
role=commands waited_for='' is_busy='' is_polling='' lines=$batch_lines
host=$(json_text "$(uname -n)")
printf '30\n' >"$work/interval"
trap 'finish 0' TERM INT
trap refused_for_good USR1
trap 'replace_missing; end_poll' USR2

register
take_up
heartbeats &
heartbeats_pid=$!
if [ -n "$run_command" ]; then
  runs &
  runs_pid=$!
fi
failures=0 refusals=0
while :; do
  if [ -e "$work/asked" ]; then register_again; fi
  poll
done
