/**
 * Hooks for one run of Codex, as options `-c`. Codex runs only hooks that are trusted, which it records as a digest of
 * their definition. So the options also say that these hooks, and no others, are trusted.
 */
import { createHash } from 'node:crypto';
import { GivenSettingsError, type HookedStart, type OneRunGiven } from './settings/integration.ts';
import { hasValue } from './settings/kept-options.ts';

/** The name that Codex gives to options of its command line, as if they were a file. */
const OPTIONS_FILE = '/<session-flags>/config.toml';

/** Codex shortens longer timeouts of these events, in seconds, before it computes the digest. */
const LONGEST: Readonly<Record<string, number>> = { SessionEnd: 3, Interrupt: 3 };

interface Group {
  readonly matcher?: string;
  readonly hooks: readonly [{ readonly type: string; readonly command: string; readonly timeout: number }];
}

export function codexRun({ command, form, start: { args } }: OneRunGiven): HookedStart {
  if (form.kind !== 'json') throw new TypeError('Codex has JSON settings');
  // The last option of a key counts, so either ours or the user's would have no effect.
  if (settingsIn(args).some((setting) => /^\s*["']?hooks["']?\s*[.=]/.test(setting))) {
    throw new GivenSettingsError('the command line has hooks of its own');
  }
  const groups = form.entries(command).map(({ list, value }) => {
    const event = list.at(-1) ?? '';
    return [event, withinLimit(event, value as Group)] as const;
  });
  const trusted = groups.map(([event, group]) => {
    const key = `${OPTIONS_FILE}:${labelOf(event)}:0:0`;
    return `${JSON.stringify(key)}={trusted_hash=${JSON.stringify(digestOf(event, group))}}`;
  });
  const values = [
    ...groups.map(([event, group]) => `hooks.${event}=[${groupText(group)}]`),
    `hooks.state={${trusted.join(',')}}`,
  ];
  return { args: [...values.flatMap((value) => ['-c', value]), ...args], env: {} };
}

/** The values of the options `-c` and `--config`. */
function settingsIn(args: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < args.length && args[at] !== '--'; at += 1) {
    const arg = args[at] ?? '';
    const attached = /^(?:-c=?|--config=)(.+)$/s.exec(arg)?.[1];
    if (attached !== undefined) found.push(attached);
    else if (hasValue('codex', arg)) {
      at += 1;
      if (arg === '-c' || arg === '--config') found.push(args[at] ?? '');
    }
  }
  return found;
}

function withinLimit(event: string, { hooks: [hook], ...group }: Group): Group {
  return { ...group, hooks: [{ ...hook, timeout: Math.min(hook.timeout, LONGEST[event] ?? hook.timeout) }] };
}

/** In TOML, whose short strings are those of JSON. */
function groupText({ matcher, hooks: [{ type, command, timeout }] }: Group): string {
  const hook = `{type=${JSON.stringify(type)},command=${JSON.stringify(command)},timeout=${timeout}}`;
  return `{${matcher === undefined ? '' : `matcher=${JSON.stringify(matcher)},`}hooks=[${hook}]}`;
}

/** The digest of the definition as JSON with sorted keys. */
function digestOf(event: string, { matcher, hooks: [{ type, command, timeout }] }: Group): string {
  const definition = {
    event_name: labelOf(event),
    hooks: [{ async: false, command, timeout, type }],
    ...(matcher === undefined ? {} : { matcher }),
  };
  return `sha256:${createHash('sha256').update(JSON.stringify(definition)).digest('hex')}`;
}

/** `PreToolUse`: `pre_tool_use`. */
function labelOf(event: string): string {
  return event.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}
