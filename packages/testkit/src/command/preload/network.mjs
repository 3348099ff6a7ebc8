// Loaded into a `savepoint` process before its own code. Every network access fails, and adds a line to the file that
// PRELOAD_NETWORK names.
import dgram from 'node:dgram';
import dns from 'node:dns';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const forbid = (owner, name) => {
  if (typeof owner[name] !== 'function') return;
  owner[name] = () => {
    fs.appendFileSync(process.env.PRELOAD_NETWORK, `${name}\n`);
    throw new Error(`the network was used: ${name}`);
  };
};

forbid(net.Socket.prototype, 'connect');
forbid(net.Server.prototype, 'listen');
for (const name of ['createSocket', 'Socket']) forbid(dgram, name);
for (const name of Object.keys(dns)) if (/^(lookup|resolve|reverse)/.test(name)) forbid(dns, name);
for (const name of Object.keys(dns.promises)) if (/^(lookup|resolve|reverse)/.test(name)) forbid(dns.promises, name);
syncBuiltinESMExports();
