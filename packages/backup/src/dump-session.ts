import type { Client } from 'pg';

/** What the text of a value depends on besides the value; and no limits on time, as a dump takes as long as it takes. */
const SETTINGS: Readonly<Record<string, string>> = {
  client_encoding: 'UTF8',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '3',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0', // PostgreSQL 14
};

/** Makes a session write equal values as equal text, whatever server and role it is on. */
export const prepareDumpSession = async (client: Client): Promise<void> => {
  for (const [name, value] of Object.entries(SETTINGS))
    await client.query('select set_config(name, $2, false) from pg_settings where name = $1', [name, value]);
};
