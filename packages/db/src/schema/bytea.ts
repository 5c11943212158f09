import { customType } from '../drizzle.ts';

export const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' });
