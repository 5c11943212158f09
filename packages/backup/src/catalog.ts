import type { Client } from 'pg';

/** Tables that a backup leaves out, and why. All others of the schema are in it, those of later versions as well. */
export const OMITTED_TABLES: Readonly<Record<string, string>> = {
  migrations: 'written by the migrations themselves; the manifest has their version',
  backup_runs: 'the work of a service that runs now',
  rate_limit_counts: 'the counts of one minute',
  ocr_hosts: 'the hosts whose OCR workers run now',
  processes: 'the heartbeats of processes that run now',
};

/** A table as it is dumped. */
export interface DumpedTable {
  readonly schema: string;
  readonly name: string;
  /** Without the generated ones. */
  readonly columns: readonly string[];
  /** SQL after `order by`: the same order on every server. */
  readonly order: string;
}

interface TableRow {
  readonly name: string;
  readonly columns: string[];
  readonly key: string[] | null;
}

/**
 * All tables of `schema`, by name. They are ordered by their primary key; text by its bytes, as each server has its own collation.
 */
export const listTables = async (client: Client, schema: string): Promise<DumpedTable[]> => {
  const { rows } = await client.query<TableRow>(
    `select c.relname as name,
        array(select a.attname::text from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
        (select array_agg(quote_ident(a.attname) || case when a.attcollation <> 0 then ' collate "C"' else '' end order by k.place)
          from pg_index i, unnest(i.indkey::int2[]) with ordinality k (attnum, place)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
          where i.indrelid = c.oid and i.indisprimary and a.attrelid = i.indrelid) as key
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and c.relkind in ('r', 'p') and not c.relispartition
      order by c.relname`,
    [schema],
  );
  return rows.map(({ name, columns, key }) => ({ schema, name, columns, order: key === null ? 'r::text collate "C"' : key.join(', ') }));
};

/** Those of the tables `names` that the current schema has: older ones lack some. In the given order. */
export const listPresentTables = async (client: Client, names: readonly string[]): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) with ordinality as wanted (name, place) where to_regclass(quote_ident(name)) is not null order by place',
    [names],
  );
  return rows.map(({ name }) => name);
};

export interface DumpedSequence {
  readonly name: string;
  readonly last_value: string;
  readonly is_called: boolean;
}

/** All sequences of `schema` with where they stand: they belong to no snapshot, so ask after it was taken, and none is behind its rows. */
export const listSequences = async (client: Client, schema: string): Promise<DumpedSequence[]> => {
  const { rows: names } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and c.relkind = 'S' order by c.relname`,
    [schema],
  );
  const sequences: DumpedSequence[] = [];
  for (const { name } of names) {
    const from = `${client.escapeIdentifier(schema)}.${client.escapeIdentifier(name)}`;
    const { rows } = await client.query<Omit<DumpedSequence, 'name'>>(`select last_value::text, is_called from ${from}`);
    sequences.push(...rows.map((row) => ({ name, ...row })));
  }
  return sequences;
};

/** The schema that the tables of the service are in. */
export const currentSchema = async (client: Client): Promise<string> => {
  const { rows } = await client.query<{ schema: string }>('select current_schema() as schema');
  return rows[0]?.schema ?? 'public';
};
