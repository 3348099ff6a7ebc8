/**
 * Points at which programs wait until they may go on. So only one of them works at a time, and it is known who changed
 * what. A program creates the file `NAME.at` and waits for `NAME.go`.
 */

import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** An agent that does nothing for so long is stuck. */
const STUCK_MS = 120_000;

export class Barriers {
  readonly folder: string;
  readonly #handled = new Set<string>();

  /** @param folder an absolute path, to be created */
  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder);
    this.#script(
      'wait',
      `echo $PPID > '${folder}'/"$1".at\nwhile [ -d '${folder}' ] && [ ! -e '${folder}'/"$1".go ]; do sleep 0.02; done`,
    );
  }

  /** A shell command that waits. */
  waitAt(name: string): string {
    return `sh '${join(this.folder, 'wait')}' ${name}`;
  }

  /** A shell command that does not wait. */
  passAt(name: string): string {
    return `: > '${join(this.folder, name)}.at'`;
  }

  /**
   * Makes a hook script that waits between the hook before a call and the tool, and between the tool and the hook after
   * the call.
   * @param real the hook script
   */
  hookScript(real: string): string {
    return this.#script(
      'savepoint-hook',
      `event=$(cat)
seen=
for part; do
  [ "$seen" = hook ] && agent=$part
  seen=$part
done
case $event in
  *'"PostToolUse'* | *'"AfterTool"'* | *'"tool.execute.after"'*) ${this.waitAt('"$agent.after.$$"')} ;;
esac
printf %s "$event" | '${real}' "$@"
status=$?
case $event in
  *'"PreToolUse"'* | *'"BeforeTool"'* | *'"tool.execute.before"'*) ${this.waitAt('"$agent.before.$$"')} ;;
esac
exit $status`,
    );
  }

  /** The names, such as `claude.before.17`, of programs that wait and have not been let go. */
  waiting(): readonly string[] {
    return readdirSync(this.folder)
      .filter((name) => name.endsWith('.at'))
      .map((name) => name.slice(0, -'.at'.length))
      .filter((name) => !this.#handled.has(name));
  }

  /** Whether the process that waits, or waited, still runs. */
  runs(name: string): boolean {
    try {
      return process.kill(Number(readFileSync(join(this.folder, `${name}.at`), 'utf8')), 0);
    } catch {
      return false;
    }
  }

  letGo(name: string, content = ''): void {
    this.#handled.add(name);
    const at = join(this.folder, `${name}.go`);
    writeFileSync(`${at}.new`, content);
    renameSync(`${at}.new`, at);
  }

  /** Waits for a program whose name begins like this. @returns null if `isOver` says that it will not come */
  async arrival(prefix: string, isOver: () => boolean = () => false): Promise<string | null> {
    const until = performance.now() + STUCK_MS;
    for (;;) {
      const over = isOver();
      const [name] = this.waiting().filter((one) => one.startsWith(prefix));
      if (name !== undefined) return name;
      if (over) return null;
      if (performance.now() > until) throw new Error(`nothing happens at ${prefix}; ${this.waiting().join(', ')} wait`);
      await sleep(3);
    }
  }

  #script(name: string, body: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, `#!/bin/sh\n${body}\n`);
    chmodSync(path, 0o755);
    return path;
  }
}
