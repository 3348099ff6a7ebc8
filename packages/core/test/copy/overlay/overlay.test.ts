import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { whyNoOverlays } from '@savepoint/testkit';
import { test as always, describe, expect } from 'vitest';
import { scene, USERS } from './scene.ts';

const test = always.skipIf(whyNoOverlays() !== null);

describe.each(USERS)('as $user', ({ uid }) => {
  test('shows the folder at its own path, and keeps changes from it', async () => {
    const s = scene(uid, { 'a.txt': 'old', 'gone.txt': 'old' });
    const overlay = await s.opened();
    const result = await s.run(
      overlay,
      'pwd; cat a.txt; echo new > a.txt; rm gone.txt; echo more > more.txt; id -u; ls',
    );
    expect(result).toEqual({ exit: 0, out: `${s.root}\nold${uid}\na.txt\nmore.txt\n` });
    expect(readFileSync(join(s.root, 'a.txt'), 'utf8')).toBe('old');
    expect(existsSync(join(s.root, 'gone.txt'))).toBe(true);
    expect(existsSync(join(s.root, 'more.txt'))).toBe(false);
    expect(readFileSync(join(overlay.files, 'a.txt'), 'utf8')).toBe('new\n');
    expect(existsSync(join(overlay.files, 'gone.txt'))).toBe(false);
    await overlay.close();
    expect(s.ports.processes.state(overlay.holder)).toBe('dead');
    expect(readFileSync(join(s.place, 'upper/a.txt'), 'utf8')).toBe('new\n');
  });

  test.each(['a,b', 'a:b', 'a b', 'a\\b', "a'b", 'a"b', 'a$b', 'a\nb', 'a#b', 'ä', '-a', 'a='])(
    'works with the name %j',
    async (name) => {
      const s = scene(uid, { file: 'old' }, { root: `r${name}`, home: `h${name}` });
      const overlay = await s.opened();
      expect(await s.run(overlay, 'pwd; echo new > file; cat file')).toEqual({ exit: 0, out: `${s.root}\nnew\n` });
      expect(readFileSync(join(s.root, 'file'), 'utf8')).toBe('old');
      expect(readFileSync(join(s.place, 'upper/file'), 'utf8')).toBe('new\n');
    },
  );
});
