import { mkdir } from 'node:fs/promises';
import type { Config } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import { hasLocalDocuments } from '@sheaf/documents';
import { type IngestDeps, TypeCheck } from '@sheaf/ingest';
import { constant, type Logger } from '@sheaf/process';
import { openStorage, TempArea } from '@sheaf/storage';
import { makeIsSigned } from './find-signatures.ts';

/** What files are taken in with; closed at the end of the scope. */
export const openIngest = async (config: Config, { db }: Database, log: Logger): Promise<IngestDeps & AsyncDisposable> => {
  const { storage: settings } = config;
  const { maxAttempts, defaultLanguage, notifications, versionsKeep } = config.ingest;
  await mkdir(settings.tempPath, { recursive: true });
  const storage = await openStorage(settings, { hasLocalDocuments: () => hasLocalDocuments(db) });
  const typeCheck = new TypeCheck({ threads: 1 }, log);
  return {
    db,
    storage,
    temp: new TempArea(settings.tempPath),
    settings: constant({ maxAttempts, defaultLanguage, notifications, versionsKeep }),
    typeCheck,
    isSigned: makeIsSigned(config),
    [Symbol.asyncDispose]: async () => {
      await typeCheck.stop();
      await storage.close();
    },
  };
};
