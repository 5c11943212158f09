// Changes by the Paperless-compatible API: documents, notes, tags and the like, one or many.
import { eq } from '@sheaf/db/drizzle';
import { documents as table } from '@sheaf/db/schema';
import { savePages } from '@sheaf/documents/pages';
import { makePdf } from '@sheaf/testkit';
import { z } from 'zod';
import { listOf, swiftDocument, swiftEntry, swiftField, swiftNote, swiftTag } from '../../../support/paperless.ts';
import { givenPaperlessLibrary, type PaperlessLibrary } from '../../../support/paperless-library.ts';
import { type RunningApi, testWithApi } from '../../../support/running-api.ts';

const test = testWithApi({ FEATURE_PAPERLESS_API: 'true' });

const documents = listOf(swiftDocument);

let made: Promise<PaperlessLibrary> | undefined;
const library = (api: RunningApi): Promise<PaperlessLibrary> => {
  made ??= givenPaperlessLibrary(api);
  return made;
};

test.serial('tags, correspondents and document types are made, changed and deleted, and keep their ids', async (t) => {
  const { client, next, red, blue } = await library(t.context);
  t.like(await client.read(`tags/${red}/`, swiftTag), {
    name: 'Red',
    slug: 'red',
    color: '#ff0000',
    text_color: '#ffffff',
    document_count: 2,
    parent: null,
    children: [],
  });
  const nested = await next.read(`tags/${red}/?full_perms=true`, swiftTag);
  t.deepEqual(
    nested.children?.map(({ id, name }) => [id, name]),
    [[blue, 'Blue']],
  );
  t.is((await next.read(`tags/${blue}/`, swiftTag)).parent, red);
  const numbersOf = async (query: string) => ((await client.get(`tags/?${query}`)).body as { all: readonly number[] }).all;
  t.true((await numbersOf('is_root=true')).includes(red));
  t.false((await numbersOf('is_root=true')).includes(blue));
  t.true((await numbersOf('is_root=false')).includes(blue));
  t.is((await client.get('tags/?is_root=maybe')).status, 400);
  t.deepEqual(
    (await client.read('tags/?page_size=100000&name__istartswith=b', listOf(swiftTag))).results.map(({ id }) => id),
    [blue],
  );
  const double = await client.post('tags/', { name: 'red' });
  t.is(double.status, 400);
  t.deepEqual(Object.keys(double.body as object), ['name']);
  t.deepEqual(Object.keys((await client.post('tags/', { name: 'Odd', color: 'red' })).body as object), ['color']);
  t.deepEqual(Object.keys((await client.post('tags/', { name: 'Odd', parent: 999_999 })).body as object), ['parent']);
  const green = await client.create('tags', { name: 'Green' });
  const changed = await client.send('PATCH', `tags/${green}/`, {
    id: green,
    name: 'Leaf green',
    slug: 'x',
    color: '#00ff00',
    match: '',
    is_inbox_tag: false,
    parent: blue,
  });
  t.is(changed.status, 200);
  t.like(changed.body, { id: green, name: 'Leaf green', color: '#00ff00', text_color: '#000000', parent: blue });
  t.like((await client.send('PUT', `tags/${green}/`, { name: 'Leaf', parent: null })).body, { name: 'Leaf', parent: null });
  // composed and decomposed letters are the same letter
  for (const name of ['Verträge', 'Verträge'.normalize('NFD')])
    t.like((await client.send('PATCH', `tags/${green}/`, { name })).body, { slug: 'vertrage' });
  t.is((await client.send('DELETE', `tags/${green}/`)).status, 204);
  t.is((await client.get(`tags/${green}/`)).status, 404);
  t.true((await client.create('tags', { name: 'Leaf' })) > green);
  for (const list of ['correspondents', 'document_types']) {
    const id = await client.create(list, { name: `One of ${list}`, owner: null, set_permissions: null });
    t.like(await client.read(`${list}/${id}/`, swiftEntry), { id, name: `One of ${list}`, document_count: 0 });
    t.deepEqual(Object.keys((await client.send('PUT', `${list}/${id}/`, { name: 'Another', match: 'x' })).body as object), ['match']);
    t.like((await client.send('PUT', `${list}/${id}/`, { name: 'Another', matching_algorithm: 1, match: '' })).body, {
      id,
      name: 'Another',
      match: '',
    });
    t.like((await client.read(`${list}/?name__iexact=another&page_size=100000`, listOf(swiftEntry))).results, [{ id }]);
    t.is((await client.post(`${list}/`, {})).status, 400);
    t.is((await client.send('DELETE', `${list}/${id}/`)).status, 204);
    t.is((await client.get(`${list}/${id}/`)).status, 404);
    // a number of another kind is no number of this one
    t.is((await client.get(`${list}/${red}/`)).status, 404);
  }
});

