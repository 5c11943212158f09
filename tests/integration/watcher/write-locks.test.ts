import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isWriteLocked } from '@sheaf/watcher/testing';
import test from 'ava';

/** Takes a lock of one sort on the file, says so, and keeps it until its input ends. */
const HOLD = `
import fcntl, struct, sys
f = open(sys.argv[1], 'r+')
sort = sys.argv[2]
if sort == 'flock': fcntl.flock(f, fcntl.LOCK_EX)
if sort == 'shared flock': fcntl.flock(f, fcntl.LOCK_SH)
if sort == 'fcntl': fcntl.lockf(f, fcntl.LOCK_EX)
if sort == 'open file description': fcntl.fcntl(f, 37, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 0, 0))
if sort == 'none': pass
print('held', flush=True)
sys.stdin.read()
`;

const withPython = spawnSync('python3', ['--version']).status === 0 ? test : test.skip;
if (withPython !== test) process.stdout.write('tests of locks are skipped: python3, which takes them, is not installed\n');

const hold = async (path: string, sort: string): Promise<{ child: ChildProcess; letGo: () => Promise<void> }> => {
  const child = spawn('python3', ['-c', HOLD, path, sort], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return {
    child,
    letGo: async () => {
      const exited = once(child, 'exit');
      child.stdin.end();
      await exited;
    },
  };
};

for (const [sort, isLocked] of [
  ['flock', true],
  ['fcntl', true],
  ['open file description', true],
  ['shared flock', false],
  ['none', false],
] as const)
  withPython(`a file that another process has open with the lock "${sort}" is ${isLocked ? '' : 'not '}locked for writing`, async (t) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-locks-'));
    const [path, other] = [join(folder.path, 'a.txt'), join(folder.path, 'b.txt')];
    await writeFile(path, 'a');
    await writeFile(other, 'b');
    const { child, letGo } = await hold(path, sort);
    t.teardown(() => child.kill());
    await using handle = await open(path);
    await using otherHandle = await open(other);
    t.is(await isWriteLocked(handle), isLocked);
    t.false(await isWriteLocked(otherHandle), 'another file');
    await letGo();
    t.false(await isWriteLocked(handle), 'after the lock is gone');
  });
