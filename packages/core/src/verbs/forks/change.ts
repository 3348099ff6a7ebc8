/** Verbs that create, merge and remove forks. */

import { SavepointError } from '../../model/errors.ts';
import { nameToJson } from '../../model/names.ts';
import { checkResultShape, checkResultToJson } from '../checks/check.ts';
import { conflictChoicesOf } from '../input/conflict-choices.ts';
import { limitedTo, scopeOf } from '../input/paths.ts';
import { sessionToJson } from '../shapes/conversation-shape.ts';
import { forkShapes, runToJson } from '../shapes/fork-shape.ts';
import { filesOutcomeToJson, operationToJson, timeToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

const MAX_FORKS = 100;

export const forkCreate = verb({
  name: 'fork create',
  summary: 'create a named copy of the workspace to work in',
  description:
    'Copies the workspace as it is, with uncommitted and untracked work and with all repositories, or the state of a ' +
    'checkpoint, into a folder of its own. What is done there does not touch the workspace until `fork merge`. The fork has ' +
    'a timeline of its own, and ten ports of its own, for servers that commands start: commands in it have the first one in ' +
    '`SAVEPOINT_FORK_PORT`, and their number in `SAVEPOINT_FORK_PORTS`. Nothing keeps other programs from using them.\n\nWith a branch, each repository of the fork is a git worktree on that ' +
    'branch, so that commits in it reach the repository of the workspace: `git merge` brings them. Without one, each has a repository of its own. ' +
    'With a command, it runs in each fork in the background. With `dropped:NAME` as state, a dropped fork comes back.' +
    '\n\nWith the id of an approved plan as state, the fork has the files with the plan: it is tried there. The merge of the ' +
    'whole fork then applies the plan to the workspace.' +
    "\n\nWith `conversation`, the agent's conversation is copied as well, as it was at the checkpoint `from`, and names the " +
    'files of the fork. The original stays. The answer has the command that continues it in the fork. Claude Code and ' +
    'Codex can do that.',
  changes: 'store',
  schemas: (shapes) => {
    const { z } = shapes;
    return {
      input: z.strictObject({
        name: z.string(),
        count: z.int().min(1).max(MAX_FORKS).optional().describe('create NAME-1, NAME-2, … at once'),
        from: z
          .string()
          .optional()
          .describe(
            'a checkpoint, an approved plan, or `dropped:NAME` (`dropped:NAME~1`: the one before); default: the files as ' +
              'they are now',
          ),
        branch: z.string().optional().describe('the branch of its worktrees; created if it does not exist'),
        dependencies: shapes.dependencies,
        conversation: z
          .boolean()
          .optional()
          .describe("also copy the agent's conversation, up to `from`, to continue it in the fork"),
        session: z.string().optional().describe('whose conversation; default: the only one since'),
        command: z.array(z.string()).min(1).optional().describe('a command to run in each fork, in the background'),
        variables: z.record(z.string(), z.string()).optional().describe('the environment of the command'),
      }),
      output: z.strictObject({ forks: z.array(forkShapes(shapes).created) }),
    };
  },
  async handle(
    savepoint,
    { name, count, from, branch, dependencies, conversation, session, command, variables = {} },
    { signal, toolCall },
  ) {
    const names = count === undefined ? [name] : Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
    const options = withoutUndefined({ from, branch, dependencies, conversation, session, signal, toolCall });
    const created = await savepoint.createForks(names, {
      ...options,
      ...(command === undefined ? {} : { command: { command, variables } }),
    });
    return {
      forks: created.map(({ fork, files, notes, conversation: continued }) => ({
        name: fork.name,
        id: fork.copy.id,
        folder: files && nameToJson(files),
        checkpoint: fork.checkpoint,
        created: timeToJson(fork.copy.created),
        branch: fork.branch,
        plan: fork.plan,
        port: fork.port,
        continue: continued && sessionToJson(continued),
        notes: [...notes],
      })),
    };
  },
});

export const forkRun = verb({
  name: 'fork run',
  summary: 'run a command in a fork, in the background',
  description:
    'Starts a command in the folder of the fork. It goes on after this command and the shell have ended, and what it prints ' +
    'is kept. `fork show` shows whether it runs and how it ended.',
  changes: 'store',
  schemas: (shapes) => {
    const { z } = shapes;
    return {
      input: z.strictObject({
        name: z.string(),
        command: z.array(z.string()).min(1),
        variables: z.record(z.string(), z.string()).optional().describe('its environment'),
      }),
      output: forkShapes(shapes).run,
    };
  },
  async handle(savepoint, { name, command, variables = {} }, { signal }) {
    return runToJson(await savepoint.runInFork(name, { command, variables }, withoutUndefined({ signal })));
  },
});

export const forkMerge = verb({
  name: 'fork merge',
  summary: 'merge the changes of a fork into the workspace',
  description:
    'Changes the workspace as the fork was changed since it left it, or since its last merge, by a three-way merge: all or ' +
    'nothing. What changed in the workspace meanwhile stays. If both changed the same lines, that is a conflict and nothing ' +
    'is changed. Ignored files are merged only if their paths are named. It merges files, which are then uncommitted, and names the commits that ' +
    '`git merge` would bring. `undo` reverts a merge, and the fork can then be merged again.\n\nWith `check`, the merged state is made real in a copy first, and checks run there. New failures, ' +
    'compared with the workspace as it is, refuse the merge, and so do checks that give no answer. With `override`, it is ' +
    'merged all the same, and the reason is recorded with the checkpoint. With `dryRun`, the checks run and nothing is merged.',
  changes: 'files',
  schemas: (shapes) => {
    const { z, jsonName, inverted, conflictFields } = shapes;
    return {
      input: z.strictObject({
        name: z.string(),
        paths: z.array(jsonName).min(1).optional().describe('only these paths and below'),
        ...conflictFields,
        check: z
          .array(z.string())
          .optional()
          .describe('run checks of the merged state first: names of checks, tools or kinds; empty: all'),
        override: z.string().optional().describe('why it is merged although checks fail; recorded with the checkpoint'),
        force: z.boolean().optional().describe('also change frozen paths; not available to agents'),
        dryRun: z.boolean().optional().describe('only preview what would happen'),
        expected: z.string().optional().describe('the fingerprint of the preview that the user accepted'),
      }),
      output: inverted.omit({ undoes: true, openCalls: true }).extend({
        checks: z
          .array(checkResultShape(shapes))
          .nullable()
          .describe('of the merged state; null: none were asked for, or there was nothing to check'),
      }),
    };
  },
  status: ({ dryRun, outcome }) => (dryRun && outcome === 'conflict' ? 3 : 0),
  async handle(
    savepoint,
    { name, paths = [], check, override, force, dryRun, expected, ...input },
    { signal, toolCall, onOutput },
  ) {
    const place = await savepoint.place();
    const options = {
      ...withoutUndefined({ force, expected, signal, toolCall, onOutput }),
      ...(await conflictChoicesOf(savepoint, input)),
      ...(paths.length === 0 ? {} : limitedTo(scopeOf(place, paths))),
      ...withoutUndefined({ check, override }),
    };
    const seen =
      dryRun === true ? await savepoint.previewMerge(name, options) : await savepoint.mergeFork(name, options);
    const checks = seen.checks?.map(checkResultToJson) ?? null;
    return { ...operationToJson(seen, []), ...filesOutcomeToJson(seen), checks };
  },
});

export const forkDrop = verb({
  name: 'fork drop',
  summary: 'remove a fork; its last state is kept',
  description:
    'Ends the commands in the fork, keeps its last state in the store, and removes its folder. A new fork from ' +
    '`dropped:NAME` brings it back. It refuses if something is not merged, a command runs, or only its own repository has commits, unless forced; agents ' +
    'cannot force it. Ignored files over the limits of checkpoints, and those commits, are not kept.',
  changes: 'store',
  schemas: ({ z }) => ({
    input: z.strictObject({
      name: z.string(),
      force: z.boolean().optional().describe('also with changes that are not merged; not available to agents'),
    }),
    output: z.strictObject({ dropped: z.string(), notes: z.array(z.string()).describe('what remains of it') }),
  }),
  async handle(savepoint, { name, force }, { signal }) {
    if (name === '') throw new SavepointError('USAGE', 'The name of the fork is missing.', { argument: 'name' });
    const notes = await savepoint.dropFork(name, withoutUndefined({ force, signal }));
    return { dropped: name, notes: [...notes] };
  },
});

export const forkClean = verb({
  name: 'fork clean',
  summary: 'drop the forks that are merged, and what dead processes left of forks',
  description:
    'Drops each fork of which everything is merged and in which no command runs. Their last states are kept. A fork with ' +
    'commits that the repository of the workspace does not have stays.',
  changes: 'store',
  schemas: ({ z }) => ({
    input: z.strictObject({}),
    output: z.strictObject({
      dropped: z.array(z.string()),
      debris: z.array(z.string()).describe('copies that processes left when they died'),
      notes: z.array(z.string()),
    }),
  }),
  async handle(savepoint, _input, { signal }) {
    const { dropped, debris, notes } = await savepoint.cleanForks(withoutUndefined({ signal }));
    return { dropped: [...dropped], debris: [...debris], notes: [...notes] };
  },
});
