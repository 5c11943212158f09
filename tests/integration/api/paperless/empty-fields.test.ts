// Custom fields without a value, as apps for Paperless-ngx add them first and fill them later.
import { z } from 'zod';
import { listOf, PaperlessClient, swiftDocument } from '../../../support/paperless.ts';
import { processWaiting } from '../../../support/processed-document.ts';
import { testWithApi } from '../../../support/running-api.ts';

const test = testWithApi({ FEATURE_PAPERLESS_API: 'true' });

const DATA_TYPES = ['string', 'longtext', 'float', 'integer', 'monetary', 'date', 'boolean', 'url', 'select', 'documentlink'] as const;

test.serial('a field that an app adds without a value stays on the document until it is taken off the list', async (t) => {
  const { anyone, database } = t.context;
  const client = await PaperlessClient.signIn(anyone, 'admin');
  const fields: number[] = [];
  for (const type of DATA_TYPES)
    fields.push(
      await client.create('custom_fields', {
        name: `${fields.length} ${type}`,
        data_type: type,
        ...(type === 'select' ? { extra_data: { select_options: [{ label: 'open' }] } } : {}),
      }),
    );
  const [text = 0, , , count = 0, , , , , state = 0] = fields;

  const upload = async (name: string, given: unknown): Promise<number> => {
    const { status, body } = await client.upload(`${name}.txt`, `text of ${name}`, [
      ['title', name],
      ['custom_fields', JSON.stringify(given)],
    ]);
    t.is(status, 200, JSON.stringify(body));
    await processWaiting(database.db, z.uuid().parse(body), `text of ${name}`);
    return client.numberOf(name);
  };
  const fieldsOf = async (id: number) => (await client.read(`documents/${id}/`, swiftDocument)).custom_fields;
  const [a, b, c] = [await upload('A', fields), await upload('B', { [count]: null, [text]: 'x' }), await upload('C', { [text]: 'y' })];
  const empty = fields.map((field) => ({ field, value: null }));
  t.deepEqual(await fieldsOf(a), empty, 'fields alone');
  t.deepEqual(await fieldsOf(b), [
    { field: text, value: 'x' },
    { field: count, value: null },
  ]);

  const patch = (id: number, given: unknown) => client.send('PATCH', `documents/${id}/`, { custom_fields: given });
  t.is((await patch(c, empty)).status, 200);
  t.deepEqual(await fieldsOf(c), empty, 'a value is emptied, and the others are added');
  const sent = await client.get(`documents/${c}/`);
  t.is((await client.send('PUT', `documents/${c}/`, sent.body)).status, 200);
  t.deepEqual(await fieldsOf(c), empty);
  t.is(
    (
      await patch(c, [
        { field: text, value: '' },
        { field: count, value: 0 },
        { field: state, value: 'open' },
      ])
    ).status,
    200,
  );
  t.deepEqual(await fieldsOf(c), [
    { field: text, value: null },
    { field: count, value: 0 },
    { field: state, value: 'open' },
  ]);
  t.is((await patch(c, [])).status, 200);
  t.deepEqual(await fieldsOf(c), []);

  const edit = (parameters: unknown) =>
    client.post('documents/bulk_edit/', { documents: [b, c], method: 'modify_custom_fields', parameters });
  t.is((await edit({ add_custom_fields: [text, state], remove_custom_fields: [count] })).status, 200);
  t.deepEqual(await fieldsOf(b), [
    { field: text, value: 'x' },
    { field: state, value: null },
  ]);
  t.deepEqual(await fieldsOf(c), [
    { field: text, value: null },
    { field: state, value: null },
  ]);
  t.is((await edit({ add_custom_fields: { [text]: null }, remove_custom_fields: [state] })).status, 200);
  for (const id of [b, c]) t.deepEqual(await fieldsOf(id), [{ field: text, value: null }]);

  const d = await upload('D', { [count]: 7 });
  const e = await upload('E', []);
  const ask = async (query: unknown): Promise<number[]> =>
    (
      await client.read(`documents/?ordering=title&custom_field_query=${encodeURIComponent(JSON.stringify(query))}`, listOf(swiftDocument))
    ).results.map(({ id }) => id);
  t.deepEqual(await ask([count, 'exists', true]), [a, d]);
  t.deepEqual(await ask([count, 'exists', false]), [b, c, e]);
  t.deepEqual(await ask([count, 'isnull', true]), [a]);
  t.deepEqual(await ask([count, 'isnull', false]), [d]);
  t.deepEqual(await ask([count, 'lte', 7]), [d]);
  t.deepEqual(await ask(['NOT', [count, 'isnull', true]]), [b, c, d, e]);
  const list = async (query: string): Promise<number[]> =>
    (await client.read(`documents/?${query}`, listOf(swiftDocument))).results.map(({ id }) => id);
  t.deepEqual(await list('ordering=title&has_custom_fields=false'), [e]);
  t.deepEqual(await list(`ordering=title&custom_fields__id__all=${count}`), [a, d]);
  t.is((await list(`ordering=-custom_field_${count}`))[0], d, 'what has no value is last in both directions');
  t.is((await list(`ordering=custom_field_${count}`))[0], d);
  const views = await client.post('saved_views/', {
    name: 'To fill',
    show_on_dashboard: false,
    show_in_sidebar: false,
    sort_field: 'created',
    sort_reverse: true,
    filter_rules: [{ rule_type: 42, value: JSON.stringify([count, 'isnull', true]) }],
  });
  t.is(views.status, 201, JSON.stringify(views.body));
  const selection = await client.post('documents/selection_data/', { documents: [a, b] });
  const counted = (selection.body as { selected_custom_fields: { id: number; document_count: number }[] }).selected_custom_fields;
  t.like(
    counted.find(({ id }) => id === text),
    { document_count: 2 },
  );
  t.is((await client.send('DELETE', `custom_fields/${text}/`)).status, 204);
  t.deepEqual(await fieldsOf(b), []);
});
