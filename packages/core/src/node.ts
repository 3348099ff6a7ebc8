export { foldersNotSynced, nodeFs } from './io/node-fs.ts';
export { nodePlaces } from './io/node-places.ts';
export { nodePorts } from './io/node-ports.ts';
