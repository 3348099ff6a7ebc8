// @ts-check
import { join } from 'node:path';
import { pinned } from './pinned.mjs';

/** The engine of Gemini CLI, which implements its checkpoints. */
const CORE = pinned('gemini', '@google/gemini-cli-core');

export const GEMINI = {
  version: CORE.version,
  service: join(CORE.path, 'dist/src/services/gitService.js'),
  storage: join(CORE.path, 'dist/src/config/storage.js'),
};
export const ensureGemini = CORE.ensure;
