/** Commands in an overlay change their folder in every usual way, and try to reach the real one. */

import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { whyNoOverlays } from '@savepoint/testkit';
import { test as always, describe, expect, onTestFinished } from 'vitest';
import { ENV, type Scene, scene, USERS } from './scene.ts';
import { treeState } from './tree-state.ts';

const test = always.skipIf(whyNoOverlays() !== null);

const FILES = {
  'a.txt': 'old\n',
  'b.txt': 'old\n',
  'c.txt': 'old\n',
  'd.txt': 'old\n',
  'e.txt': 'old\n',
  'f.txt': 'old\n',
  'g.txt': 'old\n',
  'h.txt': 'old\n',
  'i.txt': 'old\n',
  'folder/old.txt': 'old\n',
  'ignored/build.js': 'old\n',
  '.gitignore': 'ignored\n',
};

function repository(uid: number): Scene {
  const s = scene(uid, FILES);
  const own = uid === process.getuid?.() ? {} : { uid, gid: uid };
  const git = (...args: string[]): Buffer =>
    execFileSync('git', args, { cwd: s.root, env: { ...ENV, HOME: s.top }, ...own });
  git('init', '-q');
  git('add', '.');
  return s;
}

describe.each(USERS)('as $user', ({ uid }) => {
  test('writers of every kind leave the real folder as it is', async () => {
    const s = repository(uid);
    const before = treeState(s.root);
    const overlay = await s.opened();
    const script = `set -e
      node -e "require('fs').writeFileSync('a.txt', 'new')"
      if command -v python3 >/dev/null; then
        python3 -c "open('b.txt', 'w').write('new')"
        python3 -c "
import mmap
with open('c.txt', 'r+b') as file:
    view = mmap.mmap(file.fileno(), 0)
    view[0:3] = b'new'
    view.flush()"
      fi
      echo new | tee d.txt >/dev/null
      echo new >> e.txt
      cp a.txt f.txt
      sed -i s/old/new/ g.txt
      mv a.txt h.txt
      chmod 600 i.txt
      rm -r folder; mkdir folder; echo new > folder/new.txt
      rm -r ignored
      git add . ; git commit -qm x
      git status --short`;
    const identity =
      'export HOME=/tmp GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x\n';
    expect(await s.run(overlay, identity + script)).toMatchObject({ exit: 0, out: '' });
    expect(readFileSync(join(overlay.files, 'g.txt'), 'utf8')).toBe('new\n');
    expect(treeState(s.root)).toEqual(before);
    await overlay.close();
    expect(treeState(s.root)).toEqual(before);
  });

  test('background children stay inside, are listed, and end with it', async () => {
    const s = scene(uid, FILES);
    const overlay = await s.opened();
    const script = `(setsid sh -c 'trap "" TERM HUP; echo $$ > pid; while :; do echo x >> a.txt; sleep 0.05; done' >/dev/null 2>&1 &)
      until [ -s pid ]; do sleep 0.01; done
      unshare -Ur -m sh -c 'echo $$ > nested; exec sleep 1000' >/dev/null 2>&1 &
      until [ -s nested ]; do sleep 0.01; done`;
    expect((await s.run(overlay, script)).exit).toBe(0);
    const pids = ['pid', 'nested'].map((name) => Number(readFileSync(join(overlay.files, name), 'utf8')));
    const seen = overlay.processes();
    expect(seen.map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));
    await overlay.close();
    expect(seen.map((one) => s.ports.processes.state(one))).toEqual(seen.map(() => 'dead'));
    expect(readFileSync(join(s.root, 'a.txt'), 'utf8')).toBe('old\n');
  });

  /** Each tries to write `escaped` to a.txt of the real folder; `$out` is a process outside in the real folder. */
  const ESCAPES: Readonly<Record<string, string>> = {
    umount: 'umount "$root"; umount -l "$root"; cd "$root" && echo escaped > a.txt',
    'a nested namespace, umount':
      'unshare -Urm sh -c \'umount "$root"; umount -l "$root"; cd "$root"; echo escaped > a.txt\'',
    'a nested namespace without a mapping':
      'unshare -m sh -c \'umount "$root"; cd "$root"; echo escaped > a.txt\'; unshare -U sh -c \'umount "$root"\'',
    'a bind mount of the parent':
      'mkdir -p /tmp/x$$; unshare -Urm sh -c \'mount --bind "$top" /tmp/x$0; echo escaped > /tmp/x$0/root/a.txt\' $$; ' +
      'unshare -Urm sh -c \'mount --rbind "$top" /tmp/x$0; umount /tmp/x$0/root; echo escaped > /tmp/x$0/root/a.txt\' $$',
    pivot_root:
      'mkdir -p n/old; unshare -Urm sh -c \'mount --rbind / n; cd n; pivot_root . "$top/root/n/old"; ' +
      'umount "$root"; echo escaped > "$root/a.txt"; mount --bind "$top" n; echo escaped > n/root/a.txt\'',
    remount: 'mount -o remount,lowerdir=/ "$root"; unshare -Urm mount -o remount "$root"',
    'a new overlay':
      'mkdir -p u w; unshare -Urm sh -c \'mount -t overlay x -o lowerdir="$top",upperdir=u,workdir=w,userxattr "$top"; echo escaped > "$root/a.txt"\'',
    nsenter:
      'for p in 1 $PPID $out; do for w in "--mount" "--user --mount" "--user --preserve-credentials --mount" "--all"; do ' +
      'nsenter --target $p $w sh -c \'echo escaped > "$root/a.txt"\'; done; done',
    'folders of outside processes':
      'for p in 1 $PPID $out; do echo escaped > /proc/$p/root$root/a.txt; echo escaped > /proc/$p/cwd/a.txt; ' +
      'for f in /proc/$p/fd/*; do echo escaped > $f/a.txt; done; done; echo escaped > /proc/$holder/cwd$root/a.txt; ' +
      'for f in /proc/$holder/fd/*; do echo escaped > $f/a.txt; done',
    'the holder':
      'nsenter --target $holder --user --preserve-credentials --mount umount "$root"; echo escaped > /proc/$holder/mem',
    'inherited handles':
      'for f in /proc/self/fd/*; do echo escaped > $f/a.txt; echo escaped > $f/root/a.txt; done; ls -l /proc/self/fd | grep "$root"',
    'other users':
      "for u in 0 1 12345 12346; do setpriv --reuid $u --clear-groups sh -c 'echo escaped > /proc/$out/cwd/a.txt'; done",
    devices:
      'mknod d b 254 0 && echo escaped > d; for d in /dev/vda /dev/sda /dev/nvme0n1; do [ -b $d ] && [ -r $d ] && echo READABLE; done',
    'settings of the kernel': 'echo "|/bin/false" > /proc/sys/kernel/core_pattern && echo CHANGED',
    'hard links and links': 'ln a.txt hard && echo escaped > hard; ln -s "$root/a.txt" soft; echo escaped > soft',
  };

  test.each(Object.keys(ESCAPES))('no way out: %s', async (name) => {
    const s = scene(uid, FILES);
    const outside = spawn('sleep', ['1000'], { cwd: s.root, ...(uid === process.getuid?.() ? {} : { uid, gid: uid }) });
    onTestFinished(() => void outside.kill('SIGKILL'));
    const before = treeState(s.root);
    const pattern = readFileSync('/proc/sys/kernel/core_pattern', 'utf8');
    const overlay = await s.opened();
    const given = `export root='${s.root}' top='${s.top}' out=${outside.pid} holder=${overlay.holder.pid}\nexec 2>&1\n`;
    const { out } = await s.run(overlay, given + ESCAPES[name]);
    expect(treeState(s.root)).toEqual(before);
    expect(out).not.toMatch(/READABLE|CHANGED/);
    expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).toBe(pattern);
    // The folder of the test itself is not below another overlay by accident: outside, writing works.
    writeFileSync(join(s.root, 'a.txt'), 'outside');
    await overlay.close();
    expect(outside.exitCode).toBeNull();
  });

  test('ptrace and file handles do not lead out', async () => {
    const s = scene(uid, FILES);
    const outside = spawn('sleep', ['1000'], { cwd: s.root, ...(uid === process.getuid?.() ? {} : { uid, gid: uid }) });
    onTestFinished(() => void outside.kill('SIGKILL'));
    const before = treeState(s.root);
    const overlay = await s.opened();
    writeFileSync(join(s.top, 'try.py'), ATTACH);
    const { out, exit } = await s.run(
      overlay,
      `command -v python3 >/dev/null || exit 7; python3 ../try.py ${outside.pid} ${overlay.holder.pid}`,
    );
    if (exit !== 7) expect(out).toBe('attach -1\nattach -1\nopen_by_handle_at -1\n');
    expect(treeState(s.root)).toEqual(before);
  });
});

const ATTACH = `import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
for pid in sys.argv[1:]:
    print('attach', libc.ptrace(16, int(pid), 0, 0))
class Handle(ctypes.Structure):
    _fields_ = [('bytes', ctypes.c_uint), ('type', ctypes.c_int), ('data', ctypes.c_ubyte * 128)]
handle, mount = Handle(128), ctypes.c_int()
libc.name_to_handle_at(-100, b'/tmp', ctypes.byref(handle), ctypes.byref(mount), 0)
folder = os.open('/', os.O_RDONLY)
print('open_by_handle_at', libc.open_by_handle_at(folder, ctypes.byref(handle), os.O_RDONLY))
`;
