import type { Client } from '@sheaf/accounts';
import type { RequestContext } from '../http/route.ts';

const MAX_USER_AGENT_CHARACTERS = 500;

/** Where a request comes from, as sessions and the audit log keep it. */
export const clientOf = ({ address, headers, connection: { device } }: RequestContext): Client => ({
  address,
  userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT_CHARACTERS),
  device,
});
