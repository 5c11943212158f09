import type { ImportAttempts, IngestDeps } from '@sheaf/ingest';
import type { Clock, Live, Logger } from '@sheaf/process';
import type { Tracer } from '@sheaf/process/tracing';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import type { FileMover } from './file-mover.ts';
import type { FileRules } from './judge-file.ts';
import type { FindRoots } from './watch-root.ts';

export interface ScannerSettings {
  readonly route: IngestRoute;
  readonly recursive: boolean;
  /** How long a file has to stay as it is before it is imported. */
  readonly stabilityMs: Live<number>;
  readonly rules: Live<FileRules>;
  /** How many files of a root are refused at sight in one scan at most. */
  readonly maxNotesARoot?: number;
  /** Where processed files are put; never read, also when it lies inside a watched folder. */
  readonly processedFolder: string;
}

export interface ScannerDeps {
  readonly settings: ScannerSettings;
  readonly findRoots: FindRoots;
  /** Puts away what was taken in; absent when files stay where they are. */
  readonly mover?: FileMover | undefined;
  readonly ingest: IngestDeps;
  /** One for all scanners of the process. */
  readonly attempts: ImportAttempts;
  readonly tracer: Tracer;
  readonly clock: Clock;
  readonly log: Logger;
}
