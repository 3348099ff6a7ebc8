/** Where the built page of Studio is: in the bundle of the command, from the sources as well. */
import { fileURLToPath } from 'node:url';

export function studioPage(): string {
  return fileURLToPath(new URL('../bundle/studio/', import.meta.url));
}
