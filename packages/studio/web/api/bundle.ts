/** Sends a bundle to the server, part by part, to look at it. */
import type { BundleAnswer, OpenedBundle } from '../../server/wire.ts';
import { postJson } from './call.ts';

/**
 * @param onSent called with the share that has arrived, from 0 to 1
 * @returns the id of the workspace that shows it
 * @throws CallFailed
 */
export async function openBundle(file: File, onSent: (share: number) => void): Promise<string> {
  const { upload, part } = await postJson<BundleAnswer>('/api/bundles', { name: file.name, size: file.size });
  for (let offset = 0; offset < file.size; offset += part) {
    const bytes = await file.slice(offset, offset + part).arrayBuffer();
    await postJson(`/api/bundles/${upload}/parts`, { offset, bytes: base64(new Uint8Array(bytes)) });
    onSent(Math.min(1, (offset + part) / file.size));
  }
  return (await postJson<OpenedBundle>(`/api/bundles/${upload}/open`, {})).workspace;
}

export async function closeBundle(workspace: string): Promise<void> {
  await postJson(`/api/workspaces/${encodeURIComponent(workspace)}/close`, {});
}

const AT_ONCE = 8192;

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return btoa(text);
}
