import { outcomesOf, Problem } from '@sheaf/web/testing';
import test from 'ava';

type Answer = Parameters<typeof outcomesOf>[1];

test('each file gets its own outcome, also where names are given twice', (t) => {
  const error = { code: 'DUPLICATE_RESOURCE', message: 'The same file is here already', details: { document_id: 'c' } };
  const answer = {
    uploaded: 2,
    failed: 1,
    documents: [{ id: 'a' }, { id: 'b' }],
    errors: [{ index: 1, filename: 'scan.pdf', error }],
  } as unknown as Answer;
  const [first, second, third] = outcomesOf(3, answer);
  t.deepEqual([first, third], [{ id: 'a' }, { id: 'b' }]);
  t.true(second instanceof Problem);
  t.like(second, { code: 'DUPLICATE_RESOURCE', details: { document_id: 'c' } });
});
