import { nameFromJson, showName, showText } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { confirm } from '../../input/confirm.ts';
import { countText } from '../../show/format.ts';

type TrustJson = OutputOf<typeof VERBS.trust>;

export const trust = command({
  verb: VERBS.trust,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '-l, --list', description: 'only list the commands', conflicts: ['revoke', 'yes'] },
    { flags: '--at <checkpoint>', description: 'the checks of this checkpoint, for `check --at` or `--base`' },
    { flags: '--fork <name>', description: 'the checks of this fork, for `fork check`', conflicts: 'at' },
    { flags: '--plan <id>', description: 'the checks of this plan, for `plan check`', conflicts: ['at', 'fork'] },
    { flags: '--revoke', description: 'trust nothing any more', conflicts: ['at', 'fork', 'plan'] },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  examples: ['savepoint trust', 'savepoint trust --list', 'savepoint trust --revoke'],

  input: ({ options }) => ({
    ...(typeof options['at'] === 'string' ? { at: options['at'] } : {}),
    ...(typeof options['fork'] === 'string' ? { fork: options['fork'] } : {}),
    ...(typeof options['plan'] === 'string' ? { plan: options['plan'] } : {}),
    ...(options['revoke'] === true ? { revoke: true } : {}),
  }),

  async carryOut(input, { options }, context) {
    const { savepoint, signal } = context;
    const seen = await VERBS.trust.handle(savepoint, input, { signal });
    const isNew = seen.checks.some((check) => check.trust !== 'trusted');
    if (options['list'] === true || input.revoke === true || !isNew) return seen;
    if (options['yes'] !== true) {
      await confirm(context, {
        verb: 'trust',
        consequence: `This would let ${countText(seen.checks.length, 'command')} of the project run`,
        hint: 'See `savepoint trust --list`. Repeat with --yes to proceed.',
        preview: lines(shownChecks(seen)),
        question: 'Trust these commands?',
        declinedMessage: 'Nothing is trusted.',
      });
    }
    return VERBS.trust.handle(savepoint, { ...input, digest: seen.digest }, { signal });
  },

  render: (result, _, { options }) =>
    lines(shownChecks(result), options['revoke'] === true ? 'Nothing is trusted any more.' : summary(result)),
});

const STATES = { trusted: 'trusted', changed: 'changed since it was trusted', new: 'not trusted' } as const;
/** A script with more lines is shown as its file. */
const MAX_LINES = 20;

function shownChecks({ checks, notes }: TrustJson): readonly string[] {
  return [
    ...checks.flatMap(({ name, trust: state, command: words, variables, folder, runs, definedBy, onRequest }) => {
      const place = nameFromJson(folder);
      const assignments = Object.entries(variables).map(([key, value]) => `${key}=${quoted(value)}`);
      const script = (runs ?? '').trimEnd().split('\n');
      return [
        `${showText(name)}  (${STATES[state]}${onRequest ? '; only on request' : ''})`,
        `    ${[...assignments, ...words.map(quoted)].join(' ')}${place === '' ? '' : `    in ${showName(place)}`}`,
        ...(runs === null ? [] : script.slice(0, MAX_LINES).map((line) => `    → ${showText(line)}`)),
        ...(script.length > MAX_LINES ? [`    → … ${countText(script.length - MAX_LINES, 'more line')}`] : []),
        ...(definedBy.length === 0
          ? []
          : [`    from ${definedBy.map((file) => showName(nameFromJson(file))).join(', ')}`]),
      ];
    }),
    ...notes.map((note) => showText(note)),
  ];
}

function summary({ checks }: TrustJson): string {
  if (checks.length === 0) return 'No checks were found.';
  const trusted = checks.filter((check) => check.trust === 'trusted').length;
  return trusted === checks.length
    ? `${countText(trusted, 'check')} can run with \`savepoint check\`.`
    : `${countText(checks.length - trusted, 'check')} cannot run before \`savepoint trust\`.`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${showText(word).replaceAll("'", "'\\''")}'`;
}
