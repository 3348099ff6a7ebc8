import { readFileSync } from 'node:fs';

export function ownVersion(): string {
  const file = new URL('../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
  return version;
}
