/** The script that agents' settings run: it asks the daemon, and where that is not to be had, runs the command itself. */
import { HOOK_VARIABLES, LINE_VARIABLE } from '../hook.ts';
import { type Build, handshake } from './build.ts';
import { SOCKET } from './place.ts';
import { BETWEEN } from './request.ts';
import { BUILD_HEADER } from './server.ts';

/** Seconds; longer than the daemon may take by default, and short enough that the command can still answer in its place. */
const LONGEST_S = 6;
/** Agents give little time when they end. */
const LONGEST_AT_THE_END_S = 1;

/** For any shell that is called `sh`: of programs it needs `cat` and `curl` alone. */
export function lineScript(build: Build): string {
  return `#!/bin/sh
# What agents run for each event. Its arguments are the command that does the work: savepoint hook AGENT [EVENT].
# The daemon of this account is asked first, as it need not be started. Whatever goes wrong there, the command gets the
# same event: an event that is told twice changes nothing.
savepoint_home=\${SAVEPOINT_HOME:-}
if [ -z "$savepoint_home" ]; then
  if [ -d /System/Library/CoreServices ]; then
    savepoint_home="\${HOME:-}/Library/Application Support/Savepoint"
  else
    case \${XDG_DATA_HOME:-} in
      /*) savepoint_home=$XDG_DATA_HOME/savepoint ;;
      *) savepoint_home=\${HOME:-}/.local/share/savepoint ;;
    esac
  fi
fi
[ "\${SAVEPOINT_DAEMON:-on}" = off ] || [ "\${SAVEPOINT:-on}" = off ] && exec "$@"
command -v curl >/dev/null 2>&1 || exec "$@"
savepoint_place=$savepoint_home/daemon
if [ ! -S "$savepoint_place/${SOCKET}" ]; then
  ${LINE_VARIABLE}=7
  export ${LINE_VARIABLE}
  exec "$@"
fi
# Who sees other files under the same names must not ask.
if [ -e /proc/self/ns/mnt ]; then
  for savepoint_part in mnt root; do
    case $savepoint_part in mnt) savepoint_own=/proc/self/ns/mnt ;; *) savepoint_own=/proc/self/root ;; esac
    [ "$savepoint_place/$savepoint_part" -ef "$savepoint_own" ] 2>/dev/null || exec "$@"
  done
fi
savepoint_route=
for savepoint_part in "$@"; do
  case $savepoint_route in
    '') [ "$savepoint_part" = hook ] && savepoint_route=hook ;;
    *) savepoint_route=$savepoint_route/$savepoint_part ;;
  esac
done
savepoint_event=$(cat)
case $savepoint_event in
  *'"SessionEnd"'*) savepoint_longest=${LONGEST_AT_THE_END_S} ;;
  *) savepoint_longest=${LONGEST_S} ;;
esac
savepoint_answer=$(
  {
    for savepoint_part in ${HOOK_VARIABLES.join(' ')}; do
      eval "[ -z \\"\\\${$savepoint_part+x}\\" ] || printf '%s=%s\\\\0' $savepoint_part \\"\\$$savepoint_part\\""
    done
    printf %s "$savepoint_event"
  } 2>/dev/null | {
    cd "$savepoint_place" 2>/dev/null &&
      exec curl -q -s -f --noproxy '*' --max-time "$savepoint_longest" --unix-socket ${SOCKET} \\
        -H '${BUILD_HEADER}: ${handshake(build)}' -H 'Content-Type: application/octet-stream' -H 'Expect:' \\
        --data-binary @- "http://savepoint/$savepoint_route" 2>/dev/null
  }
)
savepoint_status=$?
if [ "$savepoint_status" = 0 ]; then
  [ -z "$savepoint_answer" ] && exit 0
  savepoint_rest=\${savepoint_answer#*${BETWEEN}}
  printf %s "\${savepoint_answer%%${BETWEEN}*}"
  printf %s "\${savepoint_rest%%${BETWEEN}*}" >&2
  exit "\${savepoint_rest##*${BETWEEN}}"
fi
# Of its time so much is gone (seconds), where it was that which ended.
${LINE_VARIABLE}=$savepoint_status
[ "$savepoint_status" = 28 ] && ${LINE_VARIABLE}=28:$savepoint_longest
export ${LINE_VARIABLE}
printf %s "$savepoint_event" | "$@"
`;
}
