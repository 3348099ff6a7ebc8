import { nameFromJson, showName, showText } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { nameOfArgument, splitAtPath } from '../../argument-path.ts';
import { command, lines } from '../../command.ts';
import { authorsText, uncertainLegend } from '../../show/authors.ts';
import { gapReason, listWithHeading } from '../../show/capture.ts';
import { changeLine, totalsLine } from '../../show/changes.ts';
import { checkText } from '../../show/check-summary.ts';
import { shortText } from '../../show/checkpoint.ts';
import { countText, localTime, pathText, sizeText } from '../../show/format.ts';
import { patchText } from '../../show/patch.ts';
import { rootChangeLines } from '../../show/roots.ts';

export const show = command({
  verb: VERBS.show,
  operands: [
    ['<checkpoint>', 'cp_12, last, @prompt, @session, a commit id or @{10 minutes ago}; with :PATH, a file in it'],
  ],
  takesPaths: false,
  isPaged: true,
  options: [{ flags: '-p, --patch', description: 'also show the changes as a patch in git format' }],
  examples: [
    'savepoint show last',
    'savepoint show cp_12 --patch',
    'savepoint show cp_12:src/a.ts',
    "savepoint show '@{2 hours ago}'",
  ],

  async instead({ operands: [operand = ''], options }) {
    const found = splitAtPath(operand);
    if (found === null) return null;
    const { checkpoint, path } = found;
    const { cat } = await import('./cat.ts');
    return { command: cat, given: { operands: [checkpoint], paths: [nameOfArgument(path)], options } };
  },

  input: ({ operands, options }) => ({
    checkpoint: operands[0] ?? '',
    ...(options['patch'] === true ? { patch: true } : {}),
  }),

  render(checkpoint, view) {
    const { style } = view;
    const { id, commit, time, trigger, actor, by, counts, roots, partial, unsettled, changes, totals } = checkpoint;
    const row = (name: string, value: string | null): string[] =>
      value === null ? [] : [`${style.faint(`${name}:`.padEnd(10))} ${value}`];
    const text = lines(
      `${style.id(id)}  ${showText(checkpoint.description, 'keep').replaceAll('\n', '\n      ')}`,
      row('taken', `${localTime(time)} (${trigger}, caused by ${nameOf(actor)})`),
      row('authors', totals.files === 0 ? null : by.map(nameOf).join(' or ')),
      row('session', checkpoint.session === null ? null : showText(checkpoint.session)),
      row('tool', checkpoint.tool === null ? null : toolLine(checkpoint.tool, checkpoint.toolCall)),
      row('prompt', checkpoint.conversation?.lastUser == null ? null : shortText(checkpoint.conversation.lastUser)),
      row('commit', commit),
      row('previous', checkpoint.previous),
      row(trigger === 'rollback' ? 'lines as in' : 'restored', checkpoint.target),
      row('undoes', checkpoint.undoes),
      row('tests', checkpoint.testResult),
      row('checks', checkpoint.checks === null ? null : checkpoint.checks.checks.map(checkText).join(', ')),
      row(
        'content',
        `${countText(counts.files, 'file')}, ${countText(counts.links, 'link')}, ${sizeText(counts.bytes)}`,
      ),
      roots
        .filter(({ kind }) => kind === 'repository')
        .flatMap(({ path, branch, commit: head, operation }) => [
          ...row(
            'repository',
            `${path === '' ? '.' : pathText(path)}  ${branch === null ? 'detached' : showName(nameFromJson(branch))}` +
              `  ${head?.slice(0, 10) ?? 'no commit'}${operation === null ? '' : `  (${showText(operation)} in progress)`}`,
          ),
        ]),
      rootChangeLines(checkpoint.rootChanges).map((line) => `since ${checkpoint.previous}: ${line}`),
      listWithHeading(
        partial.map((gap) => `${pathText(gap.path)} (${gapReason(gap)})`),
        (count) => `partial: ${countText(count, 'path')} could not be read`,
        Number.POSITIVE_INFINITY,
      ),
      listWithHeading(
        unsettled.map(pathText),
        (count) => `unsettled: ${countText(count, 'file')} kept changing while being read`,
        Number.POSITIVE_INFINITY,
      ),
      checkpoint.incomplete
        ? ['the list of changes is incomplete: a folder could not be compared, because the store is damaged']
        : [],
      changes === null
        ? checkpoint.previous === null
          ? []
          : [`changes: ${totalsLine(totals)}; see \`savepoint diff ${checkpoint.previous} ${id}\``]
        : changes.length === 0
          ? ['no changes']
          : [
              `changes since ${checkpoint.previous}: ${totalsLine(totals)}`,
              ...changes.map((one) => `  ${changeLine(one, style)}  ${style.faint(`by ${authorsText(one)}`)}`),
              ...uncertainLegend(changes),
            ],
    );
    const { patch } = checkpoint;
    if (patch === null) return text;
    return Buffer.concat([Buffer.from(`${text}\n`), Buffer.from(patchText(nameFromJson(patch.text), view))]);
  },
});

type ToolJson = NonNullable<OutputOf<(typeof VERBS)['show']>['tool']>;

type ActorJson = OutputOf<(typeof VERBS)['show']>['actor'];

function nameOf({ kind, name }: ActorJson): string {
  return kind === name ? kind : `${kind} ${showText(name)}`;
}

function toolLine({ name, summary, took }: ToolJson, call: string | null): string {
  return [
    showText(name),
    ...(summary === '' ? [] : [shortText(summary)]),
    ...(took === null ? [] : [`took ${took < 1000 ? `${took} ms` : `${Math.round(took / 100) / 10} s`}`]),
    ...(call === null ? [] : [`call ${showText(call)}`]),
  ].join(', ');
}
