/** What an agent's model reads about plan mode and about its plans. Texts from others are escaped, and limited in length. */

import { nameFromJson, type Session, showName, showText } from '@savepoint/core';
import { truncate } from '@savepoint/core/ports';
import type { ToolCall } from '../event.ts';
import { shortText } from './short-text.ts';

type HeldCall = NonNullable<Awaited<ReturnType<Session['hold']>>>;
type PlanNews = Awaited<ReturnType<Session['planNews']>>;

const MAX_REJECTED = 20;
const MAX_WORDS = 4_000;
const MAX_MESSAGE = 2_000;

const GO_ON =
  'Go on as if it were applied. The files on disk keep their old content until the user applies the plan, so reading them ' +
  'shows them without your proposals.';
const AGAIN =
  'To edit such a file again, name text of the proposed version or of the file on disk, or write the whole file. Text of ' +
  'the file on disk that you have already proposed to change is replaced by the newer edit.';
const THEN = 'When all changes are proposed, end your turn: the user reviews the plan.';
const SHELL =
  'Savepoint plan mode: the command was not run. Commands could change files, and cannot be recorded as a proposal. Read ' +
  'files with your other tools, and propose changes with your edit tools. If you cannot work without a shell, tell the user: ' +
  '`savepoint run --isolated --plan -- AGENT` starts you in a copy with a shell, and makes a plan of what you change.';
const TOOL =
  'was not run. It could change files, and what it would do cannot be recorded as a proposal. Use the tools that edit one ' +
  'file, or ask the user to turn plan mode off.';
const UNKNOWN =
  'Nothing was changed or recorded, because the call does not say what it would write. Write the whole file, or replace ' +
  'text in it. Instead of moving a file, add the new one and delete the old one.';
const OUTSIDE =
  'is not in the workspace, so a plan cannot contain it. Nothing was changed or recorded. Propose changes of files in the ' +
  'workspace. If you need this file, ask the user to change it, or to turn plan mode off.';

/** Said where a prompt or a session begins. */
export function isOnText(): readonly string[] {
  return [
    'Savepoint plan mode is on: your edits of files are recorded as a plan that the user reviews, and are not applied. ' +
      'Each edit tool answers that it was refused; the answer says what was recorded. Shell commands are refused.',
  ];
}

/** The same in a copy whose changes become a plan. */
export function inCopyText(): readonly string[] {
  return [
    'Savepoint: you work in a copy of the folder. What you change there becomes a plan that the user reviews, and is not ' +
      'applied before. Use all of your tools as usual.',
  ];
}

export function heldText(held: HeldCall, { tool }: Pick<ToolCall, 'tool'>): readonly string[] {
  switch (held.kind) {
    case 'shell':
      return [SHELL];
    case 'tool':
      return [`Savepoint plan mode: ${shortText(tool)} ${TOOL}`];
    case 'unknown':
      return [`Savepoint plan mode: ${shortText(tool)} was not run. ${UNKNOWN}`];
    case 'outside':
      return [
        `Savepoint plan mode: ${shortText(tool)} was not run. ${shortText(showName(nameFromJson(held.path)))} ${OUTSIDE}`,
      ];
    case 'recorded': {
      const { plan, revision, files } = held;
      const size = files === 0 ? 'changes nothing now' : `changes ${files} ${files === 1 ? 'file' : 'files'}`;
      return [
        `Savepoint plan mode: this edit was not applied. It was recorded as a proposal in ${plan} (revision ${revision}, ${size}).`,
        `${GO_ON} ${AGAIN}`,
        ...conflictsText(held.conflicts),
        THEN,
      ];
    }
  }
}

export function failedText(message: string): readonly string[] {
  return [
    `Savepoint plan mode: nothing was changed, and nothing was recorded. ${truncate(showText(message), MAX_MESSAGE)}`,
  ];
}

/** @param isInCopy the agent works in a copy with the files of the plan */
export function newsText(news: PlanNews, isInCopy = false): readonly string[] {
  return news.flatMap(({ id, intent, revision, status, words, rejected, applied, isCancelled }) => {
    const name = `${id} (${shortText(intent)})`;
    const rest = rejected.length - MAX_REJECTED;
    const isOpen = status === 'pending' || status === 'approved';
    return [
      ...(words.length === 0
        ? []
        : [`Savepoint: the user asks for changes of your plan ${name}, revision ${revision}:`]),
      ...words.map((text) => truncate(showText(text, 'keep'), MAX_WORDS)),
      ...(rejected.length === 0 ? [] : [`Savepoint: the user rejected these parts of your plan ${name}:`]),
      ...rejected.slice(0, MAX_REJECTED).map(({ path, hunk }) => {
        const lines =
          hunk === null ? '' : ` hunk ${hunk.number} (proposed lines ${hunk.start}-${hunk.start + hunk.count - 1})`;
        return `- ${showName(path)}${lines}`;
      }),
      ...(rest > 0 ? [`- and ${rest} more`] : []),
      ...(words.length > 0 && isOpen ? [isInCopy ? REVISE_IN_COPY : REVISE] : []),
      ...applied.map(({ checkpoint, left }) => {
        const where = checkpoint === null ? 'its files were already like that' : checkpoint;
        const names = left.slice(0, MAX_REJECTED).map(showName);
        const more = left.length > names.length ? `, and ${left.length - names.length} more` : '';
        const without = left.length === 0 ? '' : ` Left out, because it did not merge: ${names.join(', ')}${more}.`;
        return `Savepoint: your plan ${name} was applied (${where}).${without} Read its files again before you edit them.`;
      }),
      ...(isCancelled ? [`Savepoint: the user cancelled your plan ${name}. None of it will be applied.`] : []),
    ];
  });
}

function conflictsText(paths: Extract<HeldCall, { readonly kind: 'recorded' }>['conflicts']): readonly string[] {
  if (paths.length === 0) return [];
  const rest = paths.length - MAX_REJECTED;
  const names = paths.slice(0, MAX_REJECTED).map((path) => showName(path));
  return [
    `The user changed the same lines as the plan in ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}. What you proposed ` +
      'there stays in the plan as it was, in conflict. To resolve it, read such a file again and write it as a whole. ' +
      'Otherwise the user decides when the plan is applied. You read this once.',
  ];
}

const REVISE =
  'Revise the plan as they say: in plan mode with your edit tools, whose edits are added to it, otherwise with ' +
  '`plan_revise`. `plan_status` shows it. What was rejected is not applied if you leave it as it is.';
const REVISE_IN_COPY =
  'Change the files in this copy as they say: what differs from the folder becomes the next revision of the plan. What was ' +
  'rejected is not applied if you leave it as it is.';
