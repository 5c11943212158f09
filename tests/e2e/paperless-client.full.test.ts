// All tools of a client program for Paperless-ngx (npm: @baruchiro/paperless-mcp) against the Paperless-compatible API. It is not a dependency:
//   npm install --prefix FOLDER @baruchiro/paperless-mcp
//   SHEAF_TEST_PAPERLESS_CLIENT=FOLDER node tests/run.ts --full tests/e2e/paperless-client.full.test.ts
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { testWhere } from '../support/conditional-test.ts';
import { McpProgram } from '../support/mcp-program.ts';
import { listOf, PaperlessClient, swiftDocument } from '../support/paperless.ts';
import { startApi } from '../support/running-api.ts';

const FOLDER = process.env['SHEAF_TEST_PAPERLESS_CLIENT'] ?? '';
const PROGRAM = join(FOLDER, 'node_modules/@baruchiro/paperless-mcp/build/index.js');

const clientTest = testWhere(
  FOLDER !== '' && existsSync(PROGRAM),
  'SHEAF_TEST_PAPERLESS_CLIENT names no folder with @baruchiro/paperless-mcp',
);

const made = z.looseObject({ id: z.int() });

clientTest('every tool of the client does what it says, or tells what has no counterpart here', async (t) => {
  t.timeout(300_000);
  const api = await startApi({ FEATURE_PAPERLESS_API: 'true' });
  try {
    const signedIn = await api.anyone.request('/paperless/api/token/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password: 'correct horse battery' }),
    });
    const { token } = z.object({ token: z.string() }).parse(await signedIn.json());
    const app = new PaperlessClient(api.anyone, token);
    await using program = await McpProgram.start(PROGRAM, ['--baseUrl', `${api.anyone.url}/paperless`, '--token', token]);
    const [works, refused] = [new Set<string>(), new Set<string>()];
    const use = async (name: string, args: object = {}): Promise<unknown> => {
      const { isError, text } = await program.call(name, args);
      t.false(isError, `${name}: ${text}`);
      works.add(name);
      return text.startsWith('{') || text.startsWith('[') ? (JSON.parse(text) as unknown) : text;
    };
    const create = async (name: string, args: object): Promise<number> => made.parse(await use(name, args)).id;
    /** What Paperless has and Sheaf has not: mail rules, and custom fields among many objects, which Paperless refuses as well. */
    const refuse = async (name: string, args: object, status: number): Promise<void> => {
      const { isError, text } = await program.call(name, args);
      t.true(isError, name);
      t.regex(text, new RegExp(String(status)), name);
      refused.add(name);
    };

    const tag = await create('create_tag', { name: 'Red', color: '#ff0000' });
    const otherTag = await create('create_tag', { name: 'Blue' });
    const bank = await create('create_correspondent', { name: 'Bank' });
    const shop = await create('create_correspondent', { name: 'Shop' });
    const letter = await create('create_document_type', { name: 'Letter' });
    const bill = await create('create_document_type', { name: 'Bill' });
    const amount = await create('create_custom_field', { name: 'Amount', data_type: 'float' });
    const spare = await create('create_custom_field', { name: 'Spare', data_type: 'string' });
    await use('update_tag', { id: tag, name: 'Crimson', color: '#aa0000' });
    await use('update_correspondent', { id: bank, name: 'Savings bank' });
    await use('update_document_type', { id: letter, name: 'Note' });
    await use('update_custom_field', { id: spare, name: 'Spare part' });

    const file = Buffer.from('a paper about rent').toString('base64');
    await use('post_document', { file, filename: 'rent.txt', title: 'Rent', tags: [tag], correspondent: bank, created: '2026-01-31' });
    const id = await app.numberOf('Rent');
    await use('update_document', { id, title: 'Rent 2026', document_type: letter, custom_fields: [{ field: amount, value: 12.5 }] });
    t.like(await app.read(`documents/${id}/`, swiftDocument), {
      title: 'Rent 2026',
      correspondent: bank,
      document_type: letter,
      tags: [tag],
    });
    t.like(await use('get_document', { id }), { id });
    t.like(await use('get_document_content', { id }), { id, title: 'Rent 2026' });
    await use('download_document', { id });
    await use('get_document_thumbnail', { id });

    const ofOne = z.looseObject({ count: z.literal(1) });
    ofOne.parse(await use('list_documents', { tag, correspondent: bank, document_type: letter, search: 'rent' }));
    ofOne.parse(
      await use('query_documents', {
        custom_field_query: [
          'AND',
          [
            [amount, 'gt', 5],
            ['Amount', 'exists', true],
          ],
        ],
      }),
    );
    ofOne.parse(await use('query_documents', { paperless_filters: { title__icontains: '2026', is_tagged: true } }));
    z.looseObject({ count: z.literal(0) }).parse(await use('query_documents', { more_like_id: id }));
    await use('search_documents', { query: 'rent' });
    for (const list of ['list_tags', 'list_correspondents', 'list_document_types', 'list_custom_fields'])
      t.true(z.looseObject({ results: z.array(made) }).parse(await use(list)).results.length > 0, list);
    for (const [name, one] of [
      ['get_correspondent', bank],
      ['get_document_type', letter],
      ['get_custom_field', amount],
    ] as const)
      t.like(await use(name, { id: one }), { id: one });

    await use('create_document_note', { id, note: 'call them' });
    const notes = z.array(made).parse((await app.get(`documents/${id}/notes/`)).body);
    await use('list_document_notes', { id });
    await use('delete_document_note', { id, note_id: notes[0]?.id, confirm: true });

    for (const [method, parameters] of [
      ['set_correspondent', { correspondent: shop }],
      ['set_document_type', { document_type: bill }],
      ['add_tag', { tag: otherTag }],
      ['remove_tag', { tag }],
      ['modify_tags', { add_tags: [tag], remove_tags: [otherTag] }],
      ['modify_custom_fields', { add_custom_fields: [{ field: amount, value: 7 }] }],
      ['set_permissions', { set_permissions: { view: { users: [], groups: [] } }, owner: null }],
    ] as const)
      await use('bulk_edit_documents', { documents: [id], method, ...parameters });
    t.like(await app.read(`documents/${id}/`, swiftDocument), { correspondent: shop, document_type: bill, tags: [tag] });
    t.true((await program.call('bulk_edit_documents', { documents: [id], method: 'rotate', degrees: 90 })).isError);

    await use('bulk_edit_tags', { tag_ids: [otherTag], operation: 'delete', confirm: true });
    await use('bulk_edit_correspondents', { correspondent_ids: [bank], operation: 'delete', confirm: true });
    await use('bulk_edit_document_types', { document_type_ids: [letter], operation: 'delete', confirm: true });
    await refuse('bulk_edit_custom_fields', { custom_fields: [spare], operation: 'delete', confirm: true }, 400);
    await use('delete_custom_field', { id: spare, confirm: true });
    await use('delete_tag', { id: tag, confirm: true });
    await use('delete_correspondent', { id: shop, confirm: true });
    await use('delete_document_type', { id: bill, confirm: true });
    await use('bulk_edit_documents', { documents: [id], method: 'delete', confirm: true });
    t.is((await app.read('documents/', listOf(swiftDocument))).count, 0);

    for (const list of ['list_mail_accounts', 'list_mail_rules']) t.like(await use(list), { count: 0, results: [] });
    for (const name of ['get_mail_account', 'process_mail_account', 'get_mail_rule']) await refuse(name, { id: 1 }, 404);
    await refuse('create_mail_rule', { name: 'x', account: 1, folder: 'INBOX' }, 403);
    await refuse('update_mail_rule', { id: 1, name: 'x' }, 404);
    await refuse('delete_mail_rule', { id: 1, confirm: true }, 404);

    const tools = await program.tools();
    t.deepEqual(
      tools.filter((name) => !works.has(name) && !refused.has(name)),
      [],
      'every tool was used',
    );
    t.log(`${tools.length} tools: ${works.size} work, ${refused.size} are refused: ${[...refused].join(', ')}`);
  } finally {
    await api.stop();
  }
});
