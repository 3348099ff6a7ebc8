#!/usr/bin/env node
// @ts-check
/** All static checks. A failed check does not stop the others. */
import { step, tellFailures, tool } from './steps.mjs';

step('style: biome', [tool('@biomejs/biome', 'biome'), 'check', '--error-on-warnings']);
step('types of tests and scripts: tsc', [tool('typescript', 'tsc'), '-p', 'tsconfig.test.json']);
step('types of the page: tsc', [tool('typescript', 'tsc'), '-p', 'packages/studio/web/tsconfig.json']);
step('layers', ['scripts/check-layers.mjs']);
step('sizes', ['scripts/check-sizes.mjs']);
step('shape', ['scripts/check-shape.mjs']);
step('words', ['scripts/check-words.mjs']);
step('unused: knip', [tool('knip', 'knip')]);
step('reference', ['scripts/gen-reference.mjs', '--check']);
step('documents', ['scripts/check-docs.mjs']);
tellFailures();
