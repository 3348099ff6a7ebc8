/** A monorepo in the layouts of package managers. */

import { symlinkSync } from 'node:fs';
import { Place } from '../place.ts';

/** `absolute`: like `npm`, and the link to the package of the workspace is an absolute path. */
export type MonorepoLayout = 'npm' | 'pnpm' | 'absolute';

/**
 * A monorepo: the package `app` needs `@own/lib`, which is in the workspace too. `plugin` and `wrapper` are installed, and
 * need it as well, `wrapper` only through `plugin`. `plain` and `@scope/plain` need nothing. The test of `app` compares what
 * `@own/lib` exports with `EXPECTED`.
 */
export function monorepo(layout: MonorepoLayout, p = new Place()): Place {
  const put = (folder: string, json: object, code: string): void => {
    p.write(`${folder}/package.json`, JSON.stringify(json));
    p.write(`${folder}/index.js`, code);
  };
  put('packages/lib', { name: '@own/lib' }, "module.exports = 'old'\n");
  put(
    'packages/app',
    { name: 'app' },
    "for (const name of ['@own/lib', 'wrapper', 'plain']) console.log(require(name))\n",
  );
  p.write(
    'packages/app/app.test.js',
    "require('node:test')('sees', () => require('node:assert').equal(require('@own/lib'), process.env.EXPECTED))\n",
  );
  const plugin = { name: 'plugin', peerDependencies: { '@own/lib': '*' } };
  const installed: readonly (readonly [string, object, string])[] = [
    ['plugin', plugin, "module.exports = 'plugin ' + require('@own/lib')\n"],
    [
      'wrapper',
      { name: 'wrapper', dependencies: { plugin: '1' } },
      "module.exports = 'wrapper ' + require('plugin')\n",
    ],
    ['plain', { name: 'plain' }, 'module.exports = __dirname\nif (require.main === module) console.log(__dirname)\n'],
    ['@scope/plain', { name: '@scope/plain' }, 'module.exports = __dirname\n'],
  ];
  for (const [name, json, code] of installed) {
    const store = `node_modules/.pnpm/${name.replace('/', '+')}@1/node_modules`;
    put(layout === 'pnpm' ? `${store}/${name}` : `node_modules/${name}`, json, code);
  }
  p.shell(
    'mkdir -p node_modules/@own node_modules/@scope node_modules/.bin node_modules/.cache packages/app/node_modules',
  );
  p.write('node_modules/.cache/tool', 'cached');
  symlinkSync('../plain/index.js', p.at('node_modules/.bin/plain'));
  if (layout !== 'pnpm') {
    symlinkSync(layout === 'npm' ? '../../packages/lib' : p.at('packages/lib'), p.at('node_modules/@own/lib'));
  } else {
    p.shell(`cd node_modules/.pnpm
      mkdir plugin@1/node_modules/@own node_modules
      ln -s ../../../../../packages/lib plugin@1/node_modules/@own/lib
      ln -s ../../plugin@1/node_modules/plugin wrapper@1/node_modules/plugin
      for one in plugin wrapper plain; do ln -s ../$one@1/node_modules/$one node_modules/$one; done
      cd .. && ln -s .pnpm/plain@1/node_modules/plain plain && ln -s ../.pnpm/@scope+plain@1/node_modules/@scope/plain @scope/plain
      cd ../packages/app/node_modules && mkdir @own && ln -s ../../../lib @own/lib
      for one in wrapper plain; do ln -s ../../../node_modules/.pnpm/$one@1/node_modules/$one $one; done`);
  }
  return p;
}
