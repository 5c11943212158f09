import { Option } from 'commander';
import { countUpTo, makeCommand } from '../command-line.ts';

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
const LIMITS = { batchSize: 10_000, parallelUploads: 64, sampleSize: 1_000_000 } as const;

interface Flags {
  readonly direction: Direction;
  readonly dryRun?: true;
  readonly enableRollback?: true;
  readonly verbose?: true;
  readonly verify?: true;
  readonly sampleSize?: number;
  readonly batchSize?: number;
  readonly parallelUploads?: number;
}

const makeMigrateCommand = () =>
  makeCommand('migrate_to_s3')
    .description(
      'Moves the files of all documents from the folder UPLOAD_PATH to the bucket S3_BUCKET_NAME, or back. Each file is verified at the target and its hash is compared before the document refers to the new location. The service may run meanwhile. An interrupted migration continues where it stopped.',
    )
    .addOption(new Option('--direction <direction>', 'direction of the migration').choices(DIRECTIONS).default('local-to-s3'))
    .option('--dry-run', 'change nothing; report what would be moved and whether the target can be reached')
    .option('--verify', 'afterwards read all files at the target again and compare the hashes')
    .option('--sample-size <n>', 'verify only n random files (implies --verify)', countUpTo(LIMITS.sampleSize))
    .option('--enable-rollback', 'keep the old copies until all files have been moved, and roll back if the migration cannot finish')
    .option('--batch-size <n>', 'documents fetched from the database at a time (default: BATCH_SIZE)', countUpTo(LIMITS.batchSize))
    .option('--parallel-uploads <n>', 'files moved at the same time (default: PARALLEL_UPLOADS)', countUpTo(LIMITS.parallelUploads))
    .option('--verbose', 'print a line for each file')
    .addHelpText(
      'after',
      `
The summary goes to stdout, everything else to stderr.
Exit codes: 0 done; 1 files are left or the migration failed; 2 usage error; 69 another migration is running; 78 configuration error.`,
    );

/** What the command line asks for. Throws a CommanderError after printing the help or a usage error. */
export const parseArguments = (argv: readonly string[]): MigrateOptions => {
  const flags = makeMigrateCommand().parse(argv, { from: 'user' }).opts<Flags>();
  return {
    direction: flags.direction,
    isDryRun: flags.dryRun === true,
    keepsOldCopies: flags.enableRollback === true,
    isVerbose: flags.verbose === true,
    verifies: flags.verify === true || flags.sampleSize !== undefined,
    sampleSize: flags.sampleSize,
    batchSize: flags.batchSize,
    parallel: flags.parallelUploads,
  };
};
