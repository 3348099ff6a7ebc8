import type { DiffOptions, DiffResult } from '../../engine/calls/checkpoints.ts';
import { SavepointError } from '../../model/errors.ts';
import { exactName, isWithin, nameToJson, type TreePath } from '../../model/names.ts';
import type { Savepoint } from '../../savepoint.ts';
import { WORK_STARTS } from '../../timeline/query/work-starts.ts';
import { conflictChoicesOf } from '../input/conflict-choices.ts';
import { limitedTo, scopeOf } from '../input/paths.ts';
import { conversationFields, conversationToJson } from '../shapes/conversation-shape.ts';
import { briefToJson, notHappenedToJson, operationToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const restore = verb({
  name: 'restore',
  summary: 'restore files from a checkpoint',
  description:
    'Makes the workspace equal to the checkpoint, byte for byte and atomically. With paths, restores only those ' +
    'paths; from a subfolder, only that subfolder. The current state is captured first, so `undo` can revert a ' +
    'restore. Files that are not in the checkpoint are kept if they are ignored or could not be captured.\n\nOnly ' +
    'files are restored. Branch, HEAD, index and stash do not change. With `git`, branch, HEAD and index are restored ' +
    'as well: the index is rebuilt from the commit, or restored exactly if the option `record_index` is on. `undo` ' +
    'reverts all three. A deleted .git folder is not restored.\n\nWith `conversation`, the conversation of the agent goes ' +
    'back to the same place, as a new session; the result has the command that continues it. If it cannot go back, the ' +
    'files still do, and the result says why.',
  changes: 'files',
  schemas: (shapes) => {
    const { z, jsonName, checkpointName, restored, conflictFields } = shapes;
    return {
      input: z.strictObject({
        checkpoint: checkpointName,
        paths: z.array(jsonName).min(1).optional().describe('only these paths and below'),
        all: z.boolean().optional().describe('the entire workspace, even from a subfolder'),
        root: jsonName.optional().describe('only this repository, without nested ones'),
        allowPartial: z
          .boolean()
          .optional()
          .describe(
            'proceed even if a root was not captured, or cannot be captured now; such roots are left untouched and ' +
              'listed',
          ),
        mode: z
          .enum(['exact', 'keep-outside'])
          .optional()
          .describe(
            '`exact`: the paths become equal to the checkpoint. `keep-outside`: reverts only what agents changed since, ' +
              'and keeps all other changes; if no agent changed anything, keeps only changes since the last checkpoint. ' +
              'Default: `exact`, but a conflict if both agents and others changed the paths since',
          ),
        ...conflictFields,
        dryRun: z.boolean().optional().describe('only preview what would happen'),
        git: z
          .boolean()
          .optional()
          .describe(
            'also restore branch, HEAD and index of each repository; commits that become unreachable are kept in the ' +
              'store',
          ),
        force: z.boolean().optional().describe('also change frozen paths; not available to agents'),
        expected: z.string().optional().describe('the fingerprint of the preview that the user accepted'),
        conversation: z
          .union([z.boolean(), z.literal('only')])
          .optional()
          .describe(
            "also take the agent's conversation back to the same place, as a new session; `only`: the files stay. The " +
              'original conversation is not changed',
          ),
        session: z
          .string()
          .optional()
          .describe(
            'the session whose conversation goes back; default: that of the checkpoint, or the only one that was active ' +
              'since',
          ),
      }),
      output: restored.extend(conversationFields(shapes)),
    };
  },

  status({ dryRun, outcome, conversation, conversationRewound }) {
    if (dryRun && outcome === 'conflict') return 3;
    if (conversation === null || (dryRun ? conversation.possible : conversationRewound)) return 0;
    // Files that go back without their conversation are done in part.
    return conversation.only ? 1 : 5;
  },

  async handle(savepoint, input, context) {
    const wanted = input.paths ?? [];
    if (input.all === true && wanted.length > 0) {
      throw new SavepointError('USAGE', 'The entire workspace (--all) and single paths cannot be combined.', {
        argument: 'all',
      });
    }
    if (input.root !== undefined && (input.all === true || wanted.length > 0)) {
      throw new SavepointError('USAGE', 'A root (--root) cannot be combined with paths or with --all.', {
        argument: 'root',
      });
    }
    const place = await savepoint.place();
    const before = await savepoint.notHappened();
    const paths = input.all === true || input.root !== undefined ? [] : scopeOf(place, wanted);
    const root = input.root === undefined ? undefined : scopeOf(place, [input.root])[0];
    const { mode, expected, force, allowPartial, git, conversation, session } = input;
    if (conversation === 'only') assertOnlyConversation(input);
    if (session !== undefined && (conversation ?? false) === false) {
      throw new SavepointError('USAGE', 'A session (--session) is chosen only for its conversation (--conversation).', {
        argument: 'session',
      });
    }
    const options = withoutUndefined({
      ...limitedTo(paths),
      root: root === undefined ? undefined : exactName(root),
      allowPartial,
      git,
      mode,
      expected,
      force,
      conversation,
      session,
      signal: context.signal,
      toolCall: context.toolCall,
      ...(await conflictChoicesOf(savepoint, input)),
    });
    const seen =
      input.dryRun === true
        ? await savepoint.previewRestore(input.checkpoint, options)
        : await savepoint.restore(input.checkpoint, options);
    const touches = (one: TreePath): boolean =>
      root === undefined
        ? paths.length === 0 || paths.some((path) => isWithin(path, one) || isWithin(one, path))
        : one === root;
    const recorded = seen.target.roots.filter(({ path }) => touches(path));
    const parties = 'parties' in seen ? seen.parties : null;
    const output = operationToJson(seen, recorded);
    const isPlain = mode === undefined && root === undefined;
    return {
      ...output,
      target: briefToJson(seen.target),
      notHappened: notHappenedToJson(before),
      parties: parties && { agents: [...parties.agents], outside: parties.outside.map(nameToJson) },
      ...conversationToJson(seen, conversation === 'only'),
      alternatives:
        output.outcome === 'nothing' && isPlain && conversation !== 'only'
          ? await alternatives(savepoint, paths, context.signal)
          : [],
    };
  },
});

/** Options for files have no meaning if the files stay. @throws SavepointError USAGE */
function assertOnlyConversation(input: { readonly [option: string]: unknown }): void {
  const options = ['paths', 'all', 'root', 'allowPartial', 'mode', 'git', 'force', 'skipConflicts', 'ours', 'theirs'];
  const wrong = options.find((name) => input[name] !== undefined && input[name] !== false);
  if (wrong === undefined) return;
  throw new SavepointError('USAGE', `The files stay, so \`${wrong}\` has no meaning.`, { argument: wrong });
}

/** Every operation takes a checkpoint, so `last` rarely is what users mean. */
async function alternatives(savepoint: Savepoint, paths: readonly TreePath[], signal: AbortSignal | undefined) {
  const found: { name: string; checkpoint: ReturnType<typeof briefToJson>; files: number }[] = [];
  for (const name of WORK_STARTS) {
    const differing = await diffIfExists(savepoint, withoutUndefined({ from: name, ...limitedTo(paths), signal }));
    if (differing === null || differing.totals.files === 0) continue;
    if (found.some(({ checkpoint }) => checkpoint.id === differing.from.id)) continue;
    found.push({ name, checkpoint: briefToJson(differing.from), files: differing.totals.files });
  }
  return found;
}

async function diffIfExists(savepoint: Savepoint, options: DiffOptions): Promise<DiffResult | null> {
  try {
    return await savepoint.diff(options);
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'UNKNOWN_CHECKPOINT') return null;
    throw error;
  }
}
