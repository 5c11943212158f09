import { type BackupReader, openBackup, verifyDatabase } from '@sheaf/backup';
import type { BackupReport, RunMessage } from '@sheaf/backup/runs';
import type { Config } from '@sheaf/config';
import { AppError } from '@sheaf/contract';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { fromCaller, stopOnSignals } from '../command-line.ts';
import { openDatabaseForTool } from '../open-database.ts';
import { formatCount, formatPace, openProgress } from '../progress/progress.ts';
import type { BackupCommand } from './arguments.ts';

type VerifyCommand = Extract<BackupCommand, { verb: 'verify' }>;

/** Reads the backup through, tells what is wrong with it, and returns the exit code. */
export const verify = async ({ path, isFast }: VerifyCommand, config: Config): Promise<number> => {
  const startedAt = performance.now();
  const signal = stopOnSignals('backup_verification_interrupted');
  await using backup = await openOrReport(fromCaller(path));
  const findings = [...(await verifyFiles(backup, signal)), ...(isFast ? [] : await verifyRows(backup, config, signal))];
  for (const finding of findings) process.stdout.write(`${finding}\n`);
  await sendToParent({ type: 'verified', differences: findings.length, first: findings[0] ?? null });
  const { database, files } = backup.manifest;
  const bytes = database.tables.reduce((sum, table) => sum + table.bytes, files.bytes);
  if (files.missing.length > 0)
    process.stderr.write(
      `${formatCount(files.missing.length)} files were already missing when the backup was created; their documents are in the manifest\n`,
    );
  process.stdout.write(`${summaryOf(findings.length)}\n`);
  process.stderr.write(`done in ${formatPace(bytes, performance.now() - startedAt)}\n`);
  if (findings.length > 0) process.stderr.write('create a new backup with: sheaf backup --full\n');
  return findings.length === 0 ? EXIT.done : EXIT.failed;
};

/** A damaged backup is not called verified: the last line is what is read. */
const summaryOf = (findings: number): string =>
  findings === 0 ? 'verified: no differences' : `damaged: ${formatCount(findings)} ${findings === 1 ? 'difference' : 'differences'}`;

/** A backup that has no readable manifest is damaged too. */
const openOrReport = async (path: string): Promise<BackupReader> => {
  try {
    return await openBackup(path);
  } catch (error) {
    if (error instanceof AppError && error.kind === 'VALIDATION_ERROR')
      await sendToParent({ type: 'verified', differences: 1, first: error.message });
    throw error;
  }
};

const verifyFiles = async (backup: BackupReader, signal: AbortSignal): Promise<readonly string[]> => {
  const progress = openRunProgress();
  const { database, files, previews } = backup.manifest;
  const total = {
    files: database.tables.length + files.count + previews.count,
    bytes: database.tables.reduce((sum, { bytes }) => sum + bytes, files.bytes + previews.bytes),
  };
  progress.report.begin('checksums', total);
  try {
    return await backup.verifyChecksums({ signal, onFile: (bytes) => progress.report.advance(bytes) });
  } finally {
    progress.close();
  }
};

const verifyRows = async (backup: BackupReader, config: Config, signal: AbortSignal): Promise<readonly string[]> => {
  await using database = await openDatabaseForTool(config);
  const progress = openRunProgress();
  const { tables } = backup.manifest.database;
  progress.report.begin('database', { files: tables.length, bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0) });
  try {
    const onTable = ({ bytes }: { readonly bytes: number }): void => progress.report.advance(bytes);
    return await verifyDatabase(backup, { databaseUrl: database.url, signal, onTable });
  } finally {
    progress.close();
  }
};

/** How often the parent hears how far it is. */
const REPORT_EVERY_MS = 500;

/** Tells the process of the service that has started this one; nothing happens where a person has. */
export const sendToParent = (message: RunMessage): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined || !process.connected) return resolve();
    process.send(message, undefined, undefined, () => resolve()); // it may be gone: then nobody wants to know
  });

interface RunProgressReport {
  readonly report: BackupReport;
  close(): void;
}

const reportToParent = (): RunProgressReport => {
  let phase = { name: '', files: 0, bytes: 0, total: undefined as { readonly files: number; readonly bytes: number } | undefined };
  const sendProgress = (): void => {
    const { name, files, bytes, total } = phase;
    if (name === '') return;
    void sendToParent({ type: 'progress', phase: name, files, bytes, totalFiles: total?.files ?? null, totalBytes: total?.bytes ?? null });
  };
  const ticking = setInterval(sendProgress, REPORT_EVERY_MS).unref();
  return {
    report: {
      begin: (name, total) => {
        phase = { name, files: 0, bytes: 0, total };
        sendProgress();
      },
      advance: (bytes) => {
        phase.files += 1;
        phase.bytes += bytes;
      },
    },
    close: () => clearInterval(ticking),
  };
};

/** How far a run is: for the process of the service that has started this one, or as a bar for a person. May be closed twice. */
export const openRunProgress = (): RunProgressReport => (process.send === undefined ? openProgress() : reportToParent());
