/** What the last finished turn broke, for the model with its next prompt. Texts from others are escaped, and limited in length. */

import {
  type CheckpointId,
  type Configuration,
  type Savepoint,
  SavepointError,
  showName,
  showText,
} from '@savepoint/core';
import { truncate } from '@savepoint/core/ports';
import type { AgentEvent } from '../event.ts';

const MAX_TEXT = 1_200;
const MAX_LINE = 300;

type Findings = Awaited<ReturnType<Savepoint['findings']>>['findings'];

/**
 * The checkpoint before the turn that a prompt ends. To be asked before the prompt is recorded.
 * @returns null if the user did not ask for findings, or there is none
 */
export async function beforeLastTurn(
  event: AgentEvent,
  savepoint: Savepoint,
  { hooks }: Pick<Configuration, 'hooks'>,
): Promise<CheckpointId | null> {
  if (!hooks.findingsAfterTurn || event.kind !== 'prompt-given' || event.subAgentId !== null) return null;
  try {
    const { turns } = await savepoint.turns({ session: event.session, limit: 1 });
    return turns[0]?.before ?? null;
  } catch (error) {
    // The first prompt of a session, or of the workspace.
    if (error instanceof SavepointError) return null;
    throw error;
  }
}

/** @param from the checkpoint before the turn @param signal aborts when the agent must get its answer */
export async function turnFindingsText(
  from: CheckpointId | null,
  savepoint: Savepoint,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (from === null) return [];
  try {
    const { findings } = await savepoint.findings({ from }, { signal });
    return textOf(findings, from);
  } catch (error) {
    // What else the agent is to read must not be lost with them.
    if (!(error instanceof SavepointError)) throw error;
    const why = error.code === 'CANCELLED' ? 'it takes too long' : truncate(showText(error.message), MAX_LINE);
    return [`Savepoint did not find out what your last turn broke (${why}). \`savepoint findings ${from}\` says it.`];
  }
}

function textOf(findings: Findings, from: CheckpointId): readonly string[] {
  const broken = findings.filter((one) => one.class === 'breaks');
  if (broken.length === 0) return [];
  const following = findings.filter((one) => one.class === 'follows').length;
  const rows: string[] = [];
  let length = 0;
  for (const { path, line, message } of broken) {
    const where = `${showName(path)}${line === null ? '' : `:${line}`}`;
    const row = truncate(`- ${where}: ${showText(message)}`, MAX_LINE);
    length += row.length;
    if (length > MAX_TEXT) break;
    rows.push(row);
  }
  const more = broken.length - rows.length;
  const rest = [
    ...(more > 0 ? [`${more} more`] : []),
    ...(following > 0 ? [`${following} that follow from these`] : []),
  ];
  return [
    'Savepoint: since your last turn began, changes broke other code:',
    ...rows,
    ...(rest.length > 0 ? [`- and ${rest.join(', and ')}`] : []),
    `\`savepoint findings ${from}\` lists all of it. Fix what was not intended, unless the user wants something else first.`,
  ];
}