test.serial('custom fields are made with their types, and documents keep what a program sets, replaces and removes', async (t) => {
  const { client, ids } = await library(t.context);
  const field = (name: string, dataType: string, more = {}) => client.create('custom_fields', { name, data_type: dataType, ...more });
  const [text, price, day, isPaid, count] = [
    await field('Note', 'string'),
    await field('Price', 'monetary', { extra_data: { default_currency: 'CHF' } }),
    await field('Due', 'date'),
    await field('Paid', 'boolean'),
    await field('Count', 'integer'),
  ];
  const state = await field('State', 'select', { extra_data: { select_options: [{ label: 'open' }, { label: 'done', id: null }] } });
  const link = await field('Reply to', 'documentlink');
  const fields = await client.read('custom_fields/?page_size=100000', listOf(swiftField));
  t.deepEqual(
    fields.results.find(({ id }) => id === state)?.extra_data?.select_options,
    ['open', 'done'].map((label) => ({ id: label, label })),
  );
  const typeOf = (id: number) => fields.results.find((one) => one.id === id);
  t.like(typeOf(count), { data_type: 'integer', extra_data: { default_currency: null } });
  t.like(typeOf(price), { data_type: 'monetary', extra_data: { default_currency: 'CHF' } });
  for (const currency of ['EUR', null]) {
    const { body } = await client.send('PATCH', `custom_fields/${price}/`, { extra_data: { default_currency: currency } });
    t.like(body, { extra_data: { default_currency: currency } });
  }
  const odd = await client.post('custom_fields/', { name: 'Odd', data_type: 'string', extra_data: { default_currency: 'EUR' } });
  t.deepEqual(Object.keys(odd.body as object), ['extra_data']);
  t.is((await client.post('custom_fields/', { name: 'Odd', data_type: 'nonsense' })).status, 400);
  const values = [
    { field: text, value: 'hello' },
    { field: price, value: 'EUR1200.50' },
    { field: day, value: '2026-04-01' },
    { field: isPaid, value: true },
    { field: count, value: 3 },
    { field: state, value: 'open' },
    { field: link, value: [ids.B] },
  ];
  const set = await client.send('PATCH', `documents/${ids.A}/`, { custom_fields: values });
  t.is(set.status, 200, JSON.stringify(set.body));
  const byField = (list: unknown) =>
    z
      .array(z.looseObject({ field: z.int() }))
      .parse(list)
      .toSorted((a, b) => a.field - b.field);
  t.deepEqual(byField(swiftDocument.parse(set.body).custom_fields), byField(values));
  const replaced = await client.send('PATCH', `documents/${ids.A}/`, { custom_fields: values.slice(0, 2) });
  t.deepEqual(byField(swiftDocument.parse(replaced.body).custom_fields), byField(values.slice(0, 2)));
  t.is((await client.read(`documents/?custom_fields__id__all=${text},${price}`, documents)).count, 1);
  t.is((await client.read('documents/?custom_fields__icontains=HELL', documents)).count, 1);
  for (const wrong of [
    { field: state, value: 'closed' },
    { field: 999_999, value: 1 },
    { field: price, value: 'many' },
    { field: count, value: 1.5 },
    { field: link, value: [999_999] },
  ]) {
    const { status, body } = await client.send('PATCH', `documents/${ids.A}/`, { custom_fields: [wrong] });
    t.is(status, 400);
    t.deepEqual(Object.keys(body as object), ['custom_fields']);
  }
  const edit = (parameters: unknown) =>
    client.post('documents/bulk_edit/', { documents: [ids.A, ids.C], method: 'modify_custom_fields', parameters });
  t.is((await edit({ add_custom_fields: { [count]: 5 }, remove_custom_fields: [text] })).status, 200);
  t.deepEqual(
    byField((await client.read(`documents/${ids.A}/`, swiftDocument)).custom_fields),
    byField([values[1], { field: count, value: 5 }]),
  );
  t.deepEqual((await client.read(`documents/${ids.C}/`, swiftDocument)).custom_fields, [{ field: count, value: 5 }]);
  t.like((await client.send('PATCH', `custom_fields/${text}/`, { name: 'Remark' })).body, {
    id: text,
    name: 'Remark',
    data_type: 'string',
  });
  t.is((await client.send('DELETE', `custom_fields/${text}/`)).status, 204);
  // an app cannot confirm how many documents lose a value
  t.is((await client.send('DELETE', `custom_fields/${count}/`)).status, 204);
  t.deepEqual((await client.read(`documents/${ids.C}/`, swiftDocument)).custom_fields, []);
  const valueOfState = async () =>
    (await client.read(`documents/${ids.B}/`, swiftDocument)).custom_fields?.find((one) => one.field === state)?.value;
  const setOptions = (options: readonly unknown[]) =>
    client.send('PATCH', `custom_fields/${state}/`, { extra_data: { select_options: options } });
  t.is((await client.send('PATCH', `documents/${ids.B}/`, { custom_fields: [{ field: state, value: 'open' }] })).status, 200);
  t.is(
    (
      await setOptions([
        { id: 'open', label: 'to do' },
        { id: 'done', label: 'done' },
      ])
    ).status,
    200,
  );
  t.is(await valueOfState(), 'to do');
  t.is((await setOptions([{ id: 'done', label: 'done' }])).status, 200);
  t.is(await valueOfState(), null, 'the field remains without a value');
});

