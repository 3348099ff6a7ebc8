/** Output lines about agents. */
import { showText } from '@savepoint/core';
import type { AgentJson } from '../agents.ts';
import { localTime } from './format.ts';

const MAX_UNCOVERED = 5;

/** @param all include agents without hooks */
export function agentLines(agents: readonly AgentJson[], all: boolean): readonly string[] {
  const lines: string[] = [];
  for (const { agent, title, present, installed, lastEvent, lastFailure, uncovered, notes } of agents) {
    if (installed.length === 0) {
      if (all) lines.push(`${agent}: ${title}, ${present ? 'found, no hooks installed' : 'not found'}`);
      continue;
    }
    for (const { place, path, state, problem } of installed) {
      const how =
        { hooked: 'hooks installed', partly: 'hooks incomplete (install again)', unreadable: 'settings unreadable' }[
          state
        ] ?? state;
      lines.push(`${agent}: ${how} (${place}, ${showText(path)})${problem === null ? '' : `: ${showText(problem)}`}`);
    }
    if (lastEvent === null) {
      lines.push('  hooks have not fired yet', ...notes.map((note) => `  ${note}`));
    } else
      lines.push(
        `  last fired ${localTime(lastEvent.time)} (${showText(lastEvent.event)}${lastEvent.folder === '' ? '' : ` in ${showText(lastEvent.folder)}`})`,
      );
    if (lastFailure !== null && (lastEvent === null || lastFailure.time >= lastEvent.time)) {
      lines.push(
        `  last failed ${localTime(lastFailure.time)} (${showText(lastFailure.event)}): ${showText(lastFailure.message)}`,
      );
    }
    for (const { path, why } of uncovered.slice(0, MAX_UNCOVERED)) {
      lines.push(`  not in any checkpoint: ${showText(path)}, written by this agent (${showText(why)})`);
    }
  }
  return lines;
}
