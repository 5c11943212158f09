import type { Database } from '@sheaf/db';
import type { Component, Logger } from '@sheaf/process';

/** Connections that the server gives to ordinary users. Older servers do not know `reserved_connections`. */
const readRoom = async ({ pool }: Database): Promise<number> => {
  const { rows } = await pool.query<{ room: number }>(
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
       - coalesce(current_setting('reserved_connections', true), '0')::int as room`,
  );
  return rows[0]?.room ?? 0;
};

/** Says at the start when the pools of all processes cannot fit into what the server allows: better than an error on a busy day. */
export const checkConnectionRoom = (database: Database, needed: number, log: Logger): Component => ({
  name: 'connection-room',
  start: async () => {
    if (database.isPooled) return; // how many the server sees is the pooler's to say
    const room = await readRoom(database).catch((error: unknown) => {
      log.debug({ err: error }, 'connection limit of the database unknown');
    });
    if (room === undefined || room >= needed) return;
    const advice = 'reduce DATABASE_MAX_CONNECTIONS or OCR_WORKER_PROCESSES, or increase max_connections of the server';
    log.warn({ needed, room }, `the connection limit of the database is too low for all processes: ${advice}`);
  },
  stop: async () => {},
});
