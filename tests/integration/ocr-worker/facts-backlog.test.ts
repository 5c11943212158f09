import { joinHealth, warning } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import { makeFactsBacklog } from '@sheaf/ocr-worker/testing';
import { silentLogger } from '@sheaf/process';
import { givenDocument, givenUser, openTestDatabase } from '@sheaf/testkit';
import { FACTS_VERSION } from '@sheaf/vocabulary/facts';
import test from 'ava';
import { drizzle } from 'drizzle-orm/node-postgres';
import { waitFor } from '../../support/wait-for.ts';

const CURRENT = { factsFoundAt: new Date('2026-01-02'), factsVersion: FACTS_VERSION } as const;

test('the health of a worker names how many documents were never searched for facts, with the command that does it', async (t) => {
  await using database = await openTestDatabase();
  const { db } = database;
  const ownerId = (await givenUser(db)).id;
  for (const status of ['completed', 'completed', 'pending', 'processing'] as const) await givenDocument(db, { ownerId, status });
  await givenDocument(db, { ownerId, status: 'completed', ...CURRENT });
  const component = makeFactsBacklog({ db, log: silentLogger() });
  t.deepEqual(component.health?.(), { status: 'healthy' });
  await component.start();
  try {
    await waitFor(async () => component.health?.().status === 'warning', { description: 'documents to be counted', limitMs: 20_000 });
    t.deepEqual(component.health?.(), warning('documents_without_facts', { documents: 2 }));
    t.regex(component.health?.().message ?? '', /^2 documents .* bin\/sheaf facts/);
  } finally {
    await component.stop();
  }
});

test('documents whose facts an earlier version found, or one without a number, are named beside those that were never searched', async (t) => {
  await using database = await openTestDatabase();
  const { db } = database;
  const ownerId = (await givenUser(db)).id;
  for (const factsVersion of [null, FACTS_VERSION - 1, FACTS_VERSION, FACTS_VERSION + 1])
    await givenDocument(db, { ownerId, status: 'completed', ...CURRENT, factsVersion });
  await givenDocument(db, { ownerId, status: 'completed' });
  const component = makeFactsBacklog({ db, log: silentLogger() });
  await component.start();
  try {
    await waitFor(async () => component.health?.().status === 'warning', { description: 'documents to be counted', limitMs: 20_000 });
    const [missing, outdated] = [
      warning('documents_without_facts', { documents: 1 }),
      warning('documents_with_earlier_facts', { documents: 2 }),
    ];
    t.deepEqual(component.health?.(), joinHealth(missing, outdated));
    t.regex(outdated.message ?? '', /^2 documents .* bin\/sheaf facts/);
  } finally {
    await component.stop();
  }
});

test('where every document was searched nothing is said', async (t) => {
  await using database = await openTestDatabase();
  const { db, pool } = database;
  await givenDocument(db, { ownerId: (await givenUser(db)).id, status: 'completed', ...CURRENT });
  const asked: string[] = [];
  const watched = drizzle(pool, { logger: { logQuery: (text) => asked.push(text) } }) as unknown as Db;
  const component = makeFactsBacklog({ db: watched, log: silentLogger() });
  await component.start();
  await waitFor(async () => asked.some((text) => text.includes('facts_found_at')), {
    description: 'documents to be counted',
    limitMs: 20_000,
  });
  await component.stop();
  t.deepEqual(component.health?.(), { status: 'healthy' });
});
