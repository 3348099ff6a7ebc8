/** Ends a command when this process is killed, and so cannot do that itself. */
import { spawn } from 'node:child_process';
import { SYSTEM_PATH } from './system-program.ts';

/**
 * Reads the id of the command's process, then a line that says that the command has ended. If the input ends before that
 * line, the owner was killed: ends the command with everything that it started and that descends from it.
 */
const WATCH = `
read -r command || exit 0
read -r _ && exit 0
table=$(ps -A -o pid= -o ppid= 2>/dev/null)
below() {
  echo "$1"
  echo "$table" | while read -r pid parent; do
    if [ "$parent" = "$1" ]; then below "$pid"; fi
  done
}
left=$(below "$command")
kill -s TERM $left 2>/dev/null
tries=0
while [ -n "$left" ] && [ "$tries" -lt 20 ]; do
  tries=$((tries + 1))
  sleep 0.1
  still=
  for pid in $left; do kill -s 0 "$pid" 2>/dev/null && still="$still $pid"; done
  left=$still
done
[ -z "$left" ] || kill -s KILL $left 2>/dev/null
`;

export interface OwnerWatch {
  /** The command was started with this process id. */
  started(pid: number): void;
  /** The command has ended by itself. */
  ended(): void;
}

/** Call it before the command is started. On Windows, it does nothing. */
export function watchOwner(): OwnerWatch {
  if (process.platform === 'win32') return { started: () => undefined, ended: () => undefined };
  // In a session of its own, so that neither a signal of the terminal nor the end of its group reaches it.
  const watch = spawn('/bin/sh', ['-c', WATCH, 'savepoint-guard'], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: SYSTEM_PATH },
  });
  watch.on('error', () => undefined);
  watch.stdin.on('error', () => undefined);
  watch.unref();
  return {
    started: (pid) => void watch.stdin.write(`${pid}\n`),
    ended: () => void watch.stdin.end('\n'),
  };
}
