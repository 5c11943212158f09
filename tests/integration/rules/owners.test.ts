import { applyRule, dryRun, undoRule } from '@sheaf/rules';
import { principalOf } from '@sheaf/testkit';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';
import { openRuleBench } from './rule-bench.ts';

const openOwnerBench = async () => {
  const bench = await openRuleBench();
  return {
    ...bench,
    ownerOf: async (id: string): Promise<string | undefined> =>
      (await bench.pool.query<{ owner_id: string }>('select owner_id from documents where id = $1', [id])).rows[0]?.owner_id,
    giveHash: (ids: readonly string[], sha256: string) =>
      bench.pool.query('update documents set sha256 = $2 where id = any($1::uuid[])', [ids, sha256]),
  };
};

test('a rule gives documents to another owner, who hears of it, and undo gives them back', async (t) => {
  await using bench = await openOwnerBench();
  const ann = await bench.userOf('own');
  const rule = await bench.rule({ actions: [{ set: 'owner', id: ann.id }] });
  const [moved, hers] = [await bench.put({ pages: ['invoice'] }), await bench.put({ pages: ['invoice'], ownerId: ann.id })];
  const { owner } = bench;
  const [from, to] = [
    { id: owner.id, name: owner.username },
    { id: ann.id, name: ann.username },
  ];
  const tried = await dryRun(bench.db, bench.principal, { query: rule.query, filters: rule.filters, actions: [...rule.actions] });
  t.like(tried, { matched: 2, would_change: 1 });
  t.deepEqual(tried.changes, [{ document_id: moved, title: 'untitled', field: 'owner', from, to }]);
  t.is(await bench.ownerOf(moved), owner.id);
  t.deepEqual(await applyRule(bench.db, bench.principal, rule), { matched: 2, changed: 1, remaining: 0 });
  t.is(await bench.ownerOf(moved), ann.id);
  const { rows } = await bench.pool.query<{ owner_id: string; data: { changes: unknown } }>(
    "select owner_id, data from events where type = 'document_updated' and document_id = $1",
    [moved],
  );
  t.deepEqual(
    rows.map(({ owner_id: heardBy, data }) => [heardBy, data.changes]),
    [[ann.id, { owner_id: ann.id }]],
  );
  const found = await bench.ask('invoice', { as: principalOf(ann, ['documents.read.own', 'search.query.own']) });
  t.is(found.results.length, 2, 'the search follows');
  t.deepEqual(await undoRule(bench.db, bench.principal, rule.id), { undone: 1, kept: 0, remaining: 0 });
  t.is(await bench.ownerOf(moved), owner.id);
  t.is(await bench.ownerOf(hers), ann.id);
});

test('a processed document is given to the owner of the first rule, and only rules of those who may do that change it', async (t) => {
  await using bench = await openOwnerBench();
  const [ann, bob, editor] = [await bench.userOf('viewer'), await bench.userOf('viewer'), await bench.userOf('editor')];
  // an editor may change every document, but take none from anybody
  await bench.rule({ by: editor, position: 1, query: 'letter', actions: [{ set: 'owner', id: editor.id }] });
  await bench.rule({ position: 1, name: 'first', actions: [{ set: 'owner', id: ann.id }] });
  await bench.rule({ position: 2, name: 'second', actions: [{ set: 'owner', id: bob.id }] });
  const [invoice, letter] = [await bench.put({ pages: ['invoice'] }), await bench.put({ pages: ['letter'] })];
  await bench.process([invoice, letter]);
  t.is(await bench.ownerOf(invoice), ann.id);
  t.is(await bench.ownerOf(letter), bench.owner.id);
  t.deepEqual(
    (await bench.changesOf(invoice)).map(({ rule_name: name, field, to }) => [name, field, to]),
    [['first', 'owner', ann.username]],
  );
  await bench.pool.query('update users set disabled_at = now() where id = $1', [ann.id]);
  const late = await bench.put({ pages: ['invoice'] });
  await bench.process([late]);
  t.is(await bench.ownerOf(late), bob.id, 'nothing is given to a disabled user');
});

test('who may not change owners undoes no change of owner, and nothing is undone for an owner who is gone', async (t) => {
  await using bench = await openOwnerBench();
  const [ann, former] = [await bench.userOf('viewer'), await bench.userOf('viewer')];
  const rule = await bench.rule({ actions: [{ set: 'owner', id: ann.id }] });
  const [one, two] = [await bench.put({ pages: ['invoice'] }), await bench.put({ pages: ['invoice'], ownerId: former.id })];
  t.like(await applyRule(bench.db, bench.principal, rule), { changed: 2 });
  const weak = principalOf(bench.owner, ['documents.read', 'documents.update', 'labels.read']);
  t.deepEqual(await undoRule(bench.db, weak, rule.id), { undone: 0, kept: 2, remaining: 0 });
  t.like(await applyRule(bench.db, weak, { ...rule, actions: [{ set: 'owner', id: former.id }] }), { changed: 0 });
  await bench.pool.query('delete from users where id = $1', [former.id]);
  t.deepEqual(await undoRule(bench.db, bench.principal, rule.id), { undone: 1, kept: 1, remaining: 0 });
  t.is(await bench.ownerOf(one), bench.owner.id);
  t.is(await bench.ownerOf(two), ann.id);
});

