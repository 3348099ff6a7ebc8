import type { CheckList } from '../../engine/calls/checks.ts';
import { nameToJson } from '../../model/names.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const trust = verb({
  name: 'trust',
  summary: 'list the commands of the project that checks run, and allow them',
  description:
    'Lists the checks of the project: those that Savepoint finds by its files, and those in `.savepoint.json`, each with its ' +
    'command. With `digest`, trusts exactly what was listed: each command, and the parts of the files that define ' +
    'it, such as the scripts of `package.json`. If one of them changes, that check needs trust again. What a check runs in ' +
    'turn, such as the tests themselves, may change.\n\n' +
    'Only a person can trust: it is refused in the shell of an agent. The trust is kept in the store, so a ' +
    'repository cannot trust itself. `revoke` ends it for all checks.',
  changes: 'store',
  schemas: ({ z, checkpointName, jsonName }) => ({
    input: z.strictObject({
      digest: z.string().optional().describe('that of the list which a person has seen; default: only list'),
      at: checkpointName
        .optional()
        .describe('list and trust the checks of this checkpoint; default: the folder as it is'),
      fork: z.string().optional().describe('list and trust the checks of this fork'),
      plan: z.string().optional().describe('list and trust the checks of the folder with this plan'),
      revoke: z.boolean().optional().describe('trust nothing any more'),
    }),
    output: z.strictObject({
      checks: z.array(
        z.strictObject({
          name: z.string(),
          kind: z.string(),
          folder: jsonName.describe('where it runs; `""` is the workspace itself'),
          command: z.array(z.string()),
          variables: z.record(z.string(), z.string()),
          runs: z.string().nullable().describe('the script or recipe that the command runs'),
          definedBy: z.array(jsonName).describe('files that say what it runs'),
          onRequest: z.boolean().describe('runs only if its name or kind is given'),
          trust: z.enum(['trusted', 'changed', 'new']),
        }),
      ),
      notes: z.array(z.string()),
      digest: z.string(),
    }),
  }),

  async handle(savepoint, { digest, at, fork, plan, revoke }, { signal }) {
    if (revoke === true) await savepoint.revokeTrust(withoutUndefined({ signal }));
    if (digest === undefined) return toJson(await savepoint.listChecks(withoutUndefined({ at, fork, plan })));
    return toJson(await savepoint.trustChecks(digest, withoutUndefined({ at, fork, plan, signal })));
  },
});

function toJson({ checks, notes, digest }: CheckList) {
  return {
    checks: checks.map(({ check, trust: state }) => ({
      name: check.name,
      kind: check.kind,
      folder: nameToJson(check.folder),
      command: [check.program.name, ...check.args],
      variables: { ...check.env },
      runs: check.runs,
      definedBy: [...new Set(check.definedBy.map(({ file }) => file))].map(nameToJson),
      onRequest: check.onRequest,
      trust: state,
    })),
    notes: [...notes],
    digest,
  };
}
