/**
 * `savepoint install` and `uninstall`: not verbs, because they are about agents' settings and not about a workspace.
 */

import { bytesFromText, type DiskPath, open, SavepointError, showText, type TreePath } from '@savepoint/core';
import { unifiedPatch } from '@savepoint/core/frontend';
import { nodePlaces, nodePorts, nodeSettings } from '@savepoint/core/node';
import { safeJson } from '@savepoint/core/ports';
import { shellCaller } from '../../agent-shell.ts';
import { agentReports, type FileChange, loadAgents, reportToJson, storesFolder, surroundings } from '../../agents.ts';
import type { StandaloneCommand } from '../../command.ts';
import { exporter } from '../../exporter.ts';
import { folderToOpen } from '../../folder.ts';
import { agentLines } from '../../show/agents.ts';
import { outputViewOf } from '../../view.ts';
import { writeAll } from '../../write.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The parsed command line. */
interface InstallRequest {
  readonly what: 'install' | 'uninstall';
  readonly agent: string | undefined;
  readonly user: boolean;
  readonly dryRun: boolean;
  readonly folder: string | undefined;
  readonly json: boolean;
}

export function install(): Promise<StandaloneCommand> {
  return commandOf('install', '[agent]', {
    description:
      "Adds Savepoint's hooks to the settings of an agent, so that all of its steps are recorded on the timeline. " +
      'All other settings are kept, and a backup is next to each file. `--dry-run` shows the diff. Without an agent, lists ' +
      'the agents found on this machine.',
    examples: ['savepoint install', 'savepoint install claude', 'savepoint install gemini --user'],
  });
}

export function uninstall(): Promise<StandaloneCommand> {
  return commandOf('uninstall', '<agent>', {
    description: 'Removes exactly what `install` added. Checkpoints are kept.',
    examples: ['savepoint uninstall claude'],
  });
}

async function commandOf(
  what: InstallRequest['what'],
  operand: string,
  texts: { readonly description: string; readonly examples: readonly string[] },
): Promise<StandaloneCommand> {
  const names = Object.keys((await loadAgents()).AGENTS);
  return {
    ...texts,
    operands: [[operand, `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`]],
    takesCommand: false,
    options: [
      { flags: '--project', description: 'change the settings of this folder (default)', conflicts: 'user' },
      { flags: '--user', description: 'change your user settings, for all folders' },
      { flags: '--dry-run', description: 'only show the diff' },
    ],
    async run({ operands: [agent], options }, { globals: { folder, json }, env }) {
      const [user, dryRun] = [options['user'] === true, options['dryRun'] === true];
      await carryOutInstall({ what, agent, user, dryRun, folder, json }, env);
      return 0;
    },
  };
}

/** @throws SavepointError USAGE, CONFLICT, IO */
async function carryOutInstall(request: InstallRequest, env: Environment): Promise<void> {
  const folder = folderToOpen(request.folder, env);
  const around = surroundings(folder, env);
  const {
    AGENTS,
    backupPath,
    commandsLeftAlone,
    forgetEventsFrom,
    writeChanges: carryOut,
    isAgentName,
    SLASH_COMMANDS,
    planInstall,
    planUninstall,
    settingsPath,
  } = await loadAgents();
  if (request.agent === undefined) {
    const reports = (await agentReports(folder, env)).map(reportToJson);
    const known = Object.keys(AGENTS).join(', ');
    const hint = `Run \`savepoint install <agent>\` to add hooks. Supported agents: ${known}.`;
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
      `Unknown agent ${JSON.stringify(name)}.`,
      { argument: 'agent' },
      { hint: `Supported agents: ${Object.keys(AGENTS).join(', ')}.` },
    );
  }
  const agent = AGENTS[name];
  const place = request.user ? 'user' : 'project';
  const changes = (request.what === 'install' ? planInstall : planUninstall)(agent, place, around);
  const leftAlone = commandsLeftAlone(agent, place, around);
  const problem = request.dryRun
    ? null
    : await recordedWrite({
        request,
        folder,
        env,
        title: agent.title,
        paths: changes.flatMap((change) => [change.path, backupPath(change.path)]),
        write: () => carryOut(changes, storesFolder(env)),
      });
  if (request.what === 'uninstall' && !request.dryRun)
    forgetEventsFrom(storesFolder(env), name, request.user ? '/' : around.project);
  const path = settingsPath(agent, place, around);
  if (request.json) {
    const changeList = changes.map((change) => ({
      path: change.path,
      change: changeWord(change),
      backup: change.backup === null ? null : backupPath(change.path),
      diff: diffLines(change).join('\n'),
    }));
    writeAll(
      1,
      `${safeJson({ agent: name, place, path, changes: changeList, leftAlone, dryRun: request.dryRun }, 0)}\n`,
    );
    return;
  }
  const { style } = outputViewOf(1, env);
  const lines: string[] = [];
  if (changes.length === 0) {
    const already = request.what === 'install' ? 'The hooks are already installed' : 'No Savepoint hooks found';
    lines.push(`${already}: ${showText(path)}`);
  } else if (request.dryRun) {
    for (const change of changes) lines.push(fileLine(change, null), ...shownDiff(change));
    lines.push('Nothing was written (--dry-run).');
  } else {
    for (const change of changes) lines.push(fileLine(change, change.backup === null ? null : backupPath(change.path)));
    const done = request.what === 'install' ? 'Installed hooks for' : 'Removed hooks from';
    lines.push(style.good(`${done} ${agent.title} (${place} settings).`));
  }
  for (const { path: file, why } of leftAlone)
    lines.push(`Left alone: ${showText(file)} (${why}). It is not Savepoint's command.`);
  if (request.what === 'install' && !request.dryRun)
    lines.push(...commandsLine(agent.integration.commands?.prefix, SLASH_COMMANDS));
  if (problem !== null) lines.push(`This is not recorded on the timeline: ${showText(problem.message)}`);
  if (request.what === 'install') lines.push(...agent.integration.notes);
  if (request.what === 'install' && changes.length > 0 && !request.dryRun)
    lines.push(
      `Next: restart ${agent.title} if it is running. \`savepoint status\` then shows whether the hooks arrive.`,
    );
  writeAll(1, `${lines.join('\n')}\n`);
}

