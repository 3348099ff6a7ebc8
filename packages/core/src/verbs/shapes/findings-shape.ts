/** The JSON of what an analysis of code found. */

import type * as z from 'zod';
import { FINDING_CLASSES, FINDING_RULES } from '../../code/finding.ts';
import type { CodeReport } from '../../engine/code/analysis.ts';
import { ALL_UNSAID_REASONS } from '../../engine/code/unsaid.ts';
import { nameToJson } from '../../model/names.ts';
import type { PlanFinding } from '../../model/plan.ts';
import type { Shapes } from '../verb.ts';

export function findingShape({ z, jsonName }: Shapes) {
  const line = z.int().min(1).nullable();
  return z.strictObject({
    class: z
      .enum(FINDING_CLASSES)
      .describe('`breaks`: proven; `follows`: from another finding; `may-be-affected`: it uses what changed'),
    rule: z.string().describe(FINDING_RULES.map((rule) => `\`${rule}\``).join(', ')),
    path: jsonName,
    line: line.describe('in the second state; null: it is about the whole file'),
    message: z.string(),
    evidence: z.array(
      z.strictObject({
        path: jsonName,
        line,
        state: z.enum(['base', 'proposed']).describe('the first state, or the second one'),
        text: z.string(),
      }),
    ),
    follows: z.int().min(0).nullable().describe('the index of the finding that it follows from'),
  });
}

export function findingToJson({ path, evidence, ...one }: PlanFinding) {
  return {
    ...one,
    path: nameToJson(path),
    evidence: evidence.map((place) => ({ ...place, path: nameToJson(place.path) })),
  };
}

export function findingsShape(shapes: Shapes) {
  const { z, jsonName } = shapes;
  return z.strictObject({
    findings: z.array(findingShape(shapes)).describe('the worst first; only what is new in the second state'),
    omitted: z.int().min(0).describe('how many more there are'),
    dependents: z
      .array(
        z.strictObject({
          path: jsonName,
          distance: z.int().min(1),
          findings: z.int().min(0),
          needs: z.array(jsonName).describe('what it imports of the change and of other dependents'),
        }),
      )
      .describe('files outside the change that depend on it; distance 1: they import a changed file'),
    tests: z.array(jsonName).describe('those that reach a changed file, the nearest first'),
    dependencies: z
      .array(z.strictObject({ path: jsonName, needs: jsonName }))
      .describe('what changed files import of each other'),
    unsaid: unsaidShape(shapes),
  });
}

export function unsaidShape({ z, jsonName }: Shapes) {
  return z
    .array(
      z.strictObject({
        reason: z.enum(ALL_UNSAID_REASONS),
        language: z.string().nullable().describe('or a type checker'),
        files: z.int().min(0),
        paths: z.array(jsonName).describe('the first of these files'),
        message: z.string().nullable().describe('about a type checker'),
      }),
    )
    .describe('what cannot be said');
}

export type UnsaidJson = z.output<ReturnType<typeof unsaidShape>>[number];

export function unsaidToJson(unsaid: CodeReport['unsaid']): UnsaidJson[] {
  return unsaid.map(({ paths, ...one }) => ({ ...one, paths: paths.map(nameToJson) }));
}

export function findingsToJson({ findings, omitted, dependents, tests, dependencies, unsaid }: CodeReport) {
  return {
    findings: findings.map(findingToJson),
    omitted,
    dependents: dependents.map((one) => ({ ...one, path: nameToJson(one.path), needs: one.needs.map(nameToJson) })),
    tests: tests.map(nameToJson),
    dependencies: dependencies.map(({ path, needs }) => ({ path: nameToJson(path), needs: nameToJson(needs) })),
    unsaid: unsaidToJson(unsaid),
  };
}
