import { z } from 'zod';

/**
 * An id that a request carries, in lower case whatever the client wrote: PostgreSQL takes both spellings for the same row, and a
 * comparison with the caller's own id does not.
 */
export const rowId = z.uuid().toLowerCase();
