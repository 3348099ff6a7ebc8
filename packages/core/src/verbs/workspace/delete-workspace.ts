import { nameToJson } from '../../model/names.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const deleteWorkspace = verb({
  name: 'workspaces delete',
  summary: 'delete the store of a workspace, with all its checkpoints',
  description:
    'Deletes all checkpoints and backups of a workspace, and everything else that Savepoint keeps of it. The files of ' +
    'the workspace stay unchanged. Its copies, such as those that `try` kept, go with it. It refuses while another ' +
    'process uses the store or a copy, while an operation is unfinished, and while there are forks. This cannot be undone.',
  changes: 'store',
  schemas: ({ z, jsonName }) => ({
    input: z.strictObject({
      workspace: z.string().describe('its path, its id, or a unique beginning of the id'),
      dryRun: z.boolean().optional().describe('only report what would be deleted'),
    }),
    output: z.strictObject({
      dryRun: z.boolean(),
      id: z.string(),
      path: jsonName,
      store: jsonName,
      copies: z.array(z.string()).describe('ids of its copies, which go with it'),
      bytes: z.int().min(0).nullable().describe('size of the store; null if it cannot be measured'),
    }),
  }),

  async handle(savepoint, { workspace, dryRun = false }, context) {
    const { id, path, storePath, bytes, copies } = await savepoint.previewDeleteWorkspace(workspace);
    if (!dryRun) await savepoint.deleteWorkspace(id, withoutUndefined({ signal: context.signal }));
    return { dryRun, id, path: nameToJson(path), store: nameToJson(storePath), copies: [...copies], bytes };
  },
});
