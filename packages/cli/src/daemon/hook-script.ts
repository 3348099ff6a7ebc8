/** The hook script in agents' settings. It asks the daemon, and runs the command if the daemon is not available. */
import { CURL_STATUS_VARIABLE, HOOK_VARIABLES, PARENT_VARIABLE } from '../hook.ts';
import { BUILD_HEADER, type Build, handshake } from './build.ts';
import { SEPARATOR } from './request.ts';
import { SOCKET } from './runtime-folder.ts';

/** Seconds; longer than the daemon's default budget, and short enough for the command to answer instead. */
const MAX_SECONDS = 6;
/** Agents have short timeouts when they exit. */
const MAX_SECONDS_AT_END = 1;

/** For any POSIX `sh`. The only programs it needs are `cat` and `curl`. */
export function hookScript(build: Build): string {
  return `#!/bin/sh
# Run by agents for each event. The arguments are the command that does the work: savepoint hook AGENT [EVENT].
# The script asks the daemon of this account first, because that is faster. If that fails for any reason, it passes the
# same event to the command. Handling an event twice is harmless.
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
# A copy of a workspace has a home of its own, whatever the environment says. (In a copy that is a mount, the daemon of the
# outside is refused below.)
case $PWD/ in
  /*/copies/copy_????????/tree/*)
    savepoint_part=\${PWD#*/copies/copy_????????/tree}
    savepoint_part=\${PWD%"/tree$savepoint_part"}
    [ -f "$savepoint_part/copy.json" ] && savepoint_home=$savepoint_part/home
    ;;
esac
${PARENT_VARIABLE}=$PPID
export ${PARENT_VARIABLE}
# With SAVEPOINT=off, too: which calls ran is recorded all the same, and commands at the prompt are carried out.
[ "\${SAVEPOINT_DAEMON:-on}" = off ] && exec "$@"
command -v curl >/dev/null 2>&1 || exec "$@"
savepoint_place=$savepoint_home/daemon
if [ ! -S "$savepoint_place/${SOCKET}" ]; then
  ${CURL_STATUS_VARIABLE}=7
  export ${CURL_STATUS_VARIABLE}
  exec "$@"
fi
# A process with a different view of the file system must not ask the daemon. A killed daemon looks the same, because its
# folder in /proc is gone. The command then starts another daemon, which exits if the first one still answers.
if [ -e /proc/self/ns/mnt ]; then
  for savepoint_part in mnt root; do
    case $savepoint_part in mnt) savepoint_own=/proc/self/ns/mnt ;; *) savepoint_own=/proc/self/root ;; esac
    if [ ! "$savepoint_place/$savepoint_part" -ef "$savepoint_own" ] 2>/dev/null; then
      ${CURL_STATUS_VARIABLE}=7
      export ${CURL_STATUS_VARIABLE}
      exec "$@"
    fi
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
  *'"SessionEnd"'*) savepoint_longest=${MAX_SECONDS_AT_END} ;;
  *) savepoint_longest=${MAX_SECONDS} ;;
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
  savepoint_rest=\${savepoint_answer#*${SEPARATOR}}
  printf %s "\${savepoint_answer%%${SEPARATOR}*}"
  printf %s "\${savepoint_rest%%${SEPARATOR}*}" >&2
  exit "\${savepoint_rest##*${SEPARATOR}}"
fi
# On a timeout (28), pass on the number of seconds that have been spent.
${CURL_STATUS_VARIABLE}=$savepoint_status
[ "$savepoint_status" = 28 ] && ${CURL_STATUS_VARIABLE}=28:$savepoint_longest
export ${CURL_STATUS_VARIABLE}
printf %s "$savepoint_event" | "$@"
`;
}