function commandsLine(prefix: string | undefined, commands: readonly { readonly name: string }[]): readonly string[] {
  if (prefix === undefined) return [];
  return [`Type these commands at its prompt: ${commands.map(({ name }) => `${prefix}${name}`).join(', ')}.`];
}

interface RecordedWrite {
  readonly request: InstallRequest;
  readonly folder: DiskPath;
  readonly env: Environment;
  readonly title: string;
  readonly paths: readonly string[];
  readonly write: () => void;
}

/** Writes the settings. If the folder has checkpoints, the changes are recorded as made by the user. */
async function recordedWrite({
  request: { what },
  folder,
  env,
  title,
  paths,
  write,
}: RecordedWrite): Promise<SavepointError | null> {
  const savepoint = open({
    dir: folder,
    ports: nodePorts(),
    places: nodePlaces(env),
    settings: nodeSettings(env),
    caller: shellCaller(env),
    exporter: exporter(env, process.argv[1] ?? ''),
  });
  const { problem } = await savepoint.recordOwnEntries({
    what,
    paths,
    description: what === 'install' ? `Installed hooks for ${title}` : `Removed hooks from ${title}`,
    write,
  });
  return paths.length === 0 ? null : problem;
}

function changeWord({ before, after }: FileChange): string {
  if (before === null) return 'create';
  return after === null ? 'delete' : 'write';
}

function fileLine({ path, before, after }: FileChange, backup: string | null): string {
  const word = before === null ? 'new file' : after === null ? 'removed' : 'changed';
  return `${word}: ${showText(path)}${backup === null ? '' : `  (backup: ${showText(backup)})`}`;
}

const MAX_DIFF_LINES = 200;

function shownDiff(change: FileChange): readonly string[] {
  const lines = diffLines(change);
  const rest = lines.length - MAX_DIFF_LINES;
  return [
    ...lines.slice(0, MAX_DIFF_LINES).map((line) => `  ${showText(line)}`),
    ...(rest > 0 ? [`  … and ${rest} more lines`] : []),
  ];
}

/** The hunks of a patch, without its header. */
function diffLines({ path, before, after }: FileChange): readonly string[] {
  // The ids must differ, or the contents count as equal.
  const side = (text: string | null, id: string) =>
    text === null
      ? null
      : ({ kind: 'file', mode: 0o644, id, size: Buffer.byteLength(text), read: () => Buffer.from(text) } as const);
  const [old, now] = [side(before, 'before'), side(after, 'after')];
  const { text } = unifiedPatch([{ path: bytesFromText(path) as TreePath, before: old as never, after: now as never }]);
  return text
    .toString()
    .trimEnd()
    .split('\n')
    .filter((line) => /^[-+ @]/.test(line) && !/^(?:---|\+\+\+) /.test(line));
}
