import type { Config } from '@sheaf/config';
import { type ProgramContext, runProgram } from '@sheaf/program';
import { LocalStorage, StorageHealth, TempArea } from '@sheaf/storage';
import { FolderWatch } from './folder-watch.ts';
import { makeHousekeeping } from './housekeeping.ts';
import { makeNamePatterns } from './name-patterns.ts';
import { Scanner } from './scanner.ts';

const rulesOf = ({ watch, ingest }: Config) => ({
  patterns: makeNamePatterns(watch),
  allowedExtensions: ingest.allowedFileTypes.elsewhere,
  maxBytes: ingest.maxFileBytes,
  maxAgeMs: watch.maxAgeMs,
});

const globalFolder = ({ config, database, log, clock }: ProgramContext, storage: LocalStorage): FolderWatch => {
  const { watch } = config;
  const ingest = { db: database.db, storage, temp: new TempArea(config.storage.tempPath), settings: config.ingest };
  const scanner = new Scanner({ settings: { ...watch, route: 'watch', rules: rulesOf(config) }, ingest, clock, log });
  return new FolderWatch({ ...watch, scanner, log });
};

await runProgram({
  name: 'watcher',
  single: true,
  probeOffset: 10,
  build: (context) => {
    const { config, database, clock, log } = context;
    const storage = new LocalStorage(config.storage);
    const housekeeping = makeHousekeeping({ db: database.db, storage, temp: new TempArea(config.storage.tempPath), clock, log });
    return { components: [new StorageHealth(storage, log), globalFolder(context, storage), ...housekeeping] };
  },
});
