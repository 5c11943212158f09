// Which migrations code of an older schema may run with. By their text: a migration that is not declared compatible may do anything.
import type { Migration } from '@sheaf/db/migrations';

const RETIRES = /^-- retires: ([a-z_]+(?:\.[a-z_]+)?)$/gm;
const CREATED_TABLE = /^create (?:unlogged )?table (?:if not exists )?([a-z_]+)/;

/** Columns (`table.column`) and tables that code of this schema and of later ones uses no more. */
export const retiredBy = ({ up }: Pick<Migration, 'up'>): string[] => [...up.matchAll(RETIRES)].map(([, name = '']) => name);

/** What a block executes out of texts; the block itself where it does anything else with its tables, or where it executes no text. */
const executedBy = (block: string, body: string): string => {
  const texts = [...body.matchAll(/\bexecute (?:format\()?'([^']*)'/g)].map(([, text = '']) => text.replaceAll(/%(?:\d\$)?[sI]/g, ''));
  const isAllText = texts.length > 0 && texts.length === [...body.matchAll(/\bexecute\b/g)].length;
  return isAllText && !/\b(?:alter|drop|delete|truncate|rename)\b/.test(body.replaceAll(/'[^']*'/g, '')) ? texts.join(';') : block;
};

/** The statements without comments and without bodies of functions, on one line each. */
const statementsOf = (up: string): string[] =>
  up
    .replaceAll(/^\s*--.*$|\s--\s.*$/gm, '')
    .replaceAll(/^do \$\$([^]*?)\$\$/gm, executedBy)
    .replaceAll(/\$(\w*)\$[^]*?\$\1\$/g, "''")
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter((statement) => statement !== '');

/** Splits at commas outside of parentheses. */
const actionsOf = (text: string): string[] => {
  const actions = [''];
  let depth = 0;
  for (const char of text) {
    if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    if (char === ',' && depth === 0) actions.push('');
    else actions[actions.length - 1] += char;
  }
  return actions.map((action) => action.trim());
};

interface Rules {
  /** Tables that this migration makes: older code does not know them. */
  readonly own: ReadonlySet<string>;
  /** Columns (`table.column`) that this migration adds and that are null wherever older code writes a row. */
  readonly left: ReadonlySet<string>;
  /** What the code of all schemas that are declared compatible uses no more. */
  readonly unused: ReadonlySet<string>;
  /** What the code of this schema uses no more. */
  readonly retiredNow: ReadonlySet<string>;
}

const TWO_STEPS = 'retire it in one migration ("-- retires: table.column"), and drop it in one of a later version';

const addedColumnProblem = (action: string): string | undefined => {
  if (/\bnot null\b/.test(action) && !/\bdefault\b/.test(action))
    return 'adds a column that is not null without a default: older code leaves it out';
  if (/\bunique\b|\bprimary key\b/.test(action)) return 'adds a unique column: older code writes rows that it refuses';
  return undefined;
};

const actionProblem = (table: string, action: string, { unused, retiredNow }: Rules): string | undefined => {
  // how rows lie in pages
  if (/^set \(fillfactor = \d+\)$/.test(action)) return undefined;
  if (action.startsWith('add column ')) return addedColumnProblem(action);
  const [, dropped] = /^drop column (?:if exists )?([a-z_]+)/.exec(action) ?? [];
  if (dropped !== undefined)
    return unused.has(`${table}.${dropped}`) ? undefined : `drops ${table}.${dropped}, which older code uses: ${TWO_STEPS}`;
  const [, loosened] = /^alter column ([a-z_]+) (?:drop not null|set default .*)$/.exec(action) ?? [];
  if (loosened !== undefined && (retiredNow.has(`${table}.${loosened}`) || unused.has(`${table}.${loosened}`))) return undefined;
  if (/^alter column .* (?:set data )?type /.test(action))
    return 'changes the type of a column: add a new column instead, and retire the old one';
  if (action.startsWith('rename ')) return 'renames what older code knows by its name: add a new one instead, and retire the old one';
  return `"${action}" is nothing that older code is known to work with`;
};

/** The columns that a statement adds and that rows of older code do not fill. */
const columnsLeftBy = (statement: string): string[] => {
  const [, table = '', actions = ''] = /^alter table ([a-z_]+) (.*)$/.exec(statement) ?? [];
  return actionsOf(actions).flatMap((action) => {
    const [, column] = /^add column ([a-z_]+) /.exec(action) ?? [];
    return column === undefined || /\b(?:default|generated)\b/.test(action) ? [] : [`${table}.${column}`];
  });
};

const HARMLESS = /^(?:create (?:function|trigger|sequence|type|extension|view) |insert into |update |select |comment on |analyze )/;

const statementProblems = (statement: string, rules: Rules): (string | undefined)[] => {
  if (HARMLESS.test(statement) || CREATED_TABLE.test(statement)) return [];
  const [, unique, indexed = '', columns = ''] =
    /^create (unique )?index (?:[a-z0-9_]+ )?on ([a-z_]+)(?: \(([a-z_, ]+)\)(?! nulls not distinct))?/.exec(statement) ?? [];
  if (indexed !== '') {
    // a row with a null in one of the columns is like no other
    const isHarmless =
      unique === undefined || rules.own.has(indexed) || columns.split(', ').some((name) => rules.left.has(`${indexed}.${name}`));
    return isHarmless ? [] : [`makes rows of ${indexed} unique, which older code does not heed`];
  }
  const [, table = '', actions = ''] = /^alter table ([a-z_]+) (.*)$/.exec(statement) ?? [];
  if (table !== '') return rules.own.has(table) ? [] : actionsOf(actions).map((action) => actionProblem(table, action, rules));
  const [, tables] = /^drop table (?:if exists )?([a-z_, ]+)$/.exec(statement) ?? [];
  if (tables !== undefined)
    return actionsOf(tables).map((name) => (rules.unused.has(name) ? undefined : `drops ${name}, which older code uses: ${TWO_STEPS}`));
  return [`"${statement.slice(0, 60)}" is nothing that older code is known to work with`];
};

/** Why the code of the schema that the migration is declared to be compatible from does not work with it; nothing where it may. */
export const compatibilityProblems = (migration: Migration, all: readonly Migration[]): string[] => {
  const { version, compatibleFrom, up } = migration;
  if (compatibleFrom === version)
    return /^-- *compatible/im.test(up) ? ['the line of its compatibility is no "-- compatible-from: 0123"'] : [];
  if (compatibleFrom > version || !all.some((other) => other.version === compatibleFrom))
    return [`compatible-from: there is no earlier migration ${compatibleFrom}`];
  const statements = statementsOf(up);
  const rules: Rules = {
    own: new Set(statements.flatMap((statement) => CREATED_TABLE.exec(statement)?.[1] ?? [])),
    left: new Set(statements.flatMap(columnsLeftBy)),
    unused: new Set(all.filter((other) => other.version <= compatibleFrom).flatMap(retiredBy)),
    retiredNow: new Set(retiredBy(migration)),
  };
  return statements.flatMap((statement) => statementProblems(statement, rules)).filter((problem) => problem !== undefined);
};
