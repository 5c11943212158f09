import { flagOf, parseFlags, VARIABLES } from '@sheaf/config';
import test from 'ava';

const OWN = { scale: { type: 'string' }, help: { type: 'boolean' } } as const;

const valuesOf = (argv: readonly string[]) => {
  const parsed = parseFlags(argv, OWN);
  return parsed.ok ? Object.fromEntries(Object.entries(parsed.values).map(([name, { text }]) => [name, text])) : parsed.message;
};

test('every variable is a flag', (t) => {
  for (const name of Object.keys(VARIABLES)) t.deepEqual(valuesOf([`${flagOf(name)}=x`]), { [name]: 'x' }, name);
});

test('a value stands behind a blank or an equals sign, and the last one counts', (t) => {
  t.deepEqual(valuesOf(['--server-port', '9000', '--ocr-enabled=false', '--ocr-workers', '3', '--server-port=9001']), {
    SERVER_PORT: '9001',
    OCR_ENABLED: 'false',
    OCR_WORKERS: '3',
  });
  t.deepEqual(valuesOf(['--watch-ignore-patterns=--x', '--watch-interval-seconds', '-1']), {
    WATCH_IGNORE_PATTERNS: '--x',
    WATCH_INTERVAL_SECONDS: '-1',
  });
});

test('an unknown flag is wrong usage and told with the nearest name', (t) => {
  t.is(valuesOf(['--sever-port', '1']), 'unknown option --sever-port; did you mean "--server-port"?');
  t.is(valuesOf(['--scales', 'a=1']), 'unknown option --scales; did you mean "--scale"?');
  t.is(valuesOf(['--constructor=1']), 'unknown option --constructor');
  t.is(valuesOf(['-x']), 'unknown option -x');
});

test('a flag without its value is wrong usage', (t) => {
  t.is(valuesOf(['--ocr-enabled']), '--ocr-enabled requires a value: --ocr-enabled=VALUE');
  t.is(valuesOf(['--ocr-enabled', '--server-port', '1']), '--ocr-enabled requires a value: --ocr-enabled=VALUE');
  t.is(valuesOf(['--help=1']), '--help takes no value');
});

test('own options and words are told apart from variables, and what is handed on is one word each', (t) => {
  const parsed = parseFlags(['--scale', 'a=1', '--scale=b=2', 'word', '--log-level', 'debug', '--process-instance', '3', '--help'], OWN);
  t.true(parsed.ok);
  if (!parsed.ok) return;
  t.deepEqual(parsed.own.get('scale'), ['a=1', 'b=2']);
  t.true(parsed.own.has('help'));
  t.deepEqual(parsed.positionals, ['word']);
  t.deepEqual(parsed.handOn, ['--log-level=debug']);
});
