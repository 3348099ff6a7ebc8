#!/usr/bin/env node
// @ts-check
/** Links packages of this project that were added since the last `npm ci`. npm handles everything else. */
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { TOP } from './steps.mjs';

for (const folder of readdirSync(join(TOP, 'packages'))) {
  const file = join(TOP, 'packages', folder, 'package.json');
  if (!existsSync(file)) continue;
  const { name } = JSON.parse(readFileSync(file, 'utf8'));
  const link = join(TOP, 'node_modules', name);
  if (!existsSync(link)) symlinkSync(join('..', '..', 'packages', folder), link, 'junction');
}
