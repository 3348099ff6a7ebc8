import { isatty } from 'node:tty';
import { bytesFromText, SavepointError } from '@savepoint/core';
import { readInput } from './read-input.ts';

/**
 * Reads a file, or standard input, as text.
 * @param file null for standard input
 * @param verb for the hint
 * @throws SavepointError USAGE if standard input is a terminal, or the text is too long or not UTF-8; IO if reading
 * fails; CANCELLED
 */
export async function readRequest(file: string | null, signal: AbortSignal, verb = 'savepoint edit'): Promise<string> {
  if (file === null && isatty(0)) {
    throw new SavepointError(
      'USAGE',
      'Standard input is a terminal, so there is no request to read.',
      {},
      {
        hint: `Pass a file, or pipe the request: \`${verb} < edits.json\`.`,
      },
    );
  }
  const from = file === null ? 'standard input' : JSON.stringify(file);
  const bytes = await readInput(file === null ? null : bytesFromText(file), `the request from ${from}`, signal);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SavepointError('USAGE', 'The request is not valid UTF-8.', { argument: 'request' });
  }
}
