import { silentLogger } from '@sheaf/process';
import { givenDocument, givenUser, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { makeMissingLanguages } from '../../../apps/ocr-worker/src/missing-languages.ts';
import { waitFor } from '../../support/wait-for.ts';

test('the health of a worker names the languages that scanned pages are in and that it cannot recognise, with the command that installs them', async (t) => {
  await using database = await openTestDatabase();
  const { db, pool } = database;
  const ownerId = (await givenUser(db)).id;
  for (const missing of ['pol', 'deu', 'deu', 'fra', null]) {
    const { id } = await givenDocument(db, { ownerId });
    await pool.query('update documents set missing_language = $2 where id = $1', [id, missing]);
  }
  const component = makeMissingLanguages({ db, log: silentLogger(), installed: () => ['eng', 'fra'] });
  t.deepEqual(component.health?.(), { status: 'healthy' });
  await component.start();
  try {
    await waitFor(async () => component.health?.().status === 'warning', { description: 'the languages to be looked up', limitMs: 20_000 });
    const { message = '' } = component.health?.() ?? {};
    t.true(message.includes('deu, pol.') && message.includes('./setup --languages deu,pol'), message);
  } finally {
    await component.stop();
  }
});

test('where all languages are installed nothing is said', async (t) => {
  await using database = await openTestDatabase();
  const { db, pool } = database;
  const { id } = await givenDocument(db, { ownerId: (await givenUser(db)).id });
  await pool.query(`update documents set missing_language = 'deu' where id = $1`, [id]);
  let looked = 0;
  const installed = (): string[] => {
    looked += 1;
    return ['deu', 'eng'];
  };
  const component = makeMissingLanguages({ db, log: silentLogger(), installed });
  await component.start();
  await waitFor(async () => looked > 0, { description: 'the languages to be looked up', limitMs: 20_000 });
  await component.stop();
  t.deepEqual(component.health?.(), { status: 'healthy' });
});
