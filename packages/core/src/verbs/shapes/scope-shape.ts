/** The shape of scopes, and their JSON. */
import type { ShownScope } from '../../engine/calls/scope.ts';
import { type DiskPath, isWithin, nameToJson, type TreePath } from '../../model/names.ts';
import type { Shapes } from '../verb.ts';
import { authorsToJson, timeToJson } from './to-json.ts';

export const scopeShape = ({ z, jsonName, checkpointId, authorship }: Shapes) =>
  z.strictObject({
    session: z.string().nullable().describe('null: the scope of the workspace, which counts for every session'),
    agent: z.string().nullable(),
    running: z.boolean().describe("false: the session's agent is known to have ended"),
    paths: z.array(
      z.strictObject({
        path: jsonName.describe('with everything below it; `""` is the workspace itself'),
        by: z.enum(['person', 'agent', 'mention']).describe('`mention`: a prompt named it as `@path`'),
        since: z.iso.datetime(),
      }),
    ),
    changed: z
      .array(
        z.strictObject({
          path: jsonName,
          operation: z.string(),
          from: jsonName.nullable().describe('its previous path, if it was renamed'),
          checkpoint: checkpointId,
          time: z.iso.datetime(),
          ...authorship,
        }),
      )
      .describe(
        'the last change of each path, oldest first: by others, and not known to the session yet; in the scope of the ' +
          'workspace by anyone, since the path is in it',
      ),
    unrecorded: z
      .array(jsonName)
      .describe('paths that differ from the last checkpoint: who changed them is recorded with the next one'),
  });

/** @param since paths that differ from the last checkpoint */
export function scopeToJson({ session, agent, isRunning, paths, changed }: ShownScope, since: readonly TreePath[]) {
  return {
    session: session as string | null,
    agent,
    running: isRunning,
    paths: paths.map(({ path, by, since: time }) => ({ path: nameToJson(path), by, since: timeToJson(time) })),
    changed: changed.map(({ path, operation, from, checkpoint, time, by }) => ({
      path: nameToJson(path),
      operation: operation as string,
      from: from === null ? null : nameToJson(from),
      checkpoint: checkpoint as string,
      time: timeToJson(time),
      ...authorsToJson(by),
    })),
    unrecorded: since.filter((path) => paths.some((one) => isWithin(path, one.path))).map(nameToJson),
  };
}

export function damagedToJson(damaged: readonly DiskPath[]) {
  return damaged.map(nameToJson);
}
