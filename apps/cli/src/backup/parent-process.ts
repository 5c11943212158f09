import type { BackupReport, RunMessage } from '@sheaf/backup/runs';
import { openProgress } from '../progress/open-progress.ts';

/** How often the parent hears how far it is. */
const TELL_MS = 500;

/** Tells the process of the service that has started this one; nothing happens where a person has. */
export const tellParent = (message: RunMessage): Promise<void> =>
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
  const tell = (): void => {
    const { name, files, bytes, total } = phase;
    if (name === '') return;
    void tellParent({ type: 'progress', phase: name, files, bytes, totalFiles: total?.files ?? null, totalBytes: total?.bytes ?? null });
  };
  const ticking = setInterval(tell, TELL_MS).unref();
  return {
    report: {
      begin: (name, total) => {
        phase = { name, files: 0, bytes: 0, total };
        tell();
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
