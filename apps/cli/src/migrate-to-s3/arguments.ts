import { parseArgs } from 'node:util';

export const USAGE = `usage: migrate_to_s3 [--direction s3-to-local] [--dry-run] [--verify] [--sample-size N] [--enable-rollback]
                     [--batch-size N] [--parallel-uploads N] [--verbose]

  Moves the files of all documents from the folder UPLOAD_PATH to the bucket S3_BUCKET_NAME, or back. Each file is read
  again at its new place, and its hash compared, before its document says that it is there. May be run while the service
  runs, and again after it was interrupted: it goes on where it was.

  --direction D          local-to-s3 (default) or s3-to-local
  --dry-run              change nothing; tell what would be moved, what would be left, and whether the target can be reached
  --verify               afterwards read everything at the target again and compare the hashes
  --sample-size N        verify only N files, chosen at random (implies --verify)
  --enable-rollback      keep the old copies until everything has arrived, and go back to them if it cannot be finished
  --batch-size N         documents fetched from the database at a time (BATCH_SIZE)
  --parallel-uploads N   files moved at the same time (PARALLEL_UPLOADS)
  --verbose              a line for each file

  The summary goes to stdout, everything else to stderr.
  Exit codes: 0 done; 1 something is left or it failed; 2 wrong usage; 69 another one is running; 78 configuration error.
`;

export const DIRECTIONS = ['local-to-s3', 's3-to-local'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export interface MigrateOptions {
  readonly direction: Direction;
  readonly isDryRun: boolean;
  readonly keepsOldCopies: boolean;
  readonly isVerbose: boolean;
  readonly verifies: boolean;
  /** Undefined: everything. */
  readonly sampleSize: number | undefined;
  /** Undefined: as configured. */
  readonly batchSize: number | undefined;
  readonly parallel: number | undefined;
}

/** As far as their variables go, and as many hashes as cost little memory. */
const LIMITS = { 'batch-size': 10_000, 'parallel-uploads': 64, 'sample-size': 1_000_000 } as const;

const OPTIONS = {
  direction: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'enable-rollback': { type: 'boolean' },
  verify: { type: 'boolean' },
  verbose: { type: 'boolean' },
  'sample-size': { type: 'string' },
  'batch-size': { type: 'string' },
  'parallel-uploads': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** A command line that is not one of ours, with what is wrong with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const toCount = (name: keyof typeof LIMITS, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > LIMITS[name]) throw new UsageError(`--${name} takes a number from 1 to ${LIMITS[name]}, not "${text}"`);
  return value;
};

const toDirection = (text: string): Direction => {
  const direction = DIRECTIONS.find((known) => known === text);
  if (direction === undefined) throw new UsageError(`--direction takes ${DIRECTIONS.join(' or ')}, not "${text}"`);
  return direction;
};

const readFlags = (argv: readonly string[]) => {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError((error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' '));
  }
};

/** What the command line asks for; `help` where it asks for that. Throws UsageError. */
export const parseArguments = (argv: readonly string[]): MigrateOptions | 'help' => {
  const flags = readFlags(argv);
  if (flags.help === true) return 'help';
  const sampleSize = toCount('sample-size', flags['sample-size']);
  return {
    direction: toDirection(flags.direction ?? 'local-to-s3'),
    isDryRun: flags['dry-run'] === true,
    keepsOldCopies: flags['enable-rollback'] === true,
    isVerbose: flags.verbose === true,
    verifies: flags.verify === true || sampleSize !== undefined,
    sampleSize,
    batchSize: toCount('batch-size', flags['batch-size']),
    parallel: toCount('parallel-uploads', flags['parallel-uploads']),
  };
};
