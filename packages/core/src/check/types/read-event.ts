/** Reads what the type checker's program prints. It runs code of the project, so nothing in it is certain. */

import { JsonProblem, readJson } from '../../content/strict-json.ts';
import {
  CHECK_GROUPS,
  type CheckerError,
  type CheckGroup,
  PROBLEM_REASONS,
  type RelatedPlace,
  type TypeCheckEvent,
} from '../../io/type-checker.ts';
import { pathInProject } from '../read/clean.ts';
import { field, listIn, textIn, textOrNull } from '../read/reading.ts';

const MAX_ERRORS = 5_000;
const MAX_TEXT = 4_000;
const MAX_WORDS = 100;

/** Null: the line is something else. */
export function readEvent(line: string): TypeCheckEvent | null {
  const json = parsed(line);
  switch (field(json, 'kind')) {
    case 'opened':
      return { kind: 'opened', version: shortText(json, 'version') };
    case 'file': {
      const [group, file] = [groupIn(json), pathIn(json, 'file')];
      if (group === null || file === null) return null;
      return { kind: 'file', group, file, proposed: errorsIn(json, 'proposed'), base: errorsIn(json, 'base') };
    }
    case 'group': {
      const [group, files] = [groupIn(json), countIn(json, 'files')];
      return group === null || files === null ? null : { kind: 'group', group, files };
    }
    case 'problem': {
      const reason = PROBLEM_REASONS.find((one) => one === field(json, 'reason'));
      if (reason === undefined) return null;
      return { kind: 'problem', config: pathIn(json, 'config'), reason, message: shortText(json, 'message') };
    }
    case 'end':
      return { kind: 'end' };
    default:
      return null;
  }
}

function parsed(line: string): unknown {
  if (!line.startsWith('{')) return null;
  try {
    return readJson(line, { keys: 'any' });
  } catch (error) {
    if (error instanceof JsonProblem) return null;
    throw error;
  }
}

function groupIn(json: unknown): CheckGroup | null {
  return CHECK_GROUPS.find((group) => group === field(json, 'group')) ?? null;
}

/** A path in the workspace. */
function pathIn(json: unknown, key: string): string | null {
  const path = textOrNull(json, key);
  return path === null ? null : pathInProject(path, { roots: [], folder: '' });
}

function countIn(json: unknown, key: string): number | null {
  const count = field(json, key);
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null;
}

function shortText(json: unknown, key: string): string {
  return textIn(json, key).slice(0, MAX_TEXT);
}

function errorsIn(json: unknown, key: string): readonly CheckerError[] {
  return listIn(json, key)
    .slice(0, MAX_ERRORS)
    .map((one) => ({
      line: countIn(one, 'line'),
      code: textIn(one, 'code').slice(0, MAX_WORDS),
      message: shortText(one, 'message'),
      text: shortText(one, 'text'),
      names: listIn(one, 'names')
        .filter((name): name is string => typeof name === 'string')
        .slice(0, MAX_WORDS),
      related: listIn(one, 'related').slice(0, MAX_WORDS).flatMap(relatedPlace),
    }));
}

function relatedPlace(json: unknown): readonly RelatedPlace[] {
  const file = pathIn(json, 'file');
  return file === null ? [] : [{ file, line: countIn(json, 'line'), message: shortText(json, 'message') }];
}
