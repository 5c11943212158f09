import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type BackupResult, type ConfigurationParts, makeBackup } from '@sheaf/backup';
import { type Config, effectiveValues, type LoadedConfig } from '@sheaf/config';
import { errorCode } from '@sheaf/contract';
import { hasLocalDocuments } from '@sheaf/documents';
import { systemClock } from '@sheaf/process';
import { VERSION } from '@sheaf/program';
import { openStorage } from '@sheaf/storage';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { stopOnSignals } from '../command-line.ts';
import { connectTool } from '../open-database.ts';
import { formatBytes, formatCount, formatPace } from '../progress/progress.ts';
import type { BackupCommand } from './arguments.ts';
import { openRunProgress, sendToParent } from './verify.ts';

type MakeCommand = Extract<BackupCommand, { verb: 'make' }>;

const openService = async (config: Config, resources: AsyncDisposableStack) => {
  const database = await connectTool(config, resources, { applicationName: 'sheaf backup', maxConnections: 2 });
  const storage = await openStorage(config.storage, { hasLocalDocuments: () => hasLocalDocuments(database.db) });
  resources.defer(() => storage.close());
  return { databaseUrl: database.url, storage };
};

const summarise = ({ manifest, files, removed }: BackupResult, elapsedMs: number): string => {
  const { database, previews } = manifest;
  const tables = { rows: 0, bytes: 0 };
  for (const { rows, bytes } of database.tables) {
    tables.rows += rows;
    tables.bytes += bytes;
  }
  const news = `${formatCount(files.copied)} new (${formatBytes(files.copiedBytes)})`;
  const old = `${formatCount(files.linked)} linked to the previous backup`;
  const rest = [
    ...(files.resumed > 0 ? [`${formatCount(files.resumed)} from an interrupted backup or one on another disk`] : []),
    ...(files.rescued > 0 ? [`${formatCount(files.rescued)} recovered from an older backup`] : []),
  ];
  return [
    `database: ${database.tables.length} tables, ${formatCount(tables.rows)} rows, ${formatBytes(tables.bytes)}`,
    `files: ${formatCount(manifest.files.count)} (${formatBytes(manifest.files.bytes)}): ${[news, old, ...rest].join(', ')}`,
    `previews: ${formatCount(previews.count)} (${formatBytes(previews.bytes)})`,
    ...removed.map((name) => `removed: ${name}`),
    `done in ${formatPace(tables.bytes + manifest.files.bytes + previews.bytes, elapsedMs)}`,
  ]
    .map((line) => `${line}\n`)
    .join('');
};

const WHAT_IS_WRONG = {
  missing: 'its file is missing',
  changed: 'its file is damaged',
  unreadable: 'its file cannot be read',
} as const;

const describeLosses = ({ manifest }: BackupResult): string =>
  manifest.files.missing
    .flatMap(({ document_ids, reason }) =>
      document_ids.map((id) => `document ${id}: ${WHAT_IS_WRONG[reason]}, and no older backup has it\n`),
    )
    .join('');

/** Makes a backup as the command line says and returns the exit code. */
export const make = async ({ folder, isArchive, isFull, withSecrets, keep }: MakeCommand, loaded: LoadedConfig): Promise<number> => {
  const startedAt = performance.now();
  const { backupPath } = loaded.config.storage;
  await using resources = new AsyncDisposableStack();
  const service = await openService(loaded.config, resources);
  const progress = openRunProgress();
  resources.defer(() => progress.close());
  const result = await makeBackup(
    {
      ...service,
      serviceVersion: VERSION,
      clock: systemClock,
      signal: stopOnSignals('backup_interrupted'),
      report: progress.report,
    },
    {
      folder: folder ?? backupPath,
      otherFolders: folder === undefined || folder === backupPath ? [] : [backupPath],
      isArchive,
      isFull,
      keep,
      configuration: await configurationParts(loaded, withSecrets),
    },
  );
  progress.close();
  process.stderr.write(summarise(result, performance.now() - startedAt));
  process.stderr.write(describeLosses(result));
  process.stdout.write(`${result.path}\n`);
  await sendToParent({ type: 'backed_up', name: basename(result.path) });
  return result.manifest.files.missing.length === 0 ? EXIT.done : EXIT.failed;
};

const MARGIN = 2;

const toBytes = (content: unknown): Uint8Array => Buffer.from(`${JSON.stringify(content, null, MARGIN)}\n`);

type Part = ConfigurationParts['files'][number];

const filePart = async (name: Part['name'], path: string): Promise<Part[]> => {
  try {
    return [{ name, bytes: await readFile(path) }];
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
};

/** The configuration as a backup keeps it. Secrets, and the file that may hold some in clear, only where they are wanted. */
const configurationParts = async ({ config, raw, file }: LoadedConfig, withSecrets: boolean): Promise<ConfigurationParts> => {
  const roles = raw.ROLES_FILE?.text;
  return {
    hasSecrets: withSecrets,
    files: [
      { name: 'effective.json', bytes: toBytes(effectiveValues(raw, { withSecrets })) },
      ...(roles === undefined ? [] : await filePart('roles.yml', roles)),
      ...(withSecrets && file !== undefined ? await filePart('service.yml', file) : []),
      ...(withSecrets ? await filePart('secrets.json', config.secretsFile) : []),
    ],
  };
};
