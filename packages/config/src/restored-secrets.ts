import { randomBytes } from 'node:crypto';
import { copyFile, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

/** Others than these two belong to the documents and users that are restored, and go where they go. */
const generatedSecrets = z.looseObject({ app_secret_key: z.string().min(32).optional(), database_password: z.string().optional() });

export type RestoredSecrets =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unchanged' }
  /** `keptPath`: where the ones are that were there before. */
  | { readonly kind: 'replaced'; readonly keptPath: string };

/**
 * Puts the secrets in `kept`, a file of generated secrets that a backup has, in the place of those in the file `path`, which has some
 * already. The password of the embedded database stays, as that knows no other one.
 */
export const restoreSecrets = async (kept: Uint8Array | undefined, path: string, now: Date): Promise<RestoredSecrets> => {
  if (kept === undefined) return { kind: 'absent' };
  const present = generatedSecrets.parse(JSON.parse(await readFile(path, 'utf8')));
  const restored = generatedSecrets.parse(JSON.parse(Buffer.from(kept).toString('utf8')));
  const merged = { ...present, ...restored, database_password: present.database_password };
  if (JSON.stringify(merged) === JSON.stringify(present)) return { kind: 'unchanged' };
  const keptPath = `${path}.before-restore-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  await copyFile(path, keptPath);
  await replaceFile(path, `${JSON.stringify(merged, null, 2)}\n`);
  return { kind: 'replaced', keptPath };
};

/** Whole or not at all, and safe from a power cut. */
const replaceFile = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  {
    await using handle = await open(draft, 'wx', 0o600);
    await handle.writeFile(text);
    await handle.sync();
  }
  await rename(draft, path);
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
};
