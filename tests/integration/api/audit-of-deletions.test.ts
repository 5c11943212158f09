// Who deleted what, and from where.
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

const words = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

test('each deleted document is written down with its title, its hash and who deleted it, one by one and many at once', async (t) => {
  const { admin } = t.context;
  const ids: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    const { body } = await admin.upload({ name: `${name}.txt`, bytes: words(`the words of ${name}`) });
    ids.push(String(body['id']));
  }
  const [first = '', ...others] = ids;
  t.is((await admin.delete(`/api/documents/${first}`)).status, 204);
  t.like((await admin.post('/api/documents/bulk', { ids: others, action: 'delete' })).body, { done: 2 });
  t.is((await admin.delete(`/api/documents/${first}`)).status, 404);
  const { body } = await admin.get('/api/audit?action=document.deleted');
  const entries = body['data'] as {
    subject: { id: string };
    actor: { username: string };
    address: string;
    details: Record<string, string>;
  }[];
  t.deepEqual(entries.map(({ subject }) => subject.id).toSorted(), ids.toSorted());
  for (const { actor, address, details } of entries) {
    t.is(actor.username, 'admin');
    t.is(address, '127.0.0.1');
    t.regex(details['sha256'] ?? '', /^[0-9a-f]{64}$/);
  }
  for (const title of ['one', 'two', 'three'])
    t.true(
      entries.some(({ details }) => details['title'] === title),
      title,
    );
});

test('a refused deletion leaves no entry, a deleted label does', async (t) => {
  const { admin } = t.context;
  const { body: label } = await admin.post('/api/labels', { name: 'audited' });
  t.is((await admin.delete(`/api/labels/${String(label['id'])}`)).status, 204);
  const { body } = await admin.get('/api/audit?action=label.deleted');
  t.like((body['data'] as unknown[])[0], { outcome: 'success', details: { name: 'audited' } });
  t.is((await admin.post('/api/documents/bulk', { ids: ['0190a1b2-0000-7000-8000-000000000000'], action: 'delete' })).status, 404);
});