test('undo leaves a document that somebody else was given since', async (t) => {
  await using bench = await openOwnerBench();
  const [ann, bob] = [await bench.userOf('viewer'), await bench.userOf('viewer')];
  const rule = await bench.rule({ actions: [{ set: 'owner', id: ann.id }] });
  const id = await bench.put({ pages: ['invoice'] });
  await applyRule(bench.db, bench.principal, rule);
  await bench.pool.query('update documents set owner_id = $2 where id = $1', [id, bob.id]);
  t.deepEqual(await undoRule(bench.db, bench.principal, rule.id), { undone: 0, kept: 1, remaining: 0 });
  t.is(await bench.ownerOf(id), bob.id);
});

test('nobody is given a file that they have, in a dry run, when applied and when undone', async (t) => {
  await using bench = await openOwnerBench();
  const [ann, bob] = [await bench.userOf('viewer'), await bench.userOf('viewer')];
  const paid = await bench.label('paid');
  const rule = await bench.rule({ actions: [{ set: 'owner', id: ann.id }, { add_label: paid }] });
  const [hers, same] = [await bench.put({ pages: ['letter'], ownerId: ann.id }), await bench.put({ pages: ['invoice'] })];
  await bench.giveHash([hers, same], 'a'.repeat(64));
  const [twin, other] = [await bench.put({ pages: ['invoice'] }), await bench.put({ pages: ['invoice'], ownerId: bob.id })];
  await bench.giveHash([twin, other], 'b'.repeat(64));
  const draft = { query: rule.query, filters: rule.filters, actions: [...rule.actions] };
  const tried = await dryRun(bench.db, bench.principal, draft);
  t.like(tried, { matched: 3, would_change: 3 });
  t.is(tried.changes.filter(({ field }) => field === 'owner').length, 1);
  t.deepEqual(await applyRule(bench.db, bench.principal, rule), { matched: 3, changed: 3, remaining: 0 });
  t.is(await bench.ownerOf(same), bench.owner.id);
  t.deepEqual((await bench.stateOf(same))?.labels, ['paid'], 'the rest of the rule is applied');
  const owners = [await bench.ownerOf(twin), await bench.ownerOf(other)];
  t.is(owners.filter((id) => id === ann.id).length, 1);
  // the owner before has imported it again
  const again = await bench.put({ pages: ['letter'], ownerId: owners[0] === ann.id ? bench.owner.id : bob.id });
  await bench.giveHash([again], 'b'.repeat(64));
  t.deepEqual(await undoRule(bench.db, bench.principal, rule.id), { undone: 3, kept: 1, remaining: 0 });
  t.deepEqual([await bench.ownerOf(twin), await bench.ownerOf(other)], owners);
});

test('nobody is given a document whose archive number they have, nor two with the same number', async (t) => {
  await using bench = await openOwnerBench();
  const [ann, bob] = [await bench.userOf('viewer'), await bench.userOf('viewer')];
  const rule = await bench.rule({ actions: [{ set: 'owner', id: ann.id }] });
  const number = (id: string, value: number) => bench.pool.query('update documents set archive_number = $2 where id = $1', [id, value]);
  await number(await bench.put({ pages: ['letter'], ownerId: ann.id }), 7);
  const [taken, one, other] = [
    await bench.put({ pages: ['invoice 1'] }),
    await bench.put({ pages: ['invoice 2'] }),
    await bench.put({ pages: ['invoice 3'], ownerId: bob.id }),
  ];
  await number(taken, 7);
  for (const id of [one, other]) await number(id, 8);
  t.deepEqual(await applyRule(bench.db, bench.principal, rule), { matched: 3, changed: 1, remaining: 0 });
  t.is(await bench.ownerOf(taken), bench.owner.id);
  const owners = [await bench.ownerOf(one), await bench.ownerOf(other)];
  t.is(owners.filter((id) => id === ann.id).length, 1);
});

test('a change of owner does not wait for a user who is being deleted, and does nothing then', async (t) => {
  await using bench = await openOwnerBench();
  const ann = await bench.userOf('viewer');
  const rule = await bench.rule({ actions: [{ set: 'owner', id: ann.id }] });
  const id = await bench.put({ pages: ['invoice'] });
  const client = await bench.pool.connect();
  try {
    await client.query('begin');
    await client.query('select from users where id = $1 for update', [ann.id]);
    await t.throwsAsync(applyRule(bench.db, bench.principal, rule));
    await client.query('rollback');
  } finally {
    client.release();
  }
  t.is(await bench.ownerOf(id), bench.owner.id);
  t.like(await applyRule(bench.db, bench.principal, rule), { changed: 1 });
});

test('a file that the new owner imports meanwhile stays with its owner, and the rest of the rule is applied', async (t) => {
  await using bench = await openOwnerBench();
  const ann = await bench.userOf('viewer');
  const rule = await bench.rule({ actions: [{ set: 'owner', id: ann.id }, { add_label: await bench.label('paid') }] });
  const [id, hers] = [await bench.put({ pages: ['invoice'] }), await bench.put({ pages: ['letter'], ownerId: ann.id })];
  await bench.giveHash([id], 'a'.repeat(64));
  const client = await bench.pool.connect();
  try {
    await client.query('begin');
    await client.query('update documents set sha256 = $2 where id = $1', [hers, 'a'.repeat(64)]);
    const applied = applyRule(bench.db, bench.principal, rule);
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    await waitFor(async () => ((await bench.pool.query(waiting)).rowCount ?? 0) > 0, {
      description: 'the rule to wait for the import',
      limitMs: 10_000,
    });
    await client.query('commit');
    t.deepEqual(await applied, { matched: 1, changed: 1, remaining: 0 });
  } finally {
    client.release();
  }
  t.is(await bench.ownerOf(id), bench.owner.id);
  t.deepEqual((await bench.stateOf(id))?.labels, ['paid']);
});
