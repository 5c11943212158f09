import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { constant } from '@sheaf/process';
import { givenUser } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { makeNotedLogger } from '../../support/noted-logger.ts';
import { openWatchBench, type WatchBench } from './fixture.ts';

const test = anyTest as TestFn<WatchBench>;

test.beforeEach(async (t) => {
  t.context = await openWatchBench();
  await givenUser(t.context.db, { role: 'admin' });
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const HARD_LINK = 'ignored hard_link';

const countEvents = async ({ database }: WatchBench): Promise<number> =>
  (await database.pool.query('select count(*)::int as n from events')).rows[0].n;

test('a hard link is refused, said once, and taken when the other name is gone though nothing else changed', async (t) => {
  const { drop, ledger, folder, makeScanner } = t.context;
  const { log, lines } = makeNotedLogger();
  const path = await drop('a.txt', 'secret of someone else');
  await link(path, join(folder, 'other-name.txt'));
  const { scan } = makeScanner({ log });
  await scan();
  const events = await countEvents(t.context);
  await scan();
  await makeScanner({ log }).scan();
  t.deepEqual(await ledger(), [`a.txt ${HARD_LINK}`]);
  t.is(await countEvents(t.context), events, 'an event for the first scan alone');
  t.is(lines.filter((line) => line.includes('not imported')).length, 1);
  await rm(join(folder, 'other-name.txt'));
  await scan();
  t.deepEqual(await ledger(), ['a.txt ingested']);
});

test('a hard link that was noted before a restart is taken when the other name is gone', async (t) => {
  const { drop, ledger, folder, makeScanner } = t.context;
  await link(await drop('a.txt', 'a'), join(folder, 'other-name.txt'));
  await makeScanner().scan();
  await rm(join(folder, 'other-name.txt'));
  await makeScanner().scan();
  t.deepEqual(await ledger(), ['a.txt ingested']);
});

test('a file that was imported stays so when it gets a second name', async (t) => {
  const { drop, ledger, folder, scan } = t.context;
  const path = await drop('a.txt', 'a');
  await scan();
  await link(path, join(folder, 'backup.txt'));
  await scan();
  t.deepEqual(await ledger(), ['a.txt ingested']);
});

const holders = {
  'is locked for writing': {
    program: 'import fcntl,sys; f=open(sys.argv[1],"r+"); fcntl.lockf(f, fcntl.LOCK_EX)',
    code: 'write_locked',
  },
  'another program keeps to itself': {
    program:
      'import fcntl,os,signal,sys; signal.signal(signal.SIGIO, signal.SIG_IGN); f=os.open(sys.argv[1], os.O_RDWR); fcntl.fcntl(f, 1024, fcntl.F_WRLCK)',
    code: 'kept_by_another',
  },
};
for (const [what, { program, code }] of Object.entries(holders))
  test(`a file that ${what} waits at every scan and is taken afterwards`, async (t) => {
    const path = await t.context.drop('a.txt', 'a');
    const child = spawn('python3', ['-c', `${program}; print(1, flush=True); sys.stdin.read()`, path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    t.teardown(() => child.kill());
    await once(child.stdout, 'data');
    await t.context.scan();
    await t.context.scan();
    const [line = ''] = await t.context.ledger();
    t.is(line.split(':')[0], `a.txt waiting ${code}`);
    const exited = once(child, 'exit');
    child.stdin.end();
    await exited;
    await t.context.scan();
    t.deepEqual(await t.context.ledger(), ['a.txt ingested']);
  });

test('taking in ends at its time, and what was not reached is still due', async (t) => {
  const { scanner } = t.context.makeScanner({ stabilityMs: constant(0) });
  for (let n = 0; n < 8; n += 1) await t.context.drop(`${n}.txt`, `text ${n}`);
  const { signal } = new AbortController();
  t.is((await scanner.scan(signal)).files, 8);
  t.is(await scanner.takeDue(performance.now(), signal), 0);
  t.true((scanner.nextDueMs ?? Number.POSITIVE_INFINITY) <= performance.now());
  t.is(await scanner.takeDue(Number.POSITIVE_INFINITY, signal), 8);
  t.is(scanner.nextDueMs, undefined);
});
