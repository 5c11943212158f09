import { mkdtempDisposable } from 'node:fs/promises';
import { join } from 'node:path';
import type { FixedConfig } from '@sheaf/config';
import { type PdfSignatures, readSignatures } from '@sheaf/extraction/searchable';
import { makeFolder } from '@sheaf/process/machine';
import { documentKey, type Storage } from '@sheaf/storage';

/** The signatures in a stored PDF. Throws what the storage throws, and the signal's reason. */
export const readStoredSignatures = async (
  { config, storage }: { readonly config: Pick<FixedConfig, 'storage' | 'ocr'>; readonly storage: Storage },
  sha256: string,
  signal: AbortSignal,
): Promise<PdfSignatures> => {
  await makeFolder(config.storage.tempPath);
  await using scratch = await mkdtempDisposable(join(config.storage.tempPath, 'signatures-'));
  const path = await storage.localPath(documentKey(sha256), scratch.path);
  return await readSignatures({ path, scratchPath: scratch.path, limits: config.ocr.limits, signal });
};
