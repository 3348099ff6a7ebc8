/** Opens an overlay and runs commands in it until it is killed. Arguments: root, place, home. Runs the built engine. */
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { openOverlay } from '../../../dist/copy/overlay/open-overlay.js';
import { nodePorts } from '../../../dist/node.js';

const [root, place, home] = process.argv.slice(2);
const id = place.slice(place.lastIndexOf('/') + 1);
const result = await openOverlay(nodePorts(), process.env.PATH, dirname(place), { id, root, place, home });
if ('why' in result) throw new Error(result.why);
process.stdout.write('mounted\n');
const script = '(setsid sleep 1000 &) ; sleep 1000 & echo running; wait';
const { file, args } = result.overlay.enter(root, { file: 'sh', args: ['-c', script] });
spawn(file, args, { cwd: '/', env: { PATH: process.env.PATH }, stdio: ['ignore', 'inherit', 'inherit'] });
