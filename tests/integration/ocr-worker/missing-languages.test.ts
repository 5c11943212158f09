import { warning } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import { makeMissingLanguages } from '@sheaf/ocr-worker/testing';
import { silentLogger } from '@sheaf/process';
import { recordOcrHost } from '@sheaf/queue';
import { enqueueJob, givenDocument, givenUser, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { drizzle } from 'drizzle-orm/node-postgres';
import { waitFor } from '../../support/wait-for.ts';

test('the health of a worker names the languages that scanned pages are in and that it cannot recognise, with the command that installs them', async (t) => {
  await using database = await openTestDatabase();
  const { db, pool } = database;
  const ownerId = (await givenUser(db)).id;
  for (const missing of ['pol', 'deu', 'deu', 'fra', null]) {
    const { id } = await givenDocument(db, { ownerId });
    await pool.query('update documents set missing_language = $2 where id = $1', [id, missing]);
  }
  const component = makeMissingLanguages({ db, log: silentLogger(), host: 'alpha', languages: ['eng', 'fra'] });
  t.deepEqual(component.health?.(), { status: 'healthy' });
  await component.start();
  try {
    await waitFor(async () => component.health?.().status === 'warning', { description: 'the languages to be looked up', limitMs: 20_000 });
    t.deepEqual(component.health?.(), warning('ocr_languages_missing', { languages: ['deu', 'pol'], argument: 'deu,pol' }));
    t.regex(component.health?.().message ?? '', /\.\/setup --languages deu,pol/);
  } finally {
    await component.stop();
  }
});

test('where all languages are installed nothing is said', async (t) => {
  await using database = await openTestDatabase();
  const { db, pool } = database;
  const { id } = await givenDocument(db, { ownerId: (await givenUser(db)).id });
  await pool.query(`update documents set missing_language = 'deu' where id = $1`, [id]);
  const asked: string[] = [];
  const watched = drizzle(pool, { logger: { logQuery: (text) => asked.push(text) } }) as unknown as Db;
  const component = makeMissingLanguages({ db: watched, log: silentLogger(), host: 'alpha', languages: ['deu', 'eng'] });
  await component.start();
  await waitFor(async () => asked.some((text) => text.includes('missing_language')), {
    description: 'the languages to be looked up',
    limitMs: 20_000,
  });
  await component.stop();
  t.deepEqual(component.health?.(), { status: 'healthy' });
});

test('the health of a worker names the languages that documents wait for and that no running host has', async (t) => {
  await using database = await openTestDatabase();
  const { db, pool } = database;
  const { id } = await givenDocument(db, { ownerId: (await givenUser(db)).id, ocrLanguage: 'eng+deu' });
  await enqueueJob(db, { documentId: id, maxAttempts: 3 });
  await pool.query(`update ocr_jobs set due_at = now() - interval '2 minutes'`);
  await recordOcrHost(db, 'beta', ['deu', 'eng']);
  await pool.query(`update ocr_hosts set seen_at = now() - interval '5 minutes'`);
  const component = makeMissingLanguages({ db, log: silentLogger(), host: 'alpha', languages: ['eng'] });
  await component.start();
  try {
    await waitFor(async () => component.health?.().status === 'warning', { description: 'the languages to be looked up', limitMs: 20_000 });
    t.deepEqual(component.health?.(), warning('ocr_language_without_host', { languages: ['eng+deu'], argument: 'eng,deu' }));
  } finally {
    await component.stop();
  }
});
