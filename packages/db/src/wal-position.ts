import type { Pool } from 'pg';

/** How far a server has written its log of changes (WAL): after a change was committed its position is not behind the change. */
export type WalPosition = bigint;

const TEXT = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i;
const LOW_BITS = 32n;

/** The position that PostgreSQL writes as `16/B374D848`; undefined where the text is none. */
export const parseWalPosition = (text: string): WalPosition | undefined => {
  const [, high, low] = TEXT.exec(text) ?? [];
  return high === undefined ? undefined : (BigInt(`0x${high}`) << LOW_BITS) | BigInt(`0x${low}`);
};

export const formatWalPosition = (position: WalPosition): string =>
  `${(position >> LOW_BITS).toString(16)}/${(position & 0xffff_ffffn).toString(16)}`.toUpperCase();

/** What a server is, and what can be read from it. */
export interface ServerPosition {
  /** Of all changes up to here the server has the result. */
  readonly position: WalPosition;
  /** Equal for a primary and its replicas, and for no other server. */
  readonly cluster: string;
  readonly database: string;
}

/** Asks a primary or a replica. Throws what pg throws. */
export const readServerPosition = async (pool: Pool): Promise<ServerPosition> => {
  const { rows } = await pool.query<{ position: string | null; cluster: string; database: string }>(
    `select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end::text as position,
       system_identifier::text as cluster, current_database()::text as database from pg_control_system()`,
  );
  const { position, cluster = '', database = '' } = rows[0] ?? {};
  return { position: parseWalPosition(position ?? '') ?? 0n, cluster, database };
};
