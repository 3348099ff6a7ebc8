/**
 * The file that leads a browser to the page. The command line of a browser can be seen by other users of the machine, so
 * it must not contain the token: it names this file, which only its owner can read.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { writePrivate } from './private-folder.ts';

/** @param address with a token. It has no characters that mean anything in HTML or in a script. */
export function writeOpeningFile(folder: string, address: string): string {
  if (!/^http:\/\/[\w.:/#=-]+$/.test(address)) throw new Error('The address of the page has unexpected characters.');
  const file = join(folder, `open-${randomBytes(8).toString('hex')}.html`);
  writePrivate(file, html(address));
  return file;
}

function html(address: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>Savepoint Studio</title>
<script>location.replace("${address}")</script>
<p><a href="${address}" rel="noreferrer">Open Savepoint Studio</a></p>
</html>
`;
}
