import { applyRule, dryRun, undoRule } from '@sheaf/rules';
import test from 'ava';
import { openRuleBench } from './rule-bench.ts';

const openFieldBench = async () => {
  const bench = await openRuleBench();
  return {
    ...bench,
    field: async (name: string, type = 'text', choices: readonly string[] = []): Promise<string> => {
      const { rows } = await bench.pool.query<{ id: string }>(
        'insert into custom_fields (id, name, type, choices) values (gen_random_uuid(), $1, $2, $3) returning id',
        [name, type, choices],
      );
      return rows[0]?.id ?? '';
    },
    /** As the database has it, whoever sets it. */
    give: (documentId: string, fieldId: string, text: string) =>
      bench.pool.query(
        `insert into document_fields (document_id, field_id, text_value) values ($1, $2, $3)
         on conflict (document_id, field_id) do update set text_value = excluded.text_value`,
        [documentId, fieldId, text],
      ),
    valuesOf: async (id: string): Promise<Record<string, unknown>> => {
      const { rows } = await bench.pool.query<{ name: string; value: unknown }>(
        `select name, coalesce(text_value, number_value || coalesce(' ' || currency, ''), date_value::text, boolean_value::text) as value
         from document_fields join custom_fields on id = field_id where document_id = $1 order by name`,
        [id],
      );
      return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
    },
  };
};

test('a rule gives values of each type, records them as documents have them, and undo takes them away', async (t) => {
  await using bench = await openFieldBench();
  const fields = {
    Note: { id: await bench.field('Note'), value: ' a note ' },
    Price: { id: await bench.field('Price', 'amount'), value: '12.5 eur' },
    Count: { id: await bench.field('Count', 'number'), value: 1.5 },
    Due: { id: await bench.field('Due', 'date'), value: '2024-02-29' },
    Paid: { id: await bench.field('Paid', 'boolean'), value: false },
    State: { id: await bench.field('State', 'choice', ['open', 'done']), value: 'done' },
  };
  const rule = await bench.rule({ actions: Object.values(fields).map(({ id, value }) => ({ set: 'field' as const, id, value })) });
  const [id, letter] = [await bench.put({ pages: ['invoice'] }), await bench.put({ pages: ['letter'] })];
  const draft = { query: rule.query, filters: rule.filters, actions: [...rule.actions] };
  const tried = await dryRun(bench.db, bench.principal, draft);
  t.like(tried, { matched: 1, would_change: 1 });
  const recorded = [
    { id: fields.Note.id, name: 'Note', value: 'a note' },
    { id: fields.Price.id, name: 'Price', value: { amount: '12.50', currency: 'EUR' } },
    { id: fields.Count.id, name: 'Count', value: 1.5 },
    { id: fields.Due.id, name: 'Due', value: '2024-02-29' },
    { id: fields.Paid.id, name: 'Paid', value: false },
    { id: fields.State.id, name: 'State', value: 'done' },
  ];
  t.deepEqual(
    tried.changes.map(({ field, from, to }) => [field, from, to]),
    recorded.map((to) => ['field', null, to]),
  );
  t.deepEqual(await bench.valuesOf(id), {});
  await bench.process([id, letter]);
  const expected = { Count: '1.5', Due: '2024-02-29', Note: 'a note', Paid: 'false', Price: '12.50 EUR', State: 'done' };
  t.deepEqual(await bench.valuesOf(id), expected);
  t.deepEqual(await bench.valuesOf(letter), {});
  const { rows } = await bench.pool.query<{ data: { changes: unknown } }>(
    "select data from events where type = 'document_updated' and document_id = $1",
    [id],
  );
  t.deepEqual(
    rows.map(({ data }) => data.changes),
    [{ fields: Object.fromEntries(recorded.map(({ name, value }) => [name, value])) }],
  );
  await bench.process([id]);
  t.is((await bench.changesOf(id)).length, 6, 'what is so already is no change');
  t.like(await dryRun(bench.db, bench.principal, draft), { would_change: 0 });
  t.deepEqual(await undoRule(bench.db, bench.principal, rule.id), { undone: 6, kept: 0, remaining: 0 });
  t.deepEqual(await bench.valuesOf(id), {});
});

test('values that a person has set or removed stay, and those of a rule are replaced and come back', async (t) => {
  await using bench = await openFieldBench();
  const note = await bench.field('Note');
  const rule = await bench.rule({ actions: [{ set: 'field', id: note, value: 'one' }] });
  const next = { ...rule, actions: [{ set: 'field' as const, id: note, value: 'two' }] };
  const put = () => bench.put({ pages: ['invoice'] });
  const [plain, before, confirmed, removed, since] = [await put(), await put(), await put(), await put(), await put()];
  await bench.give(before, note, 'of a person');
  await bench.pool.query(`update documents set confirmed_fields = array['field:' || $2] where id = $1`, [removed, note]);
  t.like(await applyRule(bench.db, bench.principal, rule), { changed: 3 });
  t.deepEqual(await bench.valuesOf(before), { Note: 'of a person' });
  t.deepEqual(await bench.valuesOf(removed), {});
  await bench.pool.query(`update documents set confirmed_fields = array['field:' || $2] where id = $1`, [confirmed, note]);
  await bench.give(since, note, 'of a person');
  t.like(await applyRule(bench.db, bench.principal, next), { changed: 1 });
  t.deepEqual(await bench.valuesOf(plain), { Note: 'two' });
  t.deepEqual(await bench.valuesOf(confirmed), { Note: 'one' });
  t.deepEqual(await bench.valuesOf(since), { Note: 'of a person' });
  t.deepEqual(await undoRule(bench.db, bench.principal, rule.id), { undone: 2, kept: 2, remaining: 0 });
  t.deepEqual(await bench.valuesOf(plain), {});
  t.deepEqual(await bench.valuesOf(confirmed), { Note: 'one' });
  t.deepEqual(await bench.valuesOf(since), { Note: 'of a person' });
});

