import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type DiskPath,
  localSandbox,
  openRemote,
  type RemoteOptions,
  type RemoteSavepoint,
  type Sandbox,
} from '@savepoint/core';
import { realPorts, type World, world } from '@savepoint/testkit';
import { onTestFinished } from 'vitest';

export const remoteProgram = fs.readFileSync(
  fileURLToPath(new URL('../../packages/cli/bundle/remote.js', import.meta.url)),
);

/** A workspace in a sandbox. The sandbox is on this machine, so that the test can also inspect it directly. */
export class Inside {
  readonly world: World = world(onTestFinished);
  readonly sandbox: Sandbox;
  readonly cache = path.join(this.world.folder, 'cache');

  /** @param sandboxIn creates the sandbox; its programs should have the given environment */
  constructor(sandboxIn: (env: Readonly<Record<string, string>>, at: World) => Sandbox = local) {
    this.sandbox = sandboxIn({ ...this.world.env, PATH: process.env['PATH'] ?? '' }, this.world);
  }

  options(): RemoteOptions {
    const home = path.join(this.world.folder, 'home');
    return { random: realPorts().random, program: remoteProgram, cache: this.cache, home };
  }

  open(options: Partial<RemoteOptions> = {}): RemoteSavepoint {
    return openRemote(this.sandbox, this.world.workspace, { ...this.options(), ...options });
  }

  at(name: string): string {
    return path.join(this.world.workspace, name);
  }

  write(name: string, content: string): void {
    fs.mkdirSync(path.dirname(this.at(name)), { recursive: true });
    fs.writeFileSync(this.at(name), content);
  }

  read(name: string): string {
    return fs.readFileSync(this.at(name), 'utf8');
  }

  /** The files that were uploaded. */
  uploaded(): readonly string[] {
    return fs.existsSync(this.cache) ? fs.readdirSync(this.cache) : [];
  }
}

function local(env: Readonly<Record<string, string>>): Sandbox {
  return localSandbox({ ports: realPorts(), env, cwd: '/' as DiskPath });
}

/**
 * A sandbox whose `node` is a script, which may continue with the real one: `"$NODE" "$@"`.
 * @param script for sh
 */
export function withNode(script: string): Inside {
  return new Inside((env, at) => {
    const bin = path.join(at.folder, 'bin');
    fs.mkdirSync(bin);
    fs.writeFileSync(path.join(bin, 'node'), `#!/bin/sh\nNODE='${process.execPath}'\n${script}\n`, { mode: 0o755 });
    return local({ ...env, PATH: `${bin}:${env['PATH']}` });
  });
}
