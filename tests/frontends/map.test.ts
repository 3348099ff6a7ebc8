import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

/** The map of the code, on the command line. */

function shop(): Project {
  const p = project();
  p.write('src/price.ts', 'export function price(x: number) {\n  return x;\n}\n');
  p.write('src/shop.ts', "import { price } from './price';\n\nexport const total = price(1);\n");
  p.write('src/tax.ts', 'export function tax() {}\n');
  p.write('notes.md', '# Notes\n');
  p.checkpoint();
  return p;
}

const mapOf = (p: Project, ...args: string[]) => JSON.parse(p.ok('map', '--json', ...args).stdout);

describe('map', () => {
  it('names files with their symbols as they are now, and says what it does not know', () => {
    const p = shop();
    p.write('src/price.ts', 'export const rate = 1;\n\nexport function price(x: number) {\n  return x;\n}\n');
    const { stdout } = p.ok('map');
    expect(stdout).toMatch(/^src\/price\.ts\n {2}1 .*rate.*\n {2}3 function price\(x: number\)\n/);
    expect(stdout).toContain('Not analysed: 1 file (notes.md) in no language that is understood.');
  });

  it('starts at files and folders in focus, from the current folder, and leaves them out', () => {
    const p = shop();
    const names = mapOf(p, '--focus', 'src/shop.ts', 'gone').files.map(({ path }: { path: string }) => path);
    expect(names[0]).toBe('src/price.ts');
    expect(names).not.toContain('src/shop.ts');
    expect(p.ok('map', '--focus', 'gone').stdout).toContain('Not in focus: gone has no source file.');
    expect(mapOf(p, '--focus', 'src')).toMatchObject({ files: [], unknownFocus: [] });
  });

  it('is as short as is asked, and counts the rest', () => {
    const p = shop();
    expect(mapOf(p, '--tokens', '1')).toMatchObject({ files: [], left: 3, tokens: 0 });
    expect(p.ok('map', '--tokens', '1').stdout).toContain('3 more files did not fit.');
    expect(p.run(['map', '--tokens', 'many']).stderr).toContain('--tokens needs a positive whole number');
  });

  it('escapes what names and symbols do to a terminal', () => {
    const p = project();
    p.write('evil\u001b[2J.ts', 'export function f(x = "\u001b]0;x\u0007\u202e") {}\n');
    p.checkpoint();
    const { stdout } = p.ok('map');
    expect(stdout).toContain('"evil\\033[2J.ts"');
    expect(stdout).toContain('\\x1b]0;x\\x07\\u{202e}');
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/);
  });

  it('of a folder without files is empty', () => {
    const p = project();
    p.checkpoint();
    expect(p.ok('map').stdout).toBe('No file defines a symbol.\n');
  });
});
