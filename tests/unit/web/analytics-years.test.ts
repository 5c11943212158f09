import { everyYear } from '@sheaf/web/testing';
import test from 'ava';

test('years without documents stand between those that have some, and very old ones are left out', (t) => {
  t.deepEqual(everyYear({}), []);
  t.deepEqual(everyYear({ '2021': 4, '2023': 1 }), [
    { date: '2021', count: 4 },
    { date: '2022', count: 0 },
    { date: '2023', count: 1 },
  ]);
  const years = everyYear({ '1066': 1, '2026': 2 });
  t.deepEqual([years.length, years[0]?.date, years.at(-1)], [40, '1987', { date: '2026', count: 2 }]);
});
