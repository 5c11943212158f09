import { applyRule, dryRun, undoRule } from '@sheaf/rules';
import { principalOf } from '@sheaf/testkit';
import test from 'ava';
import { openRuleBench } from './rule-bench.ts';

test('a dry run says what applying then does, and changes nothing itself', async (t) => {
  await using bench = await openRuleBench();
  const [acme, paid] = [await bench.correspondent('Acme'), await bench.label('paid')];
  const rule = await bench.rule({ actions: [{ set: 'correspondent', id: acme }, { add_label: paid }], isEnabled: false });
  const [fresh, labelled, done, confirmed] = [
    await bench.put({ title: 'fresh', pages: ['invoice'] }),
    await bench.put({ pages: ['invoice'], labels: [paid] }),
    await bench.put({ pages: ['invoice'], labels: [paid] }),
    await bench.put({ pages: ['invoice'], labels: [paid] }),
  ];
  const letter = await bench.put({ pages: ['letter'] });
  await bench.pool.query('update documents set correspondent_id = $2 where id = $1', [done, acme]);
  await bench.pool.query(`update documents set confirmed_fields = '{correspondent}' where id = $1`, [confirmed]);
  const draft = { query: rule.query, filters: rule.filters, actions: [...rule.actions] };
  const tried = await dryRun(bench.db, bench.principal, draft);
  t.like(tried, { matched: 4, would_change: 2, is_lower_bound: false });
  const to = { id: acme, name: 'Acme' };
  t.deepEqual(
    tried.changes.toSorted((a, b) => a.field.localeCompare(b.field) || (a.document_id < b.document_id ? -1 : 1)),
    [
      ...[fresh, labelled]
        .toSorted()
        .map((id) => ({ document_id: id, title: id === fresh ? 'fresh' : 'untitled', field: 'correspondent' as const, from: null, to })),
      { document_id: fresh, title: 'fresh', field: 'label', from: null, to: { id: paid, name: 'paid' } },
    ],
  );
  for (const id of [fresh, labelled, done, confirmed, letter]) t.deepEqual(await bench.changesOf(id), []);
  t.deepEqual(await applyRule(bench.db, bench.principal, rule), { matched: 4, changed: 2, remaining: 0 });
  t.like(await bench.stateOf(fresh), { correspondent: 'Acme', labels: ['paid'] });
  t.like(await bench.stateOf(labelled), { correspondent: 'Acme', labels: ['paid'] });
  t.like(await bench.stateOf(confirmed), { correspondent: null });
  t.like(await bench.stateOf(letter), { correspondent: null, labels: [] });
  t.like(await dryRun(bench.db, bench.principal, draft), { matched: 4, would_change: 0, changes: [] });
});

test('one request changes no more than it may, and goes on where it is called again', async (t) => {
  await using bench = await openRuleBench();
  const rule = await bench.rule({ actions: [{ add_label: await bench.label('paid') }] });
  for (let i = 0; i < 7; i += 1) await bench.put({ pages: ['invoice'] });
  const draft = { query: rule.query, filters: rule.filters, actions: [...rule.actions] };
  t.like(await dryRun(bench.db, bench.principal, draft, { most: 4, batch: 3 }), { matched: 7, would_change: 4, is_lower_bound: true });
  t.like(await dryRun(bench.db, bench.principal, draft, { most: 7, batch: 7 }), { matched: 7, would_change: 7, is_lower_bound: false });
  const limits = { most: 4, batch: 2 };
  t.deepEqual(await applyRule(bench.db, bench.principal, rule, limits), { matched: 7, changed: 4, remaining: 3 });
  t.deepEqual(await applyRule(bench.db, bench.principal, rule, limits), { matched: 7, changed: 3, remaining: 0 });
  t.deepEqual(await undoRule(bench.db, bench.principal, rule.id, limits), { undone: 4, kept: 0, remaining: 3 });
  t.deepEqual(await undoRule(bench.db, bench.principal, rule.id, limits), { undone: 3, kept: 0, remaining: 0 });
  t.deepEqual(await undoRule(bench.db, bench.principal, rule.id, limits), { undone: 0, kept: 0, remaining: 0 });
  const aborted = AbortSignal.abort();
  await t.throwsAsync(applyRule(bench.db, bench.principal, rule, { signal: aborted }));
});

