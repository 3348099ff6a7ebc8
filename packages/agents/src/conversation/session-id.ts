/** Ids of sessions. They become part of paths and of command lines, so only expected forms are used. */

import type { Random } from '@savepoint/core/ports';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isUuid(id: string): boolean {
  return UUID.test(id);
}

/** Returns a random UUID (version 4). */
export function newUuid(random: Random): string {
  const hex = random.hex(16);
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