test.serial('a document is changed as apps send it, and what there is no place for is refused', async (t) => {
  const { client, ids, red, bank, letter } = await library(t.context);
  const { owner } = await client.read(`documents/${ids.B}/`, swiftDocument);
  const sent = {
    id: ids.B,
    title: 'Beta two',
    archive_serial_number: 99,
    document_type: null,
    correspondent: bank,
    created: '2025-03-04',
    tags: [red],
    storage_path: null,
    owner,
    page_count: null,
    custom_fields: [],
  };
  const changed = await client.send('PATCH', `documents/${ids.B}/`, sent);
  t.is(changed.status, 200, JSON.stringify(changed.body));
  t.like(swiftDocument.parse(changed.body), {
    title: 'Beta two',
    archive_serial_number: 99,
    document_type: null,
    correspondent: bank,
    created: '2025-03-04',
    tags: [red],
  });
  t.like((await client.send('PUT', `documents/${ids.B}/`, { document_type: letter, created: '2025-02-01T00:00:00+01:00' })).body, {
    document_type: letter,
    created: '2025-02-01',
  });
  for (const query of ['', '?full_perms=true']) {
    const { body } = await client.get(`documents/${ids.B}/${query}`);
    t.is((await client.send('PUT', `documents/${ids.B}/`, body)).status, 200, 'what was got is sent back');
  }
  const wrong: readonly (readonly [string, unknown])[] = [
    ['archive_serial_number', 7],
    ['correspondent', 999_999],
    ['tags', [999_999]],
    ['storage_path', 3],
    ['owner', 999_999],
    ['created', 'soon'],
    ['title', ''],
    ['titel', 'Beta'],
    ['set_permissions', { view: { users: [1], groups: [] }, change: { users: [], groups: [] } }],
  ];
  for (const [field, value] of wrong) {
    const { status, body } = await client.send('PATCH', `documents/${ids.B}/`, { [field]: value });
    t.is(status, 400, field);
    t.deepEqual(Object.keys(body as object), [field]);
  }
  for (const id of ['999999', '0', 'x', '-1', '99999999999999999999']) t.is((await client.get(`documents/${id}/`)).status, 404, id);
});

