// A migration that says that older code works with it does nothing that this code cannot stand.
import { type Migration, readMigrations } from '@sheaf/db/migrations';
import test from 'ava';
import { compatibilityProblems } from '../../support/migration-rules.ts';

const migrationOf = (version: number, compatibleFrom: number, up: string): Migration => ({
  version,
  compatibleFrom,
  name: 'example',
  up,
  down: '',
});

const BEFORE = [
  migrationOf(1, 1, 'create table notes (id uuid primary key)'),
  migrationOf(2, 1, '-- retires: notes.old\n-- retires: tags\nselect 1'),
];
const judge = (compatibleFrom: number, up: string): string[] => compatibilityProblems(migrationOf(3, compatibleFrom, up), BEFORE);

test('every migration that is declared compatible leaves what older code uses', async (t) => {
  const all = await readMigrations();
  for (const migration of all) t.deepEqual(compatibilityProblems(migration, all), [], `${migration.version} ${migration.name}`);
});

test('what older code uses is neither dropped nor renamed nor narrowed by a migration that is declared compatible', (t) => {
  for (const [up, problem] of [
    ['alter table notes drop column text', /drops notes\.text.*-- retires/],
    ['alter table notes add column a text, drop column if exists text', /drops notes\.text/],
    ['drop table notes', /drops notes,/],
    ['drop table tags, notes', /drops notes,/],
    ['alter table notes rename column a to b', /renames/],
    ['alter table notes rename to letters', /renames/],
    ['alter table notes add column a text not null', /not null without a default/],
    ['alter table notes\n  add column a text not null, -- why; not\n  add column b text', /not null without a default/],
    ['alter table notes add column a text unique', /unique/],
    ['alter table notes alter column a type integer using a::integer', /changes the type/],
    ['alter table notes alter column a set data type integer', /changes the type/],
    ['alter table notes alter column a set not null', /nothing that older code/],
    ['alter table notes alter column a drop not null', /nothing that older code/],
    ['alter table notes add constraint short check (length(a) < 5)', /nothing that older code/],
    ['create unique index notes_key on notes (a)', /unique/],
    ['alter table notes add column b text; create unique index notes_key on notes (a)', /unique/],
    ["alter table notes add column b text default ''; create unique index notes_key on notes (b)", /unique/],
    ['alter table notes add column b text; create unique index notes_key on notes (b) nulls not distinct', /unique/],
    ['alter table notes add column b text; create unique index notes_key on notes (lower(a))', /unique/],
    ['create or replace function f() returns int language sql as $$ select 1 $$', /nothing that older code/],
    ['drop index notes_idx', /nothing that older code/],
    ['drop trigger t on notes', /nothing that older code/],
    ['delete from notes', /nothing that older code/],
    ['truncate notes', /nothing that older code/],
    ["do $$ begin execute 'alter table notes drop column a'; end $$", /drops notes\.a/],
    ["do $$ begin execute format('alter table notes add column b text collate %s not null', x); end $$", /not null without a default/],
    ["do $$ begin drop table notes; execute 'select 1'; end $$", /nothing that older code/],
    ['do $$ begin execute what; end $$', /nothing that older code/],
  ] as const) {
    const problems = judge(2, up);
    t.is(problems.length, 1, up);
    t.regex(problems[0] ?? '', problem, up);
  }
});

test('what adds to the schema is compatible, and so is whatever happens to a table that older code does not know', (t) => {
  for (const up of [
    'create unlogged table letters (id uuid primary key, text text not null); create unique index letters_key on letters (text)',
    'create table letters (id uuid); alter table letters add constraint filled check (id is not null)',
    "alter table notes add column a text, add column b numeric(10, 2) not null default 0, add column c text check (c in ('x', 'y'))",
    'create index notes_a_idx on notes (a) where a is not null',
    'alter table notes add column b integer check (b > 0); create unique index notes_key on notes (a, b) where b is not null',
    'create function f() returns trigger language plpgsql as $body$ begin drop table notes; end $body$; create trigger t after insert on notes execute function f()',
    "do $$ begin execute format('alter table notes add column b text collate %1$I, add column c text collate %1$I', x); end $$",
    'alter table notes set (fillfactor = 70)',
    "-- drop table notes\ninsert into notes values (1); update notes set id = id; comment on table notes is 'x'",
  ])
    t.deepEqual(judge(2, up), [], up);
});

test('what was retired may be dropped where no code of the time before is said to work with it, and loosened when it is retired', (t) => {
  t.deepEqual(judge(2, 'alter table notes drop column old; drop table tags'), []);
  t.is(judge(1, 'alter table notes drop column old; drop table tags').length, 2);
  t.deepEqual(judge(1, '-- retires: notes.a\nalter table notes alter column a drop not null'), []);
});

test('a migration that is not declared compatible may do anything; one whose declaration says nothing is refused', (t) => {
  t.deepEqual(judge(3, 'drop table notes'), []);
  t.regex(judge(3, '-- compatible from: 2\nselect 1').join(), /is no "-- compatible-from/);
  t.regex(judge(7, 'select 1').join(), /no earlier migration 7/);
});
