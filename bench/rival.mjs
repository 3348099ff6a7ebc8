// @ts-check
import { join } from 'node:path';
import { pinned } from './pinned.mjs';

/** The reference file-system MCP server. */
const SERVER = pinned('rival', '@modelcontextprotocol/server-filesystem');

export const RIVAL = { name: SERVER.name, version: SERVER.version, script: join(SERVER.path, 'dist/index.js') };
export const ensureRival = SERVER.ensure;
