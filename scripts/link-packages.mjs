#!/usr/bin/env node
// @ts-check
/** A package of this project that came after the last `npm ci` is made known to node; everything else is left to npm. */
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
