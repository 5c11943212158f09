import { parseCommandLine } from '@sheaf/supervisor/testing';
import test from 'ava';

test('a bare start takes the Procfile as it is', (t) => {
  t.like(parseCommandLine([]), { kind: 'start', scale: [], procfile: undefined, flags: { handOn: [] } });
});

test('scale may be given several times, in both spellings', (t) => {
  t.like(parseCommandLine(['--scale', 'a=1', '--scale=b=2']), { kind: 'start', scale: ['a=1', 'b=2'] });
});

test('variables are flags, and are handed on to every process', (t) => {
  t.like(parseCommandLine(['--server-port', '9000', '--scale', 'a=1']), { kind: 'start', flags: { handOn: ['--server-port=9000'] } });
});

test('help is asked for', (t) => {
  t.deepEqual(parseCommandLine(['--help']), { kind: 'help' });
});

for (const argv of [['--unknown'], ['word'], ['--scale']]) {
  test(`"${argv.join(' ')}" is wrong usage`, (t) => {
    t.is(parseCommandLine(argv).kind, 'wrong');
  });
}
