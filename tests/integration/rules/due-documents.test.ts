import { silentLogger } from '@sheaf/process';
import { applyDueRules } from '@sheaf/rules';
import test from 'ava';
import { makeNotedLogger } from '../../support/noted-logger.ts';
import { markRulesDue, openRuleBench, ROLES } from './rule-bench.ts';

const nothing = { correspondent: null, type: null, labels: [], due: false };

test('a processed document gets what matching rules set, with the rule as the reason and one event for each rule', async (t) => {
  await using bench = await openRuleBench();
  const [acme, bill, paid] = [await bench.correspondent('Acme'), await bench.documentType('Bill'), await bench.label('paid')];
  await bench.rule({
    name: 'bills of Acme',
    actions: [{ set: 'correspondent', id: acme }, { set: 'document_type', id: bill }, { add_label: paid }],
  });
  const [invoice, letter] = [await bench.put({ pages: ['an invoice of Acme'] }), await bench.put({ pages: ['a letter'] })];
  await bench.process([invoice, letter]);
  t.deepEqual(await bench.stateOf(invoice), { correspondent: 'Acme', type: 'Bill', labels: ['paid'], due: false });
  t.deepEqual(await bench.stateOf(letter), nothing);
  t.deepEqual(
    (await bench.changesOf(invoice)).map(({ rule_name, field, from, to }) => [rule_name, field, from, to]),
    [
      ['bills of Acme', 'correspondent', null, 'Acme'],
      ['bills of Acme', 'document_type', null, 'Bill'],
      ['bills of Acme', 'label', null, 'paid'],
    ],
  );
  const { rows } = await bench.pool.query<{ data: { changes: unknown } }>(
    "select data from events where type = 'document_updated' and document_id = $1",
    [invoice],
  );
  t.deepEqual(
    rows.map(({ data }) => data.changes),
    [{ correspondent: { id: acme, name: 'Acme' }, document_type: { id: bill, name: 'Bill' }, labels: ['paid'] }],
  );
  await bench.process([invoice]);
  t.is((await bench.changesOf(invoice)).length, 3, 'what is so already is no change');
});

test('a document is not marked where no rule is enabled', async (t) => {
  await using bench = await openRuleBench();
  const id = await bench.put({ pages: ['an invoice'] });
  await bench.rule({ actions: [{ add_label: await bench.label('paid') }], isEnabled: false });
  await markRulesDue(bench.db, id);
  t.deepEqual(await bench.stateOf(id), nothing);
});

test('of two rules that set a field the first wins, labels of both are added, and a rule sees what one before it did', async (t) => {
  await using bench = await openRuleBench();
  const [acme, other] = [await bench.correspondent('Acme'), await bench.correspondent('Other')];
  const [one, two, three] = [await bench.label('one'), await bench.label('two'), await bench.label('three')];
  await bench.rule({ name: 'second', position: 2, actions: [{ set: 'correspondent', id: other }, { add_label: two }] });
  await bench.rule({ name: 'first', position: 1, actions: [{ set: 'correspondent', id: acme }, { add_label: one }] });
  await bench.rule({ name: 'third', position: 3, query: '', filters: { label_ids: [two] }, actions: [{ add_label: three }] });
  const id = await bench.put({ pages: ['an invoice'] });
  await bench.process([id]);
  t.deepEqual(await bench.stateOf(id), { correspondent: 'Acme', type: null, labels: ['one', 'three', 'two'], due: false });
  await bench.process([id]);
  t.like(await bench.stateOf(id), { correspondent: 'Acme' }, 'also where the first has nothing to change');
});

test('what a person has set is never replaced, and what nobody has set is', async (t) => {
  await using bench = await openRuleBench();
  const [acme, chosen, bill] = [await bench.correspondent('Acme'), await bench.correspondent('Chosen'), await bench.documentType('Bill')];
  await bench.rule({
    actions: [
      { set: 'correspondent', id: acme },
      { set: 'document_type', id: bill },
    ],
  });
  const [confirmed, emptied, guessed] = [
    await bench.put({ pages: ['invoice'] }),
    await bench.put({ pages: ['invoice'] }),
    await bench.put({ pages: ['invoice'] }),
  ];
  await bench.pool.query(`update documents set correspondent_id = $2, confirmed_fields = '{correspondent}' where id = $1`, [
    confirmed,
    chosen,
  ]);
  await bench.pool.query(`update documents set confirmed_fields = '{correspondent,document_type}' where id = $1`, [emptied]);
  await bench.pool.query('update documents set correspondent_id = $2 where id = $1', [guessed, chosen]);
  await bench.process([confirmed, emptied, guessed]);
  t.like(await bench.stateOf(confirmed), { correspondent: 'Chosen', type: 'Bill' });
  t.deepEqual(await bench.stateOf(emptied), nothing);
  t.like(await bench.stateOf(guessed), { correspondent: 'Acme', type: 'Bill' });
  t.deepEqual(
    (await bench.changesOf(guessed)).map(({ from, to }) => [from, to]),
    [
      ['Chosen', 'Acme'],
      [null, 'Bill'],
    ],
  );
});

