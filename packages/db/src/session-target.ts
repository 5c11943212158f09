import type { Client } from 'pg';

/** What a server has to be, as libpq has it (target_session_attrs), but for `prefer-standby`, which is two of them in turn. */
export type SessionTarget = 'any' | 'read-write' | 'read-only' | 'primary' | 'standby';

interface Mode {
  readonly in_recovery: boolean;
  readonly read_only: boolean;
}

const FITS: Readonly<Record<SessionTarget, (mode: Mode) => boolean>> = {
  any: () => true,
  'read-write': ({ read_only }) => !read_only,
  'read-only': ({ read_only }) => read_only,
  primary: ({ in_recovery }) => !in_recovery,
  standby: ({ in_recovery }) => in_recovery,
};

/** The server that answers is not the one that the URL wants. Another of its servers may be. */
export class UnsuitableServer extends Error {
  readonly code = 'UNSUITABLE_SERVER';

  constructor(place: string, target: SessionTarget, { in_recovery, read_only }: Mode) {
    const found = in_recovery ? 'a standby' : `a primary that ${read_only ? 'is read-only' : 'accepts writes'}`;
    super(`the database server at ${place} is ${found}; target_session_attrs requires ${target}`);
  }
}

/** In which order servers are asked to be what; of several servers without a wish, the one that can be written to. */
export const toSessionTarget = (given: string | null, servers: number): readonly SessionTarget[] => {
  if (given === null) return [servers > 1 ? 'read-write' : 'any'];
  return given === 'prefer-standby' ? ['standby', 'any'] : [given as SessionTarget];
};

/** Whether writing is what the connections of `target` are for. */
export const isForWriting = (target: SessionTarget): boolean => target === 'read-write' || target === 'primary';

/** Throws an UnsuitableServer where the server of `client` is not what it has to be. */
export const requireTarget = async (client: Client, place: string, target: SessionTarget): Promise<void> => {
  if (target === 'any') return;
  const { rows } = await client.query<Mode>(
    `select pg_is_in_recovery() as in_recovery, current_setting('transaction_read_only') = 'on' as read_only`,
  );
  const mode = rows[0] as Mode;
  if (!FITS[target](mode)) throw new UnsuitableServer(place, target, mode);
};
