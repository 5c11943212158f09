import type { Db } from '@sheaf/db';
import { recordEvent } from '@sheaf/events';
import { sleep } from '@sheaf/process';
import test from 'ava';
import { EventClient } from '../support/event-client.ts';
import { freePort } from '../support/free-port.ts';
import { givenService } from '../support/given-service.ts';
import { waitFor } from '../support/wait-for.ts';

const EVENTS = 600;
const KILLS = 3;

/** Tells of `EVENTS` things in transactions of different lengths, four at a time. */
const tellAll = async (db: Db, userId: string): Promise<void> => {
  const never = new AbortController().signal;
  let next = 0;
  const writer = async (): Promise<void> => {
    for (let n = next++; n < EVENTS; n = next++)
      await db.transaction(async (tx) => {
        await recordEvent(tx, { type: 'notification', id: `${n}`, kind: 'security', title: `event ${n}`, message: '' }, userId);
        await sleep((n % 7) * 12, never);
      });
  };
  await Promise.all([writer(), writer(), writer(), writer()]);
};

test('an api that is killed while it delivers skips nothing: who connects again with last_seq hears each event, in order', async (t) => {
  t.timeout(3 * 240_000);
  const port = await freePort();
  await using given = await givenService({ SERVER_ADDRESS: `127.0.0.1:${port}`, WATCH_INTERVAL_SECONDS: '60' });
  const anyone = await given.service.ready();
  await anyone.register('admin');
  const { body } = await anyone.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' });
  const userId = (body['user'] as { id: string }).id;
  const connect = (lastSeq: number): Promise<EventClient> =>
    waitFor(
      async () => {
        const client = new EventClient(anyone.url, { authorization: `Bearer ${String(body['token'])}` });
        await waitFor(() => client.messages.length > 0 || client.failed !== undefined, { description: 'a greeting', limitMs: 30_000 });
        if (client.failed !== undefined) return undefined;
        client.say({ type: 'subscribe', events: ['notifications'], last_seq: lastSeq });
        return client;
      },
      { description: 'a connection', limitMs: 60_000, everyMs: 50 },
    );

  const heard: Readonly<Record<string, unknown>>[] = [];
  let client = await connect(0);
  const telling = tellAll(given.database.db, userId);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await waitFor(() => heard.length + client.events.length > (EVENTS * kill) / (KILLS + 2), {
      description: 'events to be heard',
      limitMs: 60_000,
      everyMs: 1,
    });
    const [pid] = await given.service.processIds('apps/api/src/main.ts');
    if (pid === undefined) throw new Error('there is no api');
    process.kill(pid, 'SIGKILL');
    await client.whenClosed();
    heard.push(...client.events);
    client = await connect(Number(heard.at(-1)?.['seq']));
  }
  await telling;
  await waitFor(() => heard.length + client.events.length >= EVENTS, { description: 'the last event', limitMs: 60_000 });
  heard.push(...client.events);
  await client[Symbol.asyncDispose]();

  t.deepEqual(new Set(heard.map(({ title }) => title)).size, EVENTS);
  const numbers = heard.map(({ seq }) => Number(seq));
  t.deepEqual(
    numbers,
    [...new Set(numbers)].toSorted((a, b) => a - b),
    'in the order of their numbers, none twice',
  );
});