test('undo brings back what was there before, and leaves what was changed or confirmed since', async (t) => {
  await using bench = await openRuleBench();
  const [before, acme, later] = [
    await bench.correspondent('Before'),
    await bench.correspondent('Acme'),
    await bench.correspondent('Later'),
  ];
  const [paid, bill] = [await bench.label('paid'), await bench.documentType('Bill')];
  const rule = await bench.rule({
    actions: [{ set: 'correspondent', id: acme }, { set: 'document_type', id: bill }, { add_label: paid }],
  });
  const other = await bench.rule({ query: 'letter', actions: [{ add_label: await bench.label('letters') }] });
  const ids: string[] = [];
  for (let i = 0; i < 4; i += 1) ids.push(await bench.put({ pages: ['invoice letter'] }));
  const [plain = '', changed = '', confirmed = '', emptied = ''] = ids;
  await bench.pool.query('update documents set correspondent_id = $2 where id = $1', [plain, before]);
  await applyRule(bench.db, bench.principal, rule);
  await applyRule(bench.db, bench.principal, other);
  await bench.pool.query('update documents set correspondent_id = $2 where id = $1', [changed, later]);
  await bench.pool.query(`update documents set confirmed_fields = '{correspondent}' where id = $1`, [confirmed]);
  await bench.pool.query('delete from document_labels where document_id = $1 and label_id = $2', [emptied, paid]);
  t.deepEqual(await undoRule(bench.db, bench.principal, rule.id), { undone: 9, kept: 3, remaining: 0 });
  t.like(await bench.stateOf(plain), { correspondent: 'Before', type: null, labels: ['letters'] });
  t.like(await bench.stateOf(changed), { correspondent: 'Later', type: null, labels: ['letters'] });
  t.like(await bench.stateOf(confirmed), { correspondent: 'Acme', type: null, labels: ['letters'] });
  t.like(await bench.stateOf(emptied), { correspondent: null, type: null, labels: ['letters'] });
  t.deepEqual(
    (await bench.changesOf(changed)).map(({ field, to, undone }) => [field, to, undone]),
    [
      ['correspondent', 'Acme', false],
      ['document_type', 'Bill', true],
      ['label', 'paid', true],
      ['label', 'letters', false],
    ],
  );
});

test('undo leaves a label on a document that somebody has given one below it', async (t) => {
  await using bench = await openRuleBench();
  const [taxes, year] = [await bench.label('taxes'), await bench.label('year')];
  await bench.pool.query('update labels set parent_id = $2 where id = $1', [year, taxes]);
  const rule = await bench.rule({ actions: [{ add_label: taxes }] });
  const [plain, given] = [await bench.put({ pages: ['invoice'] }), await bench.put({ pages: ['invoice'] })];
  await applyRule(bench.db, bench.principal, rule);
  await bench.pool.query('insert into document_labels values ($1, $2)', [given, year]);
  t.deepEqual(await undoRule(bench.db, bench.principal, rule.id), { undone: 1, kept: 1, remaining: 0 });
  t.deepEqual((await bench.stateOf(plain))?.labels, []);
  t.deepEqual((await bench.stateOf(given))?.labels, ['taxes', 'year']);
});

test('changes of one field are undone back to before the first of them, and a value that is gone becomes none', async (t) => {
  await using bench = await openRuleBench();
  const [before, acme, next] = [await bench.correspondent('Before'), await bench.correspondent('Acme'), await bench.correspondent('Next')];
  const rule = await bench.rule({ actions: [{ set: 'correspondent', id: acme }] });
  const id = await bench.put({ pages: ['invoice'] });
  await bench.pool.query('update documents set correspondent_id = $2 where id = $1', [id, before]);
  await applyRule(bench.db, bench.principal, rule);
  await applyRule(bench.db, bench.principal, { ...rule, actions: [{ set: 'correspondent', id: next }] });
  t.like(await bench.stateOf(id), { correspondent: 'Next' });
  await bench.pool.query('delete from correspondents where id = $1', [before]);
  t.deepEqual(await undoRule(bench.db, bench.principal, rule.id), { undone: 2, kept: 0, remaining: 0 });
  t.like(await bench.stateOf(id), { correspondent: null });
});

test('who may change only what is theirs changes nothing of others by applying or undoing', async (t) => {
  await using bench = await openRuleBench();
  const user = await bench.userOf('editor');
  const own = principalOf(user, ['documents.read', 'documents.update.own', 'labels.read']);
  const rule = await bench.rule({ by: user, actions: [{ add_label: await bench.label('paid') }] });
  const [theirs, mine] = [await bench.put({ pages: ['invoice'] }), await bench.put({ pages: ['invoice'], ownerId: user.id })];
  const draft = { query: rule.query, filters: rule.filters, actions: [...rule.actions] };
  t.like(await dryRun(bench.db, own, draft), { matched: 2, would_change: 1 });
  t.deepEqual(await applyRule(bench.db, own, rule), { matched: 2, changed: 1, remaining: 0 });
  t.deepEqual((await bench.stateOf(theirs))?.labels, []);
  t.deepEqual((await bench.stateOf(mine))?.labels, ['paid']);
  const onlyOwn = principalOf(user, ['documents.read.own', 'documents.update.own', 'labels.read']);
  t.like(await dryRun(bench.db, onlyOwn, draft), { matched: 1 }, 'what may not be read is not counted');
  await applyRule(bench.db, bench.principal, rule);
  t.deepEqual(await undoRule(bench.db, own, rule.id), { undone: 1, kept: 1, remaining: 0 });
  t.deepEqual((await bench.stateOf(theirs))?.labels, ['paid']);
});
