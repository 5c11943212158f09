import type { ClientBase } from 'pg';

/** One line for each thing of the current schema, without those of extensions; names of the schema itself are left out. */
const QUERIES = [
  `select format('column %s.%s %s null=%s default=%s generated=%s identity=%s storage=%s collation=%s', c.relname, a.attname,
      format_type(a.atttypid, a.atttypmod), not a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attgenerated, a.attidentity, a.attstorage,
      (select collname from pg_collation where oid = a.attcollation)) as line
    from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
  `select format('table %s options=%s', relname, reloptions) as line from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'S')`,
  `select format('constraint %s.%s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as line from pg_constraint
    where connamespace = current_schema()::regnamespace`,
  `select format('index %s', pg_get_indexdef(indexrelid)) as line from pg_index join pg_class c on c.oid = indexrelid
    where c.relnamespace = current_schema()::regnamespace`,
  `select format('trigger %s enabled=%s', pg_get_triggerdef(t.oid), tgenabled) as line from pg_trigger t join pg_class c on c.oid = tgrelid
    where c.relnamespace = current_schema()::regnamespace and not tgisinternal`,
  `select format('function %s', pg_get_functiondef(p.oid)) as line from pg_proc p
    where pronamespace = current_schema()::regnamespace and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
  `select format('configuration %s %s %s', cfgname, mapseqno, (select string_agg(mapdict::regdictionary::text, ',' order by maptokentype)))
      as line
    from pg_ts_config c join pg_ts_config_map on mapcfg = c.oid
    where cfgnamespace = current_schema()::regnamespace group by cfgname, mapseqno`,
  `select format('dictionary %s %s', dictname, dictinitoption) as line from pg_ts_dict where dictnamespace = current_schema()::regnamespace
    and not exists (select from pg_depend d where d.objid = pg_ts_dict.oid and d.deptype = 'e')`,
];

/** All that the migrations make in the current schema, as sorted lines: equal for equal schemas, whatever they are called. */
export const schemaText = async (client: ClientBase): Promise<string[]> => {
  const { rows } = await client.query<{ schema: string }>('select current_schema() as schema');
  const prefix = new RegExp(`\\b${rows[0]?.schema ?? 'public'}\\.`, 'g');
  const lines: string[] = [];
  for (const query of QUERIES) {
    const found = await client.query<{ line: string }>(query);
    lines.push(...found.rows.map(({ line }) => line.replaceAll(prefix, '')));
  }
  return lines.toSorted();
};
