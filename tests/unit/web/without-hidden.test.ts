import { type DocumentWindow, type ListedDocument, withoutHidden } from '@sheaf/web/testing';
import test from 'ava';

const documents = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }) as ListedDocument);
const window: DocumentWindow = {
  total: 5,
  at: (index) => documents[index],
  known: documents.map((document, index) => [index, document] as const),
  load: (first, last) => Promise.resolve(documents.slice(first, last + 1)),
  owners: undefined,
  problem: null,
  retry: () => undefined,
};

test('rows close up over those that are hidden, and are counted without them', async (t) => {
  const shown = withoutHidden(window, new Set(['b', 'c', 'elsewhere']));
  t.is(shown.total, 3);
  t.deepEqual(
    [0, 1, 2].map((index) => shown.at(index)?.id),
    ['a', 'd', 'e'],
  );
  t.is(shown.placeOf(1), 3);
  t.deepEqual(
    (await shown.load(0, 2)).map(({ id }) => id),
    ['a', 'd', 'e'],
  );
  t.deepEqual(
    shown.known.map(([index, { id }]) => [index, id]),
    [
      [0, 'a'],
      [1, 'd'],
      [2, 'e'],
    ],
  );
});
