/** Output lines about agents. */
import { showText } from '@savepoint/core';
import type { AgentJson } from '../agents.ts';
import { localTime } from './format.ts';

const MAX_UNCOVERED = 5;

/** @param all include agents without hooks */
export function agentLines(agents: readonly AgentJson[], all: boolean): readonly string[] {
  const lines: string[] = [];
  for (const one of agents) {
    const { agent, title, present, installed, lastEvent, lastEventHere, lastFailure, uncovered, notes } = one;
    if (one.missed && lastEventHere !== null) {
      lines.push(
        `${agent}: no hooks here any more, so its steps are not recorded (last fired ${localTime(lastEventHere.time)}). Run \`savepoint install ${agent}\`.`,
      );
      continue;
    }
    if (installed.length === 0) {
      if (all) lines.push(`${agent}: ${title}, ${present ? 'found, no hooks installed' : 'not found'}`);
      continue;
    }
    for (const { place, path, state, problem, problems, renewal } of installed) {
      const again = `\`savepoint install ${agent}${place === 'user' ? ' --user' : ''}\``;
      const how =
        { hooked: 'hooks installed', partly: 'hooks incomplete (install again)', unreadable: 'settings unreadable' }[
          state
        ] ?? state;
      lines.push(`${agent}: ${how} (${place}, ${showText(path)})${problem === null ? '' : `: ${showText(problem)}`}`);
      lines.push(...problems.map((each) => `  they do not work: ${showText(each)}. Run ${again}.`));
      if (renewal !== null && problems.length === 0) lines.push(`  they work; ${again} would ${showText(renewal)}`);
    }
    if (lastEventHere !== null) lines.push(`  last fired ${eventText(lastEventHere)}`);
    else {
      const elsewhere = lastEvent === null ? '' : ` here; elsewhere, they last fired ${eventText(lastEvent)}`;
      lines.push(`  hooks have not fired yet${elsewhere}`, ...notes.map((note) => `  ${note}`));
    }
    if (lastFailure !== null) {
      lines.push(
        `  last failed ${localTime(lastFailure.time)} (${showText(lastFailure.event)}): ${showText(lastFailure.message)}`,
      );
    }
    for (const { path, why } of uncovered.slice(0, MAX_UNCOVERED)) {
      lines.push(
        `  not in any checkpoint: ${showText(path)}, which this agent wrote or was about to write (${showText(why)})`,
      );
    }
  }
  return lines;
}

function eventText({ time, event, folder }: NonNullable<AgentJson['lastEvent']>): string {
  return `${localTime(time)} (${showText(event)} in ${showText(folder)})`;
}
