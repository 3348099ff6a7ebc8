import { checkOptionsOf } from '../checks/check.ts';
import { findingsShape, findingsToJson } from '../shapes/findings-shape.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const findings = verb({
  name: 'findings',
  summary: 'say what a change breaks elsewhere in the code',
  description:
    'Reads the code before and after a change, without running it, and lists what is new: imports and names that do not ' +
    'resolve any more, exports that were removed while used, import cycles, syntax errors, API that was broken for ' +
    'outside users, and changed code that no test reaches. The change is that of a plan, or between two states as in ' +
    '`diff`.\n\nA finding is of the class `breaks` only if it is proven, and only in languages whose figures were ' +
    "measured. With `types`, new type errors that the project's own TypeScript reports are findings, too. What cannot be said is listed. Code that runs concurrently is not checked for races.",
  changes: 'nothing',
  schemas: (shapes) => {
    const { z, checkpointName } = shapes;
    return {
      input: z.strictObject({
        plan: z.string().optional().describe('its changes that are not rejected; not with `from` or `to`'),
        from: checkpointName.optional().describe('default: the last checkpoint'),
        to: checkpointName.optional().describe('default: the current files'),
        types: z.boolean().optional().describe("also ask the project's own TypeScript, if its check is trusted"),
        timeoutSeconds: z.int().min(1).optional().describe('for each type checker; default 300'),
        maxMemoryMb: z.int().min(1).optional().describe('for each type checker; default 4096'),
      }),
      output: findingsShape(shapes),
    };
  },
  async handle(savepoint, { plan, from, to, types, timeoutSeconds, maxMemoryMb }, { signal }) {
    const { timeoutMs, maxMemory } = checkOptionsOf({ timeoutSeconds, maxMemoryMb });
    const query = withoutUndefined({ plan, from, to, types });
    return findingsToJson(await savepoint.findings(query, withoutUndefined({ signal, timeoutMs, maxMemory })));
  },
});
