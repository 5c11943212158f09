import { retry, untilAborted, waitFor } from '@sheaf/process';
import test from 'ava';

test('what is reported of a wait in vain is how things are at its end', async (t) => {
  let tries = 0;
  const probe = (): undefined => {
    tries += 1;
  };
  const waiting = waitFor(probe, { description: () => `an answer; so far ${tries} tries`, limitMs: 20, everyMs: 1 });
  const { message } = await t.throwsAsync<Error>(waiting);
  t.true(tries > 1);
  t.is(message, `Timed out after 20 ms waiting for an answer; so far ${tries} tries`);
});

test('so is what is reported of a wait that was stopped', async (t) => {
  const stop = new AbortController();
  let state = 'waiting';
  const waiting = waitFor(() => false, { description: async () => `the end; so far ${state}`, limitMs: 60_000, signal: stop.signal });
  state = 'stopped';
  stop.abort();
  await t.throwsAsync(waiting, { message: 'Stopped while waiting for the end; so far stopped' });
});

test('work is tried again after an error that passes, and no more often than it may be', async (t) => {
  let tries = 0;
  const work = async (failures: number, message = 'passing'): Promise<string> => {
    tries += 1;
    if (tries <= failures) throw new Error(message);
    return 'done';
  };
  const options = { attempts: 3, isPassing: (error: unknown) => error instanceof Error && error.message === 'passing' };
  t.is(await retry(() => work(2), options), 'done');
  t.is(tries, 3);
  tries = 0;
  await t.throwsAsync(
    retry(() => work(3), options),
    { message: 'passing' },
  );
  t.is(tries, 3);
  tries = 0;
  await t.throwsAsync(
    retry(() => work(1, 'lasting'), options),
    { message: 'lasting' },
  );
  t.is(tries, 1);
});

test('a wait for the end is over at once where that came before', async (t) => {
  const abort = new AbortController();
  const waiting = untilAborted(abort.signal);
  abort.abort();
  await waiting;
  await t.notThrowsAsync(untilAborted(abort.signal));
});
