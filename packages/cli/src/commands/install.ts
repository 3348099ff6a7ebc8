/** `savepoint install` and `uninstall`: no verbs, as they are about agents' settings and no workspace. */

import { bytesFromText, SavepointError, showText, type TreePath, unifiedPatch } from '@savepoint/core';
import { agentReports, type FileChange, loadAgents, reportToJson, surroundings } from '../agents.ts';
import { folderToOpen } from '../folder.ts';
import { safeJson } from '../json.ts';
import { agentLines } from '../show/agents.ts';
import { viewOf } from '../view.ts';
import { writeAll } from '../write.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What was typed. */
export interface InstallRequest {
  readonly what: 'install' | 'uninstall';
  readonly agent: string | undefined;
  readonly project: boolean;
  readonly user: boolean;
  readonly dryRun: boolean;
  readonly folder: string | undefined;
  readonly json: boolean;
}

export const INSTALL = {
  install: {
    summary: "put Savepoint's hooks into an agent's settings",
    description:
      'From then on every step of the agent is on the timeline. Everything else in the settings stays as it is; the ' +
      'difference is shown, and the file as it was is kept beside it. Without an agent it says which ones are here.',
    examples: ['savepoint install', 'savepoint install claude', 'savepoint install gemini --user'],
  },
  uninstall: {
    summary: "take Savepoint's hooks out of an agent's settings again",
    description: 'Takes out exactly what `install` put in. Checkpoints stay.',
    examples: ['savepoint uninstall claude'],
  },
} as const;

/** @throws SavepointError USAGE, CONFLICT, IO */
export async function carryOutInstall(request: InstallRequest, env: Environment): Promise<void> {
  const folder = folderToOpen(request.folder, env);
  const around = surroundings(folder, env);
  const { AGENTS, backupPath, carryOut, isAgentName, planInstall, planUninstall, settingsPath } = await loadAgents();
  if (request.agent === undefined) {
    const reports = (await agentReports(folder, env)).map(reportToJson);
    const known = Object.keys(AGENTS).join(', ');
    const hint = `Install with \`savepoint install <agent>\`; agents: ${known}.`;
    writeAll(
      1,
      request.json ? `${safeJson({ agents: reports }, 0)}\n` : `${[...agentLines(reports, true), hint].join('\n')}\n`,
    );
    return;
  }
  const name = request.agent;
  if (!isAgentName(name)) {
    throw new SavepointError(
      'USAGE',
      `There is no agent ${JSON.stringify(name)}.`,
      { argument: 'agent' },
      { hint: `Agents: ${Object.keys(AGENTS).join(', ')}.` },
    );
  }
  const agent = AGENTS[name];
  const place = request.user ? 'user' : 'project';
  const changes = (request.what === 'install' ? planInstall : planUninstall)(agent, place, around);
  if (!request.dryRun) carryOut(changes, agent.integration.project.length - 1);
  const path = settingsPath(agent, place, around);
  if (request.json) {
    const told = changes.map((change) => ({
      path: change.path,
      change: changeWord(change),
      backup: change.backup === null ? null : backupPath(change.path),
    }));
    writeAll(1, `${safeJson({ agent: name, place, path, changes: told, dryRun: request.dryRun }, 0)}\n`);
    return;
  }
  const { style } = viewOf(1, env);
  const lines: string[] = [];
  if (changes.length === 0) {
    const already = request.what === 'install' ? 'The hooks stand there already' : 'Nothing of Savepoint stands there';
    lines.push(`${already}: ${showText(path)}`);
  } else {
    for (const change of changes) lines.push(...difference(change));
    const done = request.what === 'install' ? 'hooked' : 'no longer hooked';
    lines.push(
      request.dryRun ? 'Nothing was written (--dry-run).' : style.good(`${agent.title} is ${done} (${place}).`),
    );
    for (const { path: file, backup } of changes) {
      if (backup !== null && !request.dryRun) lines.push(`As it was: ${showText(backupPath(file))}`);
    }
  }
  if (request.what === 'install') lines.push(...agent.integration.notes);
  writeAll(1, `${lines.join('\n')}\n`);
}

function changeWord({ before, after }: FileChange): string {
  if (before === null) return 'create';
  return after === null ? 'delete' : 'write';
}

const LINES = 200;

function difference({ path, before, after }: FileChange): readonly string[] {
  const side = (text: string | null) =>
    text === null
      ? null
      : ({ kind: 'file', mode: 0o644, id: '', size: Buffer.byteLength(text), read: () => Buffer.from(text) } as const);
  const [old, now] = [side(before), side(after)];
  const { text } = unifiedPatch([{ path: bytesFromText(path) as TreePath, before: old as never, after: now as never }]);
  const lines = text
    .toString()
    .trimEnd()
    .split('\n')
    .filter((line) => /^[-+ @]/.test(line) && !/^(?:---|\+\+\+) /.test(line));
  const rest = lines.length - LINES;
  return [
    `${before === null ? 'new file' : after === null ? 'removed' : 'changed'}: ${showText(path)}`,
    ...lines.slice(0, LINES).map((line) => `  ${showText(line)}`),
    ...(rest > 0 ? [`  … and ${rest} more lines`] : []),
  ];
}
