// In which order events come, and what a client hears that was away.
import { recordEvent, recordEvents } from '@sheaf/events';
import { EventClient, openEventClient, SocketIoClient } from '../../support/event-client.ts';
import { givenPerson } from '../../support/person.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithApi();

/** Events that only one user hears, with a title each. */
const tell = ({ database: { db } }: RunningApi, userId: string, titles: readonly string[]): Promise<void> =>
  db.transaction((tx) =>
    recordEvents(
      tx,
      titles.map((title) => ({ event: { type: 'notification', id: title, kind: 'security', title, message: 'm' }, ownerId: userId })),
    ),
  );

const titlesOf = (events: readonly Readonly<Record<string, unknown>>[]): unknown[] => events.map(({ title }) => title);
const isAscending = (numbers: readonly number[]): boolean => numbers.every((seq, at) => at === 0 || seq > (numbers[at - 1] ?? 0));
const numbered = (count: number, word = 'event'): string[] => Array.from({ length: count }, (_, n) => `${word} ${n}`);

test('of two transactions the one that began first and ended last loses nothing: all events come, in the order of their numbers', async (t) => {
  const { id, token } = await givenPerson(t.context, 'viewer');
  await using client = await openEventClient(t.context.anyone.url, token, ['notification']);
  const { db } = t.context.database;
  await db.transaction(async (slow) => {
    await recordEvent(slow, { type: 'notification', id: 's', kind: 'security', title: 'slow 1', message: '' }, id);
    await tell(t.context, id, ['quick 1', 'quick 2']);
    await client.eventsUntil(({ title }) => title === 'quick 2');
    await recordEvent(slow, { type: 'notification', id: 's', kind: 'security', title: 'slow 2', message: '' }, id);
  });
  await tell(t.context, id, ['last']);
  const events = await client.eventsUntil(({ title }) => title === 'last');
  t.deepEqual(titlesOf(events), ['quick 1', 'quick 2', 'slow 1', 'slow 2', 'last']);
  t.true(isAscending(client.sequence));
  await using again = await openEventClient(t.context.anyone.url, token, ['notification'], 0);
  t.deepEqual(await again.eventsUntil(({ title }) => title === 'last'), events, 'a replay tells the same');
});

test('who was away hears what they missed, more than a page of it, and goes on with what comes: each once, in order', async (t) => {
  const { id, token } = await givenPerson(t.context, 'viewer');
  const { url } = t.context.anyone;
  await using before = await openEventClient(url, token, ['notification']);
  await tell(t.context, id, ['heard']);
  const [heard] = await before.eventsUntil(({ title }) => title === 'heard');
  await before[Symbol.asyncDispose]();
  await tell(t.context, id, numbered(1_500, 'missed'));
  await using client = await new EventClient(url).opened();
  await client.auth(token);
  const writing = (async () => {
    for (const title of numbered(100, 'meanwhile')) await tell(t.context, id, [title]);
  })();
  t.deepEqual(await client.subscribe(['notification'], Number(heard?.['seq'])), {
    type: 'subscribed',
    events: ['notification'],
    complete: true,
  });
  await writing;
  const events = await client.eventsUntil(({ title }) => title === 'meanwhile 99');
  t.deepEqual(titlesOf(events), [...numbered(1_500, 'missed'), ...numbered(100, 'meanwhile')]);
  t.true(isAscending(client.sequence));

  using other = new SocketIoClient(url, { token });
  t.like(await other.subscribe(['notification'], Number(heard?.['seq'])), { type: 'subscribed', complete: true });
  await other.eventsUntil(({ title }) => title === 'meanwhile 99');
  t.deepEqual(other.sequence, client.sequence, 'socket.io tells the same');
});

// before the others, which want nothing to be forgotten
test.serial('what is forgotten is said: from the oldest that is left on', async (t) => {
  const { id, token } = await givenPerson(t.context, 'viewer');
  const { url } = t.context.anyone;
  await using client = await openEventClient(url, token, ['notification']);
  await tell(t.context, id, numbered(5));
  const events = await client.eventsUntil(({ title }) => title === 'event 4');
  const [first, , third] = client.sequence;
  await t.context.database.pool.query('delete from events where seq < $1', [third]);
  await using late = await new EventClient(url).opened();
  await late.auth(token);
  t.deepEqual(await late.subscribe(['notification'], first), {
    type: 'subscribed',
    events: ['notification'],
    complete: false,
    oldest_seq: third,
  });
  await late.eventsUntil(({ title }) => title === 'event 4');
  t.deepEqual(late.events, events.slice(2));
  await using foreign = await new EventClient(url).opened();
  await foreign.auth(token);
  t.like(await foreign.subscribe(['notification'], 1_000_000_000), { complete: false }, 'a number of another database');
  await tell(t.context, id, ['new']);
  t.deepEqual(titlesOf(await foreign.eventsUntil(({ title }) => title === 'new')), ['new']);
});

test('events get their numbers also while nobody listens', async (t) => {
  const { id } = await givenPerson(t.context, 'viewer');
  await tell(t.context, id, numbered(1_200));
  await waitFor(
    async () => {
      const { rows } = await t.context.database.pool.query('select from events where owner_id = $1 and seq is null', [id]);
      return rows.length === 0;
    },
    { description: 'all events to be numbered', limitMs: 20_000 },
  );
  const { rows } = await t.context.database.pool.query(
    'select title from (select seq, data ->> $2 as title from events where owner_id = $1) as e order by seq',
    [id, 'title'],
  );
  t.deepEqual(titlesOf(rows), numbered(1_200));
});