test('undo of one rule brings back what the rule before it had set', async (t) => {
  await using bench = await openFieldBench();
  const [note, other] = [await bench.field('Note'), await bench.field('Other')];
  const first = await bench.rule({ actions: [{ set: 'field', id: note, value: 'one' }] });
  const second = await bench.rule({
    actions: [
      { set: 'field', id: note, value: 'two' },
      { set: 'field', id: other, value: 'three' },
    ],
  });
  const id = await bench.put({ pages: ['invoice'] });
  await bench.process([id]);
  t.deepEqual(await bench.valuesOf(id), { Note: 'one', Other: 'three' }, 'the first rule wins for a field, and for that one alone');
  t.like(await applyRule(bench.db, bench.principal, second), { changed: 1 });
  t.deepEqual(await bench.valuesOf(id), { Note: 'two', Other: 'three' });
  t.deepEqual(await undoRule(bench.db, bench.principal, first.id), { undone: 0, kept: 1, remaining: 0 });
  t.deepEqual(await undoRule(bench.db, bench.principal, second.id), { undone: 2, kept: 0, remaining: 0 });
  t.deepEqual(await bench.valuesOf(id), { Note: 'one' });
  t.deepEqual(await undoRule(bench.db, bench.principal, first.id), { undone: 1, kept: 0, remaining: 0 });
  t.deepEqual(await bench.valuesOf(id), {});
});

test('a field that is gone and a value that no longer fits are left out, the rest of the rule is applied and can be undone', async (t) => {
  await using bench = await openFieldBench();
  const [gone, state, note] = [
    await bench.field('Gone'),
    await bench.field('State', 'choice', ['open', 'done']),
    await bench.field('Note'),
  ];
  const rule = await bench.rule({
    actions: [
      { set: 'field', id: gone, value: 'x' },
      { set: 'field', id: state, value: 'done' },
      { set: 'field', id: note, value: 'x' },
    ],
  });
  const [early, late] = [await bench.put({ pages: ['invoice'] }), await bench.put({ pages: ['invoice'] })];
  await bench.process([early]);
  await bench.pool.query('delete from custom_fields where id = $1', [gone]);
  await bench.pool.query(`update custom_fields set choices = '{open}' where id = $1`, [state]);
  await bench.process([late]);
  t.deepEqual(await bench.valuesOf(late), { Note: 'x' });
  t.deepEqual(await undoRule(bench.db, bench.principal, rule.id), { undone: 3, kept: 1, remaining: 0 });
  t.deepEqual(await bench.valuesOf(early), {});
});

test('a rule fills a field that is on a document without a value, and undo leaves it empty', async (t) => {
  await using bench = await openFieldBench();
  const field = await bench.field('Case');
  const rule = await bench.rule({ actions: [{ set: 'field', id: field, value: 'A-1' }] });
  const [id, cleared] = [await bench.put({ pages: ['invoice'] }), await bench.put({ pages: ['invoice'] })];
  for (const one of [id, cleared])
    await bench.pool.query('insert into document_fields (document_id, field_id) values ($1, $2)', [one, field]);
  await bench.pool.query('update documents set confirmed_fields = array[$2] where id = $1', [cleared, `field:${field}`]);
  const draft = { query: rule.query, filters: rule.filters, actions: [...rule.actions] };
  const { changes } = await dryRun(bench.db, bench.principal, draft);
  t.deepEqual(
    changes.map(({ from, to }) => [from, to]),
    [
      [
        { id: field, name: 'Case' },
        { id: field, name: 'Case', value: 'A-1' },
      ],
    ],
  );
  await bench.process([id, cleared]);
  t.deepEqual(await bench.valuesOf(id), { Case: 'A-1' });
  t.deepEqual(await bench.valuesOf(cleared), { Case: null }, 'what a person emptied stays');
  t.deepEqual(await undoRule(bench.db, bench.principal, rule.id), { undone: 1, kept: 0, remaining: 0 });
  t.deepEqual(await bench.valuesOf(id), { Case: null });
  const { rows } = await bench.pool.query<{ data: { changes: unknown } }>(
    "select data from events where type = 'document_updated' and document_id = $1 order by id desc limit 1",
    [id],
  );
  t.deepEqual(rows[0]?.data.changes, { fields: { Case: null }, empty_fields: ['Case'] });
});
