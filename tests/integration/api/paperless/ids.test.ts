import { findByNumbers, numbersOf, type PaperlessObject } from '@sheaf/paperless';
import { uuidv7 } from '@sheaf/process';
import { openTestDatabase } from '@sheaf/testkit';
import test from 'ava';

test('objects that are seen by many at once for the first time get one number each, by kind, which stays', async (t) => {
  await using database = await openTestDatabase();
  const { db } = database;
  const ids = Array.from({ length: 100 }, () => uuidv7());
  const objects = ids.flatMap((id): PaperlessObject[] => [
    { kind: 'document', id },
    { kind: 'task', id },
  ]);
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => numbersOf(db, n % 2 === 0 ? objects : objects.toReversed())));
  const [first] = answers;
  const numbers = objects.map(({ kind, id }) => first?.(kind, id) ?? 0);
  t.is(new Set(numbers).size, 200);
  for (const numberOf of answers)
    t.deepEqual(
      objects.map(({ kind, id }) => numberOf(kind, id)),
      numbers,
    );
  const documentNumbers = ids.map((id) => first?.('document', id) ?? 0);
  t.deepEqual(
    [...(await findByNumbers(db, 'document', numbers)).keys()].toSorted((a, b) => a - b),
    documentNumbers.toSorted((a, b) => a - b),
  );
  t.is((await findByNumbers(db, 'document', [0, -1, 1.5, Number.NaN, 3_000_000_000, 2 ** 40])).size, 0);
  t.throws(() => first?.('document', uuidv7()));
  const { rows } = await database.pool.query<{ made: number }>('select count(*)::int as made from paperless_ids');
  t.is(rows[0]?.made, 200);
});