test('a rule does what its user may do today: not to documents of others, nothing without permission, nothing once disabled', async (t) => {
  await using bench = await openRuleBench();
  const own = await bench.userOf('own');
  const [viewer, editor, gone] = [await bench.userOf('viewer'), await bench.userOf('editor'), await bench.userOf('editor')];
  await bench.pool.query('update users set disabled_at = now() where id = $1', [gone.id]);
  const label = async (name: string) => [{ add_label: await bench.label(name) }];
  await bench.rule({ by: own, actions: await label('of own') });
  await bench.rule({ by: viewer, actions: await label('of viewer') });
  await bench.rule({ by: editor, actions: await label('of editor') });
  await bench.rule({ by: gone, actions: await label('of gone') });
  const [theirs, mine] = [await bench.put({ pages: ['invoice'] }), await bench.put({ pages: ['invoice'], ownerId: own.id })];
  await bench.process([theirs, mine]);
  t.deepEqual((await bench.stateOf(theirs))?.labels, ['of editor']);
  t.deepEqual((await bench.stateOf(mine))?.labels, ['of editor', 'of own']);
  await bench.pool.query(`update users set role = 'nobody' where id = $1`, [editor.id]);
  const later = await bench.put({ pages: ['invoice'] });
  await bench.process([later]);
  t.deepEqual(await bench.stateOf(later), nothing, 'a role that is gone gives nothing');
});

test('what is not visible to the user of a rule any more is not set', async (t) => {
  await using bench = await openRuleBench();
  const limited = { ...ROLES, permissions: { ...ROLES.permissions, own: ['documents.read', 'documents.update', 'labels.read.own'] } };
  const user = await bench.userOf('own');
  const [acme, paid] = [await bench.correspondent('Acme'), await bench.label('paid')];
  await bench.rule({ by: user, actions: [{ set: 'correspondent', id: acme }, { add_label: paid }] });
  const id = await bench.put({ pages: ['invoice'] });
  await markRulesDue(bench.db, id);
  await applyDueRules({ db: bench.db, roles: limited, log: silentLogger() });
  t.deepEqual(await bench.stateOf(id), nothing);
  await bench.pool.query('update correspondents set created_by = $1', [user.id]);
  await markRulesDue(bench.db, id);
  await applyDueRules({ db: bench.db, roles: limited, log: silentLogger() });
  t.deepEqual(await bench.stateOf(id), { ...nothing, correspondent: 'Acme' });
});

test('a rule that fails is skipped with a line in the log, and the others are applied', async (t) => {
  await using bench = await openRuleBench();
  const [before, after] = [await bench.label('before'), await bench.label('after')];
  await bench.rule({ actions: [{ add_label: before }] });
  // as no request could have stored it
  const broken = await bench.rule({ query: '', filters: { owner_id: 'no id' }, actions: [{ add_label: before }] });
  const unreadable = await bench.rule({ actions: [{ add_label: 'no id' }] });
  await bench.rule({ actions: [{ add_label: after }] });
  const id = await bench.put({ pages: ['invoice'] });
  const { log, lines } = makeNotedLogger();
  await bench.process([id], log);
  t.deepEqual(await bench.stateOf(id), { ...nothing, labels: ['after', 'before'] });
  for (const { id: ruleId } of [broken, unreadable]) t.is(lines.filter((line) => line.includes(ruleId)).length > 0, true);
});

test('who is killed in between leaves the document waiting as it was, and the next one applies the rules once', async (t) => {
  await using bench = await openRuleBench();
  const acme = await bench.correspondent('Acme');
  await bench.rule({ actions: [{ set: 'correspondent', id: acme }] });
  await bench.rule({ actions: [{ add_label: await bench.label('paid') }] });
  const id = await bench.put({ pages: ['invoice'] });
  await markRulesDue(bench.db, id);
  await bench.pool.query(`
    create function end_me() returns trigger language plpgsql as $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
    create trigger end_me before insert on rule_changes for each row when (new.field = 'label') execute function end_me()`);
  bench.pool.on('error', () => {});
  await t.throwsAsync(applyDueRules({ db: bench.db, roles: ROLES, log: silentLogger() }));
  t.deepEqual(await bench.stateOf(id), { ...nothing, due: true });
  t.deepEqual(await bench.changesOf(id), []);
  await bench.pool.query('drop trigger end_me on rule_changes');
  await Promise.all([1, 2, 3].map(() => applyDueRules({ db: bench.db, roles: ROLES, log: silentLogger() })));
  t.deepEqual(await bench.stateOf(id), { correspondent: 'Acme', type: null, labels: ['paid'], due: false });
  t.is((await bench.changesOf(id)).length, 2);
});

test('a document whose rules cannot be applied is tried again later and holds up no other', async (t) => {
  await using bench = await openRuleBench();
  await bench.rule({ actions: [{ add_label: await bench.label('paid') }] });
  const [stuck, other] = [await bench.put({ pages: ['invoice'] }), await bench.put({ pages: ['invoice'] })];
  await bench.pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
    create trigger refuse before update on documents for each row
      when (new.id = '${stuck}' and new.rules_due_at is null and old.rules_due_at is not null) execute function refuse()`);
  await bench.process([stuck, other]);
  t.deepEqual(await bench.stateOf(stuck), { ...nothing, due: true });
  t.deepEqual((await bench.stateOf(other))?.labels, ['paid']);
});
