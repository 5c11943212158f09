import test from 'ava';
import { givenService, READING_ALONE } from '../support/given-service.ts';
import { waitFor } from '../support/wait-for.ts';

test('a document that is processed gets what rules say, and tells which rule said it', async (t) => {
  t.timeout(2 * 120_000);
  await using given = await givenService({ ALLOWED_FILE_TYPES: 'txt' }, READING_ALONE);
  const admin = await (await given.service.ready()).register('admin');
  const { body: label } = await admin.post('/api/labels', { name: 'Energy' });
  const { body: correspondent } = await admin.post('/api/correspondents', { name: 'Northwind Power' });
  const made = await admin.post('/api/rules', {
    name: 'Power bills',
    query: 'kilowatt',
    actions: [{ add_label: label['id'] }, { set: 'correspondent', id: correspondent['id'] }],
  });
  t.is(made.status, 201);
  const upload = async (name: string, words: string): Promise<string> => {
    const id = String((await admin.upload({ name, bytes: new TextEncoder().encode(words) })).body['id']);
    t.is((await admin.waitForEnd(id)).status, 'completed');
    return id;
  };
  const other = await upload('letter.txt', 'a letter about a garden');
  const id = await upload('bill.txt', 'the price of a kilowatt hour');
  const body = await waitFor(
    async () => {
      const answer = await admin.get(`/api/documents/${id}`);
      return (answer.body['labels'] as unknown[]).length > 0 ? answer.body : undefined;
    },
    { description: 'the rule to be applied', limitMs: 60_000 },
  );
  t.like(body, { labels: ['Energy'], correspondent: { name: 'Northwind Power' } });
  const { body: changes } = await admin.get(`/api/documents/${id}/rule-changes`);
  t.deepEqual(
    (changes['changes'] as { field: string; rule_name: string }[]).map(({ field, rule_name: rule }) => `${field}: ${rule}`).toSorted(),
    ['correspondent: Power bills', 'label: Power bills'],
  );
  t.like((await admin.get(`/api/documents/${other}`)).body, { labels: [], correspondent: null });
});