test.serial('notes come, are added and deleted, and every answer has all of them', async (t) => {
  const { client, ids } = await library(t.context);
  const notes = z.array(swiftNote);
  const path = `documents/${ids.A}/notes/`;
  const [first] = notes.parse((await client.post(path, { note: 'first' })).body);
  const both = notes.parse((await client.post(path, { note: 'second' })).body);
  t.deepEqual(
    both.map(({ note }) => note),
    ['second', 'first'],
  );
  t.like(both[0]?.user, { username: 'admin' });
  t.deepEqual((await client.read(`documents/?id__in=${ids.A}`, documents)).results[0]?.notes?.length, 2);
  t.deepEqual(
    notes.parse((await client.send('DELETE', `${path}?id=${first?.id ?? 0}`)).body).map(({ note }) => note),
    ['second'],
  );
  t.is((await client.send('DELETE', `${path}?id=${first?.id ?? 0}`)).status, 404);
  t.is((await client.send('DELETE', path)).status, 404);
  t.deepEqual(Object.keys((await client.post(path, { note: '' })).body as object), ['note']);
});

test.serial('bulk_edit changes all or none of the documents that are named, and refuses what it does not know', async (t) => {
  const { client, ids, red, blue, bank, letter } = await library(t.context);
  const edit = (method: string, parameters: unknown, chosen: readonly number[] = [ids.B, ids.C], more = {}) =>
    client.post('documents/bulk_edit/', { documents: chosen, method, parameters, ...more });
  const inOrder = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);
  const tagsOf = async (id: number) => inOrder((await client.read(`documents/${id}/`, swiftDocument)).tags);
  t.deepEqual(await edit('set_correspondent', { correspondent: bank }).then(({ body }) => body), { result: 'OK' });
  t.is((await edit('set_document_type', { document_type: letter })).status, 200);
  t.like(await client.read(`documents/${ids.C}/`, swiftDocument), { correspondent: bank, document_type: letter });
  t.is((await edit('set_correspondent', { correspondent: null })).status, 200);
  t.is((await edit('add_tag', { tag: red })).status, 200);
  t.deepEqual(await tagsOf(ids.C), [red]);
  t.is((await edit('remove_tag', { tag: red })).status, 200);
  t.is((await edit('modify_tags', { add_tags: [blue], remove_tags: [] })).status, 200);
  t.deepEqual(await tagsOf(ids.C), inOrder([red, blue]));
  const data = await client.post('documents/selection_data/', { documents: [ids.B, ids.C] });
  const listed = await client.get(`documents/?id__in=${ids.B},${ids.C}&include_selection_data=true`);
  t.deepEqual((listed.body as { selection_data: unknown }).selection_data, data.body, 'as version 3 of the web client asks for it');
  const ofNone = await client.post('documents/selection_data/', { documents: [] });
  t.is(ofNone.status, 200);
  t.like(ofNone.body, { selected_tags: [], selected_correspondents: [], selected_custom_fields: [] });
  t.like(data.body, { selected_document_types: [{ id: letter, document_count: 2 }], selected_storage_paths: [] });
  t.is((await edit('modify_tags', { add_tags: [], remove_tags: [red] })).status, 200);
  t.deepEqual(await tagsOf(ids.C), []);
  for (const [method, parameters] of [
    ['merge', {}],
    ['set_permissions', { set_permissions: { view: { users: [1], groups: [] } }, owner: null }],
    ['set_permissions', { owner: 1 }],
    ['__proto__', {}],
    ['add_tag', {}],
    ['add_tag', { tag: 999_999 }],
    ['set_storage_path', { storage_path: 1 }],
  ] as const)
    t.is((await edit(method, parameters)).status, 400, method);
  for (const [method, parameters, named] of [
    ['add_tag', { tag: red, tags: [blue] }, 'tags'],
    ['reprocess', { force: true }, 'force'],
    ['set_correspondent', { correspondent: bank, document_type: letter }, 'document_type'],
    ['modify_custom_fields', { add_custom_fields: {}, assign_custom_fields: [] }, 'assign_custom_fields'],
  ] as const)
    t.deepEqual(Object.keys((await edit(method, parameters)).body as object), [named]);
  t.is((await edit('set_permissions', { set_permissions: { view: { users: [], groups: [] } } })).status, 200);
  t.is((await edit('set_storage_path', { storage_path: null })).status, 200);
  t.is((await edit('set_storage_path', { storage_path: null }, [999_999])).status, 404);
  t.is((await edit('add_tag', { tag: red }, [], { all: true, filters: { title__icontains: 'GAMMA', page: 7 } })).status, 200);
  t.deepEqual([await tagsOf(ids.B), await tagsOf(ids.C)], [[], [red]]);
  t.is((await edit('remove_tag', { tag: red }, [], { all: true, filters: { id__in: [ids.B, ids.C], tags__id__all: red } })).status, 200);
  t.deepEqual(await tagsOf(ids.C), []);
  t.is((await edit('add_tag', { tag: red }, [], { all: true, filters: { title__icontain: 'GAMMA' } })).status, 400);
  t.is((await edit('delete', {}, [ids.C], { all: true })).status, 400);
  t.is((await edit('delete', {}, [])).status, 400);
  t.is((await edit('delete', {}, [ids.C, 999_999])).status, 404);
  t.is((await client.get(`documents/${ids.C}/`)).status, 200);
  const zip = await client.request('documents/bulk_download/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ documents: [ids.A, ids.C], content: 'originals' }),
  });
  t.is(zip.headers.get('content-type'), 'application/zip');
  t.true((await zip.arrayBuffer()).byteLength > 100);
});

