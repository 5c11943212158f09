import { parseArguments } from '@sheaf/cli/testing';
import test from 'ava';

const DEFAULTS = {
  direction: 'local-to-s3',
  isDryRun: false,
  keepsOldCopies: false,
  isVerbose: false,
  verifies: false,
  sampleSize: undefined,
  batchSize: undefined,
  parallel: undefined,
};

test('without flags everything is moved to S3, with the sizes of the configuration', (t) => {
  t.deepEqual(parseArguments([]), DEFAULTS);
});

test('each flag arrives', (t) => {
  const rows: readonly (readonly [readonly string[], Partial<typeof DEFAULTS> | object])[] = [
    [['--direction', 's3-to-local'], { direction: 's3-to-local' }],
    [['--dry-run'], { isDryRun: true }],
    [['--enable-rollback'], { keepsOldCopies: true }],
    [['--verbose'], { isVerbose: true }],
    [['--verify'], { verifies: true }],
    [['--verify', '--sample-size', '50'], { verifies: true, sampleSize: 50 }],
    [['--batch-size=250'], { batchSize: 250 }],
    [['--parallel-uploads', '8'], { parallel: 8 }],
  ];
  for (const [argv, changed] of rows) t.deepEqual(parseArguments(argv), { ...DEFAULTS, ...changed } as never, argv.join(' '));
});

test('a sample is verified also where --verify is not said', (t) => {
  t.like(parseArguments(['--sample-size', '5']), { verifies: true, sampleSize: 5 });
});

test('--help comes before what else is asked for', (t) => {
  t.throws(() => parseArguments(['--verify', '--help']), { name: 'CommanderError', code: 'commander.helpDisplayed' });
});

test('what cannot be meant is refused, and named', (t) => {
  const rows: readonly (readonly [readonly string[], string])[] = [
    [['--batch-size', '0'], 'commander.invalidArgument'],
    [['--batch-size', '1e3'], 'commander.invalidArgument'],
    [['--parallel-uploads', '65'], 'commander.invalidArgument'],
    [['--sample-size', ''], 'commander.invalidArgument'],
    [['--direction', 'up'], 'commander.invalidArgument'],
    [['everything'], 'commander.excessArguments'],
    [['--verify=yes'], 'commander.unknownOption'],
  ];
  for (const [argv, code] of rows) t.throws(() => parseArguments(argv), { name: 'CommanderError', code }, argv.join(' '));
});
