import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Client } from 'pg';
import { writeDurably } from './durable.ts';
import { configurationName, MANIFEST, MANIFEST_HASH } from './entry-layout.ts';
import type { EntryWriter } from './entry-writer.ts';
import { type FileTally, keepOriginals, keepPreviews } from './keep-files.ts';
import type { KeepDeps } from './keep-original.ts';
import { BACKUP_FORMAT, type BackupManifest, type ConfigurationFile, type ConfigurationFileName } from './manifest.ts';
import type { BackupReport } from './report.ts';
import { dumpDatabase, type Snapshot } from './snapshot.ts';

export interface ConfigurationParts {
  readonly hasSecrets: boolean;
  readonly files: readonly { readonly name: ConfigurationFileName; readonly bytes: Uint8Array }[];
}

export interface FillDeps extends KeepDeps {
  readonly serviceVersion: string;
  readonly report: BackupReport;
}

export interface FilledEntry {
  readonly manifest: BackupManifest;
  readonly files: FileTally;
}

/** The list of what has to be copied; it is no part of the entry. */
const ORIGINALS = '.originals';

/**
 * Writes everything into the entry, the manifest last. The database comes first: nobody removes bytes meanwhile, so all its rows find
 * theirs, and the snapshot, which keeps the server from tidying up, is not held while the files are copied.
 */
export const fillEntry = async (client: Client, deps: FillDeps, parts: ConfigurationParts): Promise<FilledEntry> => {
  const { writer, report, signal } = deps;
  const configuration = { has_secrets: parts.hasSecrets, files: await writeConfiguration(writer, parts) };
  report.begin('database');
  const originalsPath = await writer.pathFor(ORIGINALS);
  const snapshot = await dumpDatabase(client, writer, { originalsPath, signal, onTable: ({ bytes }) => report.advance(bytes) });
  const onFile = (sizeBytes: number): void => report.advance(sizeBytes);
  report.begin('files', snapshot.originals);
  const { files, tally } = await keepOriginals(deps, { originalsPath, onFile });
  report.begin('previews');
  const previews = await keepPreviews(deps, { originalsPath, onFile });
  await rm(originalsPath);
  await client.query('select'); // whether the locks were held all the time
  const manifest = toManifest(deps.serviceVersion, snapshot, { files, previews, configuration });
  await writeManifest(writer, manifest);
  return { manifest, files: tally };
};

const writeConfiguration = async (writer: EntryWriter, { files }: ConfigurationParts): Promise<ConfigurationFile[]> => {
  const written: ConfigurationFile[] = [];
  for (const { name, bytes } of files) {
    await writeSmall(writer, configurationName(name), bytes);
    written.push({ name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
  }
  return written;
};

const toManifest = (
  serviceVersion: string,
  { takenAt, schemaVersion, database }: Snapshot,
  rest: Pick<BackupManifest, 'files' | 'previews' | 'configuration'>,
): BackupManifest => ({
  format: BACKUP_FORMAT,
  service_version: serviceVersion,
  schema_version: schemaVersion,
  created_at: takenAt.toISOString(),
  database,
  ...rest,
});

const writeManifest = async (writer: EntryWriter, manifest: BackupManifest): Promise<void> => {
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  await writeSmall(writer, MANIFEST, bytes);
  const hash = createHash('sha256').update(bytes).digest('hex');
  await writeSmall(writer, MANIFEST_HASH, Buffer.from(`${hash}  ${MANIFEST}\n`));
};

const writeSmall = async (writer: EntryWriter, name: string, bytes: Uint8Array): Promise<void> => {
  await writeDurably(await writer.pathFor(name), bytes);
  await writer.take(name, { isSynced: true });
};
