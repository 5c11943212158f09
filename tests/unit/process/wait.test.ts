import { waitFor } from '@sheaf/process';
import test from 'ava';

test('what is told of a wait in vain is how things are at its end', async (t) => {
  let tries = 0;
  const probe = (): undefined => {
    tries += 1;
  };
  const waiting = waitFor(probe, { description: () => `an answer; so far ${tries} tries`, limitMs: 20, everyMs: 1 });
  const { message } = await t.throwsAsync<Error>(waiting);
  t.true(tries > 1);
  t.is(message, `Timed out after 20 ms waiting for an answer; so far ${tries} tries`);
});

test('so is what is told of a wait that was stopped', async (t) => {
  const stop = new AbortController();
  let state = 'waiting';
  const waiting = waitFor(() => false, { description: async () => `the end; so far ${state}`, limitMs: 60_000, signal: stop.signal });
  state = 'stopped';
  stop.abort();
  await t.throwsAsync(waiting, { message: 'Stopped while waiting for the end; so far stopped' });
});
