import { CORRESPONDENTS, createEntry, type NewEntry, refileDocuments } from '@sheaf/filing';
import { givenDocument, givenUser, openTestDatabase, principalOf } from '@sheaf/testkit';
import test from 'ava';

const openFiled = async () => {
  const database = await openTestDatabase();
  const owner = await givenUser(database.db, { role: 'admin' });
  const make = (name: string) =>
    createEntry(database.db, CORRESPONDENTS, { name, details: { aliases: [], ibans: [], vatIds: [], domains: [] } }, principalOf(owner));
  const [from, into] = [await make('Old'), await make('New')];
  for (let i = 0; i < 5; i += 1) {
    const { id } = await givenDocument(database.db, { ownerId: owner.id, title: `Letter ${i}` });
    await database.pool.query('update documents set correspondent_id = $1 where id = $2', [from.id, id]);
  }
  const countOf = async (query: string, values: readonly unknown[] = []): Promise<number> =>
    Number((await database.pool.query<{ count: string }>(query, [...values])).rows[0]?.count);
  return {
    ...database,
    from,
    into: { id: into.id, name: into.name },
    documentsOf: (id: string) => countOf('select count(*) from documents where correspondent_id = $1', [id]),
    events: () => countOf(`select count(*) from events where type = 'document_updated'`),
  };
};

test('documents move in parts, each with its event once, also where that was ended on its way', async (t) => {
  await using library = await openFiled();
  const { db, from, into, documentsOf, events } = library;
  let parts = 0;
  const lock = (failsAt: number) => (): Promise<NewEntry> => {
    parts += 1;
    return parts === failsAt ? Promise.reject(new Error('ended')) : Promise.resolve(into);
  };
  await t.throwsAsync(refileDocuments(db, CORRESPONDENTS, from.id, lock(2), 2), { message: 'ended' });
  t.deepEqual([await documentsOf(from.id), await documentsOf(into.id), await events()], [3, 2, 2]);
  await refileDocuments(db, CORRESPONDENTS, from.id, lock(0), 2);
  t.deepEqual([await documentsOf(from.id), await documentsOf(into.id), await events()], [0, 5, 5]);
  t.is(parts, 4, 'the second part of the second call was the last, as it was not full');
});

test('documents move to nobody', async (t) => {
  await using library = await openFiled();
  await refileDocuments(library.db, CORRESPONDENTS, library.from.id, () => Promise.resolve(null), 5);
  t.deepEqual([await library.documentsOf(library.from.id), await library.events()], [0, 5]);
});