test.serial('a document is deleted, and its number is never given again', async (t) => {
  const { client, ids } = await library(t.context);
  t.is((await client.send('DELETE', `documents/${ids.C}/`)).status, 204);
  t.is((await client.get(`documents/${ids.C}/`)).status, 404);
  await client.upload('D.txt', 'paper D', [['title', 'Delta']]);
  t.true((await client.numberOf('Delta')) > ids.C);
});

test.serial('pages are turned, deleted and split, of documents that were processed', async (t) => {
  const { client } = await library(t.context);
  const { admin, database } = t.context;
  const texts = ['one', 'two', 'three', 'four', 'five', 'six'];
  const { body } = await admin.upload({ name: 'six pages.pdf', bytes: new Uint8Array(makePdf(texts.map((text) => ({ lines: [text] })))) });
  const id = String(body['id']);
  await savePages(
    database.db,
    id,
    texts.map((content, at) => ({ page: at + 1, content, confidence: 1, origin: 'text' as const })),
  );
  const finish = () => database.db.update(table).set({ status: 'completed', pageCount: texts.length }).where(eq(table.id, id));
  await finish();
  const [number = 0] = (await client.read('documents/?title__icontains=six pages', documents)).results.map((found) => found.id);
  const edit = (method: string, parameters: object) => client.post('documents/bulk_edit/', { documents: [number], method, parameters });
  for (const [method, parameters] of [
    ['rotate', { degrees: 45 }],
    ['rotate', {}],
    ['delete_pages', {}],
    ['delete_pages', { pages: [7] }],
    ['split', { pages: '[1-2,x]' }],
    ['split', { pages: '[1-2,2]' }],
    ['split', { pages: '[1,7]' }],
    ['split', { pages: `[${'1-99999,'.repeat(9_000)}1]` }],
  ] as const)
    t.is((await edit(method, parameters)).status, 400, `${method} ${JSON.stringify(parameters).slice(0, 100)}`);
  t.is((await edit('rotate', { degrees: -90 })).status, 200);
  await finish();
  t.is((await edit('delete_pages', { pages: [2] })).status, 200);
  texts.splice(1, 1);
  await finish();
  t.is((await edit('split', { pages: '[4-5,1-2]', delete_originals: false })).status, 200);
  const { rows } = await database.pool.query<{ pages: string[]; version: number }>(
    `select version, array(select content from document_pages where document_id = documents.id order by page) as pages
     from documents where id = $1 or metadata -> 'split_from' ->> 'document_id' = $1::text order by id`,
    [id],
  );
  t.deepEqual(rows, [
    { version: 4, pages: ['five', 'six'] },
    { version: 1, pages: ['one', 'three'] },
  ]);
});
