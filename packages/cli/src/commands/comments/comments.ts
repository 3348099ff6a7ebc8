/** Commands for comments on lines. */

import { nameFromJson, showName, showText } from '@savepoint/core';
import { type OutputOf, showContent, VERBS } from '@savepoint/core/frontend';
import { nameOfArgument } from '../../argument-path.ts';
import { command, lines } from '../../command.ts';
import { linesOfArgument } from '../../lines-argument.ts';
import { countText, localTime } from '../../show/format.ts';
import type { OutputView } from '../../view.ts';

type CommentJson = OutputOf<typeof VERBS.commentAdd>;

const STATE_OPTIONS = [
  { flags: '--plan <plan>', description: 'lines that a plan proposes; `last` is the newest plan' },
  { flags: '--at <checkpoint>', description: 'lines of the files in a checkpoint (default: the folder now)' },
  { flags: '--from <checkpoint>', description: 'the state before the change (default: the one before)' },
] as const;

export const commentAdd = command({
  verb: VERBS.commentAdd,
  operands: [
    ['<lines>', 'a file with a line or a range of lines: src/a.ts:12 or src/a.ts:12-15'],
    ['<text>', 'what the agent is to know'],
  ],
  takesPaths: false,
  options: [...STATE_OPTIONS, { flags: '--removed', description: 'lines of the state before the change' }],
  examples: [
    "savepoint comment add src/a.ts:12 'Handle the empty list, too.'",
    "savepoint comment add src/a.ts:3-7 --plan plan_1a2b3c4d 'Keep the old name.'",
  ],
  input: ({ operands: [where = '', text = ''], options }) => ({
    ...linesOfArgument(where, '<lines>'),
    text,
    ...stateIn(options),
    ...(options['removed'] === true ? { side: 'before' as const } : {}),
  }),
  render: (comment, view) => lines(commentLines(comment, view), deliveryText(comment)),
});

export const commentList = command({
  verb: VERBS.commentList,
  operands: [['[paths...]', 'files or folders (default: all)']],
  takesPaths: true,
  options: [...STATE_OPTIONS, { flags: '-a, --all', description: 'also those that are resolved' }],
  examples: ['savepoint comment list', 'savepoint comment list --all src'],
  input: ({ operands: names, paths, options }) => ({
    ...(names.length + paths.length === 0 ? {} : { paths: [...names.map(nameOfArgument), ...paths] }),
    ...stateIn(options),
    ...(options['all'] === true ? { all: true } : {}),
  }),
  render: ({ comments, resolved }, view) =>
    comments.length === 0
      ? lines(
          resolved === 0
            ? 'There are no comments.'
            : `There are no open comments. ${countText(resolved, 'comment')} ${resolved === 1 ? 'is' : 'are'} resolved: \`savepoint comment list --all\`.`,
        )
      : lines(...comments.map((one) => [...commentLines(one, view), `  ${deliveryText(one)}`])),
});

export const commentResolve = command({
  verb: VERBS.commentResolve,
  operands: [['<id>', 'the comment; `last` is the newest']],
  takesPaths: false,
  options: [{ flags: '--reopen', description: 'open it again' }],
  examples: ['savepoint comment resolve cm_1a2b3c4d'],
  input: ({ operands: [id = ''], options }) => ({ id, ...(options['reopen'] === true ? { reopen: true } : {}) }),
  render: (comment) =>
    lines(comment.status === 'resolved' ? `${comment.id} is resolved.` : `${comment.id} is open again.`),
});

export const commentDelete = command({
  verb: VERBS.commentDelete,
  operands: [['<id>', 'the comment; `last` is the newest']],
  takesPaths: false,
  options: [],
  examples: ['savepoint comment delete cm_1a2b3c4d'],
  input: ({ operands: [id = ''] }) => ({ id }),
  render: ({ id }) => lines(`${id} was deleted.`),
});

/** Of the quoted lines. */
const SHOWN = 5;

function commentLines(comment: CommentJson, { style }: OutputView): string[] {
  const { id, path, place, made_at: made, plan, side, text, status, time } = comment;
  const at = place ?? made;
  const where = `${showName(nameFromJson(path))}:${at.first}${at.last === at.first ? '' : `-${at.last}`}`;
  const notes = [
    ...(plan === null ? [] : [`${plan.id}, revision ${plan.revision}`]),
    ...(side === 'before' ? ['before the change'] : []),
    ...(place === null ? ['outdated: the lines are gone'] : []),
    ...(status === 'resolved' ? ['resolved'] : []),
  ];
  const quoted = nameFromJson(comment.lines).replace(/\n$/, '').split('\n');
  const more = quoted.length - SHOWN;
  return [
    `${id}  ${where}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}  ${localTime(time)}`,
    ...quoted.slice(0, SHOWN).map((line) => style.faint(`  | ${showContent(line.replace(/\r$/, ''))}`)),
    ...(more > 0 ? [style.faint(`  | and ${more} more ${more === 1 ? 'line' : 'lines'}`)] : []),
    ...showText(text, 'keep')
      .split('\n')
      .map((line) => `  ${line}`),
  ];
}

function deliveryText({ agent, session, delivery, sent, status }: CommentJson): string {
  if (sent !== null) return `Sent to ${nameOf(sent)}, ${localTime(sent.time)}.`;
  if (status === 'resolved') return 'It was not sent.';
  if (agent === null) return 'The next agent in this folder gets it with its next prompt.';
  return delivery === 'prompt'
    ? `${nameOf({ agent, session })} gets it with its next prompt.`
    : `${showText(agent)} has no hooks, so it gets it only if it calls the tool plan_status.`;
}

function nameOf({ agent, session }: { readonly agent: string; readonly session: string | null }): string {
  return `${showText(agent)}${session === null ? '' : ` (session ${showText(session.slice(0, 8))})`}`;
}

function stateIn(options: Readonly<Record<string, unknown>>) {
  const text = (key: 'plan' | 'at' | 'from') => (typeof options[key] === 'string' ? { [key]: options[key] } : {});
  return { ...text('plan'), ...text('at'), ...text('from') } as { plan?: string; at?: string; from?: string };
}
